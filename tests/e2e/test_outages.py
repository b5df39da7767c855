"""The database away, and two instances at once: every cycle arrives once, in order, from one writer."""

import signal
from pathlib import Path

import pytest

from tests.conftest import Simulator
from tests.fleet import Fleet, docker
from tests.processes import ScraperProcess

pytestmark = pytest.mark.docker


def written(scraper: ScraperProcess) -> list[int]:
    return [line["cycle"] for line in scraper.lines if "arrived" in line]


def assert_all_there_once_in_order(fleet: Fleet, cycles: list[int]) -> None:
    rows = fleet.sql(
        "select number from scraper_cycles where scraper_name = 'superbet' order by written_at, finished_at"
    )
    assert [int(number) for (number,) in rows] == cycles


def test_api_away_for_a_minute_loses_and_doubles_nothing(
    clean_superbet: Fleet, simulator: Simulator, tmp_path: Path
) -> None:
    with ScraperProcess(clean_superbet, simulator.url, tmp_path, interval=1) as scraper:
        scraper.await_cycle()
        docker("kill", clean_superbet.container("supabase"))
        for _ in range(60):  # one a second
            scraper.await_cycle(arrived="spooled")
        clean_superbet.start("supabase")
        scraper.await_line(lambda line: "0 still wait" in line["event"])
        scraper.await_cycle()
        scraper.send(signal.SIGTERM)
        assert scraper.await_exit() == 0
        assert_all_there_once_in_order(clean_superbet, written(scraper))


def test_database_away_loses_and_doubles_nothing(clean_superbet: Fleet, simulator: Simulator, tmp_path: Path) -> None:
    with ScraperProcess(clean_superbet, simulator.url, tmp_path) as scraper:
        scraper.await_cycle()
        docker("pause", clean_superbet.container("supabase"))
        docker("unpause", clean_superbet.container("supabase"))
        scraper.await_cycle()
        clean_superbet.compose("stop", "--timeout", "0", "db")
        for _ in range(5):
            scraper.await_cycle(arrived="spooled")
        clean_superbet.start("supabase")
        scraper.await_line(lambda line: "0 still wait" in line["event"])
        scraper.await_cycle()
        scraper.send(signal.SIGTERM)
        assert scraper.await_exit() == 0
        assert_all_there_once_in_order(clean_superbet, written(scraper))


def test_a_killed_database_keeps_no_half_cycle(clean_superbet: Fleet, simulator: Simulator, tmp_path: Path) -> None:
    """PostgreSQL is killed while cycles are written as fast as they come."""
    with ScraperProcess(clean_superbet, simulator.url, tmp_path, interval=0.1) as scraper:
        for _ in range(3):
            scraper.await_cycle()
            docker("kill", "--signal", "KILL", clean_superbet.container("db"))
            scraper.await_cycle(arrived="spooled")
            clean_superbet.start("supabase")
            clean_superbet.wait_for_supabase()
            scraper.await_line(lambda line: "0 still wait" in line["event"])
        scraper.send(signal.SIGTERM)
        assert scraper.await_exit() == 0
        assert_all_there_once_in_order(clean_superbet, written(scraper))
    # A cycle is whole when its heartbeat's count of changes and its history agree.
    torn = clean_superbet.sql(
        "select c.cycle_id from scraper_cycles c"
        " left join odds_history h on h.cycle_id = c.cycle_id and h.price is not null"
        " group by c.cycle_id, c.inserted having count(h.id) <> c.inserted"
    )
    assert torn == []


def test_the_older_of_two_instances_says_why_and_stops(
    clean_superbet: Fleet, simulator: Simulator, tmp_path: Path
) -> None:
    with ScraperProcess(clean_superbet, simulator.url, tmp_path / "old") as older:
        older.await_cycle()
        with ScraperProcess(clean_superbet, simulator.url, tmp_path / "new") as newer:
            newer.await_cycle()
            why = older.await_line(lambda line: "a newer instance writes" in line["event"])
            assert "took over" in why["event"]
            assert older.await_exit() == 0
            newer.await_cycle()
            newest = clean_superbet.value("select max(epoch) from scraper_leases")
            last = clean_superbet.sql("select epoch from scraper_cycles order by written_at desc limit 1")
            assert last == [[newest]]
    # From the moment the newer one wrote, the older one wrote nothing.
    assert clean_superbet.cycles_written_by_an_older_instance() == 0


def test_a_scraper_starts_without_the_database(clean_superbet: Fleet, simulator: Simulator, tmp_path: Path) -> None:
    with ScraperProcess(clean_superbet, simulator.url, tmp_path, SUPABASE_URL="http://127.0.0.1:1") as scraper:
        scraper.await_cycle(arrived="spooled")
    with ScraperProcess(clean_superbet, simulator.url, tmp_path) as successor:
        successor.await_line(lambda line: "0 still wait" in line["event"])
    assert clean_superbet.value("select min(number) || ' ' || min(epoch) from scraper_cycles") == "1 0"
