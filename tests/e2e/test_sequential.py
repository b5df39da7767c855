"""All light scrapers in turn in one process, against the simulator."""

import signal
from pathlib import Path

import pytest

from scrapers import catalog
from scrapers.sequential import chosen
from tests.conftest import Simulator
from tests.e2e.test_stopping import await_request
from tests.fleet import Fleet
from tests.processes import LoggedProcess

pytestmark = pytest.mark.docker

LIGHT = [book.name for book in catalog.BOOKMAKERS if not book.is_heavy]


def sequential(fleet: Fleet, simulator: Simulator, folder: Path, **environment: str) -> LoggedProcess:
    settings = {
        "SIMULATOR_URL": simulator.url,
        "SPOOL_DIR": str(folder / "spool"),
        "REQUEST_GAP": "0",
        "BET365_FEED_KEY": "simulated",
        **environment,
    }
    return LoggedProcess(fleet, "scrapers", "sequential", "--mode", "light", **settings)


def test_every_mode_takes_its_own_in_the_order_of_the_catalog() -> None:
    heavy = [book.name for book in catalog.BOOKMAKERS if book.is_heavy]
    assert [book.name for book in chosen(catalog.BOOKMAKERS, "light")] == LIGHT
    assert [book.name for book in chosen(catalog.BOOKMAKERS, "heavy")] == heavy
    assert [book.name for book in chosen(catalog.BOOKMAKERS, "all")] == LIGHT + heavy


def test_a_round_takes_all_in_order_and_a_sick_one_costs_only_its_own_turn(
    clean_superbet: Fleet, simulator: Simulator, tmp_path: Path
) -> None:
    simulator.fault("kto", "hang")
    with sequential(clean_superbet, simulator, tmp_path, CYCLE_TIMEOUT="2") as process:
        process.await_line(lambda line: line["event"].startswith("round 1:"))
        cycles = [(line["scraper"], line["outcome"]) for line in process.lines if "inserted" in line]
        process.send(signal.SIGTERM)
        assert process.await_exit() == 0
    seen = dict(cycles)
    assert list(dict.fromkeys(name for name, _ in cycles))[: len(LIGHT)] == LIGHT
    assert seen.pop("kto") == "timeout"
    assert set(seen.values()) == {"ok"}
    beats = dict(clean_superbet.sql("select scraper_name, computed_status from scraper_status_view"))
    assert {name for name, status in beats.items() if status == "ok"} == set(LIGHT) - {"kto"}
    assert clean_superbet.value("select count(*) from scraper_leases where released_at is null") == "0"


def test_a_stop_ends_after_the_scraper_in_hand(clean_superbet: Fleet, simulator: Simulator, tmp_path: Path) -> None:
    simulator.fault("superbet", "slow", delay=1)
    with sequential(clean_superbet, simulator, tmp_path) as process:
        await_request(simulator, 1)
        process.send(signal.SIGTERM)
        assert process.await_exit() == 0
    assert clean_superbet.sql("select scraper_name, outcome from scraper_cycles") == [["superbet", "ok"]]
