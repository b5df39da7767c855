"""Each fault of a site is named rightly in the heartbeat, costs no data, and passes with the next good cycle."""

from pathlib import Path

import pytest

from tests.conftest import Simulator
from tests.fleet import Fleet
from tests.processes import ScraperProcess

pytestmark = pytest.mark.docker

FAULTS = {
    "403": "blocked",
    "429": "blocked",
    "challenge": "blocked",
    "500": "unavailable",
    "hang": "unavailable",
    "drop": "unavailable",
    "truncated": "unavailable",
    "malformed": "changed",
    "redirect": "changed",
    "huge": "changed",
    "huge_gzip": "changed",
    "empty": "empty",
}


def test_faults_have_their_own_names_and_pass(clean_superbet: Fleet, simulator: Simulator, tmp_path: Path) -> None:
    with ScraperProcess(clean_superbet, simulator.url, tmp_path, REQUEST_TIMEOUT="1") as scraper:
        scraper.await_cycle()
        for fault, kind in FAULTS.items():
            simulator.fault("superbet", fault)
            line = scraper.await_cycle(kind)
            assert not line.get("unformatted")
            status, error = clean_superbet.sql(
                "select outcome, error from scraper_cycles where scraper_name = 'superbet' and outcome <> 'ok'"
                " order by written_at desc limit 1"
            )[0]
            assert (status, bool(error)) == (kind, True), fault
            assert clean_superbet.value("select count(*) from odds where not suspended") != "0"
            simulator.clear()
            assert scraper.await_cycle()["odds"] > 0
        assert not any("Traceback" in str(line) or line.get("unformatted") for line in scraper.lines)


def test_hostile_events_leave_clean_data(clean_superbet: Fleet, simulator: Simulator, tmp_path: Path) -> None:
    simulator.fault("superbet", "hostile")
    with ScraperProcess(clean_superbet, simulator.url, tmp_path) as scraper:
        scraper.await_line(lambda line: "odds" in line)
    stored = clean_superbet.sql("select name from teams")
    assert stored
    for (name,) in stored:
        assert name.isprintable()
        assert len(name) <= 80
    assert clean_superbet.value("select count(*) from odds where price <= 1 or price > 10000") == "0"
    assert clean_superbet.value("select count(*) from dead_letters") == "0"
    assert clean_superbet.value("select extra_data -> 'skipped' <> '{}' from scraper_status") == "t"
