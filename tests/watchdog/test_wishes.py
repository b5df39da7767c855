"""What the operator asks of a scraper, as a process: on the real database, beside a real container."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from store.rpc import Rpc
from store.watchdog import WatchdogStore
from tests.fleet import ROOT, SOCKET, Fleet, docker, image

pytestmark = pytest.mark.docker


PROJECT = f"oddsfleet-wishes-{os.getpid()}"
KTO = f"{PROJECT}-scraper-kto-1"


@pytest.fixture
def container() -> Iterator[str]:
    """Of the scraper; nothing has started it yet."""
    labels = {"oddsfleet.scraper": "kto", "com.docker.compose.project": PROJECT}
    told = [word for key, value in labels.items() for word in ("--label", f"{key}={value}")]
    docker("create", "--name", KTO, *told, "--entrypoint", "sleep", image("base"), "600")
    yield KTO
    docker("rm", "--force", KTO)


def resume(fleet: Fleet, socket: Path = SOCKET) -> str:
    """No watchdog is at work, so nobody waits for it."""
    environment = {
        **os.environ,
        "SUPABASE_URL": fleet.supabase_url,
        "SUPABASE_KEY": fleet.secret("supabase_key"),
        "DOCKER_PROXY_URL": f"unix://{socket}",
        "COMPOSE_PROJECT": PROJECT,
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


def test_what_runs_and_is_not_paused_is_left_alone(fleet: Fleet, container: str) -> None:
    docker("start", container)
    wish(fleet, "run")
    assert resume(fleet) == "kto is not paused; it runs.\n"
    assert asked_for(fleet) == [["run", ""]]


@pytest.mark.parametrize(("desired", "runs"), [("paused", False), ("paused", True), ("run", False)])
def test_what_is_paused_or_stopped_is_started(fleet: Fleet, container: str, *, desired: str, runs: bool) -> None:
    if runs:
        docker("start", container)
    wish(fleet, desired)
    resume(fleet)
    assert asked_for(fleet) == [["run", "requested"]]


def test_what_docker_cannot_be_asked_about_is_left_to_the_watchdog(fleet: Fleet, tmp_path: Path) -> None:
    wish(fleet, "run")
    resume(fleet, tmp_path / "nobody.sock")
    assert asked_for(fleet) == [["run", "requested"]]
