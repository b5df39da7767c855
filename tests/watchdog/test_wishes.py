"""What the operator asks of a scraper, as a process: on the real database, with Docker's answers of our own."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from store.rpc import Rpc
from store.watchdog import WatchdogStore
from tests.dockerd import Dockerd, dockerd
from tests.fleet import ROOT, Fleet

pytestmark = pytest.mark.docker


@pytest.fixture
def docker(tmp_path: Path) -> Iterator[Dockerd]:
    with dockerd(tmp_path) as server:
        yield server


def resume(fleet: Fleet, docker_url: str) -> str:
    """No watchdog is at work, so nobody waits for it."""
    environment = {
        **os.environ,
        "SUPABASE_URL": fleet.supabase_url,
        "SUPABASE_KEY": fleet.secret("supabase_key"),
        "DOCKER_PROXY_URL": docker_url,
    }
    command = [sys.executable, "-m", "watchdog", "resume", "kto"]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=60
    ).stdout


def wish(fleet: Fleet, desired: str) -> None:
    async def written() -> None:
        async with Rpc(fleet.store_settings) as rpc:
            await WatchdogStore(rpc, holder="test").wish("kto", desired, restart=False, by="joana")

    fleet.sql("truncate watchdog_heartbeat, restart_events, scraper_control")
    asyncio.run(written())


def asked_for(fleet: Fleet) -> list[list[str]]:
    return fleet.sql(
        "select desired, state from scraper_control left join restart_events using (unit) where unit = 'kto'"
    )


def test_what_runs_and_is_not_paused_is_left_alone(fleet: Fleet, docker: Dockerd) -> None:
    docker.run("kto")
    wish(fleet, "run")
    assert resume(fleet, docker.url) == "kto is not paused; it runs.\n"
    assert asked_for(fleet) == [["run", ""]]


@pytest.mark.parametrize(("desired", "state"), [("paused", "exited"), ("paused", "running"), ("run", "exited")])
def test_what_is_paused_or_stopped_is_started(fleet: Fleet, docker: Dockerd, desired: str, state: str) -> None:
    docker.run("kto", state)
    wish(fleet, desired)
    resume(fleet, docker.url)
    assert asked_for(fleet) == [["run", "requested"]]


def test_what_docker_cannot_be_asked_about_is_left_to_the_watchdog(fleet: Fleet, tmp_path: Path) -> None:
    wish(fleet, "run")
    resume(fleet, f"unix://{tmp_path}/nobody.sock")
    assert asked_for(fleet) == [["run", "requested"]]
