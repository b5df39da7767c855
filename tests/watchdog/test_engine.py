"""Docker over a connection that may have died since it was used last."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from docker.errors import DockerException
from requests.exceptions import ConnectionError as Disconnected
from urllib3.exceptions import ProtocolError

from dashboard.source import CONTAINERS_EVERY
from tests.dockerd import Dockerd, dockerd
from watchdog.engine import ENGINE_ERRORS, Engine, EngineDown, reason
from watchdog.policy import Policy

HAPROXY = Path(__file__).parent.parent.parent / "images/docker-proxy/haproxy.cfg"


@pytest.fixture
def docker(tmp_path: Path) -> Iterator[Dockerd]:
    with dockerd(tmp_path) as server:
        yield server


@pytest.fixture
def engine(docker: Dockerd) -> Iterator[Engine]:
    engine = Engine(docker.url, "oddsfleet")
    yield engine
    engine.forget_connection()


def test_a_connection_that_died_while_nobody_used_it_is_no_outage(docker: Dockerd, engine: Engine) -> None:
    assert engine.containers() == []
    docker.hang_up_at = [1]
    assert engine.containers() == []
    assert docker.asked.count("GET containers/json") == 3


def test_what_is_away_is_told_in_words(docker: Dockerd, engine: Engine) -> None:
    docker.hangs_up_always = True
    with pytest.raises(EngineDown) as down:
        engine.containers()
    assert "docker.sock: Remote end closed connection without response. `make logs" in str(down.value)
    assert docker.asked.count("GET containers/json") == 2
    nobody = ProtocolError("Connection aborted.", FileNotFoundError(2, "No such file or directory"))
    unversioned = DockerException(f"Error while fetching server API version: {nobody}")
    unversioned.__cause__ = Disconnected(nobody)
    assert reason(unversioned) == "No such file or directory"


@pytest.mark.parametrize("change", ["restart", "stop", "start"])
def test_a_change_is_never_asked_for_twice(docker: Dockerd, engine: Engine, change: str) -> None:
    docker.hangs_up_always = True
    act = getattr(engine, change)
    with pytest.raises(ENGINE_ERRORS) as failed:
        act("kto") if change == "start" else act("kto", 1.0)
    assert docker.asked.count(f"POST containers/kto/{change}") == 1
    assert reason(failed.value) == "Remote end closed connection without response"


def test_the_door_stays_open_from_one_look_to_the_next() -> None:
    """Shut just then, every look would be a gamble."""
    (kept,) = [line.split()[2] for line in HAPROXY.read_text().splitlines() if "timeout http-keep-alive" in line]
    assert int(kept.removesuffix("m")) * 60 > 2 * max(Policy().poll, CONTAINERS_EVERY)
