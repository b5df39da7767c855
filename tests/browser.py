"""A real Chromium in a container of its own, on the network of a Compose project, driven from here."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from playwright.sync_api import Browser, sync_playwright

from tests.debugged import OPEN
from tests.fleet import ROOT, docker


@contextmanager
def chromium(project: str) -> Iterator[Browser]:
    """It reaches services by their names, as `http://dashboard:8080`, and nothing outside."""
    name = f"{project}-browser"
    docker(
        "run", "--detach", "--init", "--name", name, "--network", f"{project}_default",
        "--shm-size", "128m", "--volume", f"{ROOT}/tests/debugged.py:/app/debugged.py:ro",
        "oddsfleet/playwright", "debugged",
    )  # fmt: skip
    try:
        address = docker("inspect", "-f", "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}", name)
        url = f"http://{address}:{OPEN}"
        await_answer(url)
        with sync_playwright() as playwright:
            browser = playwright.chromium.connect_over_cdp(url)
            try:
                yield browser
            finally:
                browser.close()
    finally:
        docker("rm", "--force", name)


def await_answer(url: str) -> None:
    for _ in range(200):
        try:
            if httpx.get(f"{url}/json/version").is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError("Chromium does not answer")
