"""Clean stops: nothing half done, exit code 0, inside the grace period."""

import signal
import time
from pathlib import Path

import pytest

from tests.conftest import Simulator
from tests.fleet import Fleet
from tests.processes import PATIENCE, ScraperProcess

pytestmark = pytest.mark.docker


def await_request(simulator: Simulator, count: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while simulator.requests("superbet")["count"] < count:
        assert time.monotonic() < deadline, "the scraper never asked"
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_in_the_middle_of_a_cycle_stores_the_cycle(
    clean_superbet: Fleet, simulator: Simulator, tmp_path: Path, number: signal.Signals
) -> None:
    simulator.fault("superbet", "slow", delay=1)
    with ScraperProcess(clean_superbet, simulator.url, tmp_path, interval=30) as scraper:
        await_request(simulator, 1)
        scraper.send(number)
        assert scraper.await_exit() == 0
        outcomes = [line["outcome"] for line in scraper.lines if "arrived" in line]
    assert outcomes == ["ok"]
    assert clean_superbet.sql("select outcome, collected > 0 from scraper_cycles") == [["ok", "t"]]
    assert clean_superbet.value("select released_at is not null from scraper_leases") == "t"


def test_a_hung_cycle_is_cancelled_before_the_grace_period_ends(
    clean_superbet: Fleet, simulator: Simulator, tmp_path: Path
) -> None:
    simulator.fault("superbet", "hang")
    with ScraperProcess(clean_superbet, simulator.url, tmp_path, REQUEST_TIMEOUT="100", STOP_GRACE="4") as scraper:
        await_request(simulator, 1)
        scraper.send(signal.SIGTERM)
        assert scraper.await_exit() == 0
        assert any("cancelled before the grace period ended" in line["event"] for line in scraper.lines)


def test_a_second_signal_stops_at_once(clean_superbet: Fleet, simulator: Simulator, tmp_path: Path) -> None:
    simulator.fault("superbet", "hang")
    with ScraperProcess(clean_superbet, simulator.url, tmp_path, REQUEST_TIMEOUT="100", STOP_GRACE="600") as scraper:
        await_request(simulator, 1)
        scraper.send(signal.SIGINT)
        scraper.await_line(lambda line: "stopping after the cycle in hand" in line["event"])
        scraper.send(signal.SIGINT)
        assert scraper.await_exit() == 0


def test_a_cycle_has_its_timeout(clean_superbet: Fleet, simulator: Simulator, tmp_path: Path) -> None:
    simulator.fault("superbet", "hang")
    with ScraperProcess(clean_superbet, simulator.url, tmp_path, CYCLE_TIMEOUT="1") as scraper:
        scraper.await_cycle("timeout")
        simulator.clear()
        scraper.await_cycle()
