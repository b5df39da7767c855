"""Docker over a connection that may have died since it was used last."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from docker.errors import DockerException
from requests.exceptions import ConnectionError as Disconnected
from urllib3.exceptions import ProtocolError

from dashboard.source import CONTAINERS_EVERY
from tests.severing import SeveringDoor, severing_door
from watchdog.engine import ENGINE_ERRORS, Engine, EngineDown, reason
from watchdog.policy import Policy

pytestmark = pytest.mark.docker

HAPROXY = Path(__file__).parent.parent.parent / "images/docker-proxy/haproxy.cfg"


@pytest.fixture
def door(tmp_path: Path) -> Iterator[SeveringDoor]:
    with severing_door(tmp_path) as door:
        yield door


@pytest.fixture
def engine(door: SeveringDoor) -> Iterator[Engine]:
    engine = Engine(door.url, "oddsfleet-nobody")
    yield engine
    engine.forget_connection()


def test_a_connection_that_died_while_nobody_used_it_is_no_outage(door: SeveringDoor, engine: Engine) -> None:
    assert engine.containers() == []
    door.hangs_up_on_used = True
    assert engine.containers() == []
    assert door.asked.count("GET containers/json") == 3


def test_what_is_away_is_told_in_words(door: SeveringDoor, engine: Engine) -> None:
    door.hangs_up_always = True
    with pytest.raises(EngineDown) as down:
        engine.containers()
    assert "docker.sock: Remote end closed connection without response. `make logs" in str(down.value)
    assert door.asked.count("GET containers/json") == 2
    nobody = ProtocolError("Connection aborted.", FileNotFoundError(2, "No such file or directory"))
    unversioned = DockerException(f"Error while fetching server API version: {nobody}")
    unversioned.__cause__ = Disconnected(nobody)
    assert reason(unversioned) == "No such file or directory"


@pytest.mark.parametrize("change", ["restart", "stop", "start"])
def test_a_change_is_never_asked_for_twice(door: SeveringDoor, engine: Engine, change: str) -> None:
    door.hangs_up_always = True
    act = getattr(engine, change)
    with pytest.raises(ENGINE_ERRORS) as failed:
        act("kto") if change == "start" else act("kto", 1.0)
    assert door.asked.count(f"POST containers/kto/{change}") == 1
    assert reason(failed.value) == "Remote end closed connection without response"


def test_the_door_stays_open_from_one_look_to_the_next() -> None:
    """Shut just then, every look would be a gamble."""
    (kept,) = [line.split()[2] for line in HAPROXY.read_text().splitlines() if "timeout http-keep-alive" in line]
    assert int(kept.removesuffix("m")) * 60 > 2 * max(Policy().poll, CONTAINERS_EVERY)
