"""All nineteen scrapers in their containers, against the simulator and its answer key."""

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import httpx
import pytest

from scrapers import catalog
from tests.fleet import Fleet

pytestmark = pytest.mark.docker

SCRAPERS = [book.name for book in catalog.BOOKMAKERS]
SERVICES = [book.service for book in catalog.BOOKMAKERS]
SICK = {"kto": "always exit", "estrelabet": "always await", "sportingbet": "always memory"}  # see tests/faulty.py
PATIENCE = 300.0  # nineteen containers on two busy cores, five of them with a browser that waits for its turn


@pytest.fixture(scope="module")
def nineteen(fleet: Fleet) -> Iterator[Fleet]:
    """The whole fleet, on a world that stands still, so that what is stored can be compared with what was shown."""
    fleet.sql(
        "truncate scraper_status, scraper_cycles, scraper_leases, dead_letters, unmatched_names, odds, odds_history,"
        " match_sources, matches, team_aliases, teams restart identity cascade"
    )
    fleet.start("simulator")
    fleet.wait_for("simulator", 9000)
    control(fleet, "POST", "/prices", {"freeze": True})
    fleet.start(*SERVICES)
    await_all(fleet, "outcome = 'ok'")
    yield fleet
    fleet.compose("rm", "--stop", "--force", "simulator", *SERVICES)


def control(fleet: Fleet, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401
    url = f"http://{fleet.host_port('simulator', 9000)}/_control{path}"
    return httpx.request(method, url, json=body, timeout=30).raise_for_status().json()


def await_all(
    fleet: Fleet, condition: str, scrapers: Sequence[str] = SCRAPERS, cycles: int = 1, services: Sequence[str] = ()
) -> None:
    """Until each of them has written so many cycles of this kind."""
    deadline = time.monotonic() + PATIENCE
    counted = f"select scraper_name from scraper_cycles where {condition} group by 1 having count(*) >= {cycles}"
    while True:
        if missing := set(scrapers) - {name for (name,) in fleet.sql(counted)}:
            services = services or [catalog.get(name).service for name in sorted(missing)]
            assert time.monotonic() < deadline, f"{missing}\n{fleet.logs(*services)}"
            time.sleep(1)
        else:
            return


def test_every_pair_is_what_the_answer_key_says(nineteen: Fleet) -> None:
    key = control(nineteen, "GET", "/answers")["books"]
    by_match: dict[str, set[int]] = defaultdict(set)
    by_fixture: dict[int, set[str]] = defaultdict(set)
    rows = nineteen.sql("select scraper_name, external_id, match_id, swapped from match_sources")
    for scraper, event, match, swapped in rows:
        answer = key[scraper][event.rpartition(":")[2]]  # sportingbet puts a prefix before its numbers
        by_match[match].add(answer["fixture"])
        by_fixture[answer["fixture"]].add(match)
        assert (swapped == "t") == answer["swapped"], (scraper, answer)
    assert len(by_match) > 60
    assert {match: fixtures for match, fixtures in by_match.items() if len(fixtures) > 1} == {}, (
        "two fixtures in one match"
    )
    assert {fixture: ids for fixture, ids in by_fixture.items() if len(ids) > 1} == {}, "one fixture as two matches"


def test_prices_are_those_of_the_boards_the_right_way_round(nineteen: Fleet) -> None:
    stored = {
        (scraper, event.rpartition(":")[2], market, outcome): float(price)
        for scraper, event, market, outcome, price in nineteen.sql(
            "select s.scraper_name, s.external_id, o.market, o.outcome, o.price from odds o"
            " join match_sources s using (match_id, bookmaker_id) where not o.suspended"
        )
    }
    compared = 0
    for scraper in SCRAPERS:
        for line in control(nineteen, "GET", f"/board/{scraper}")["lines"]:
            for market, prices in line["markets"].items():
                for outcome, price in prices.items():
                    found = stored.get((scraper, str(line["event_id"]), market, outcome))
                    if found is not None:
                        assert found == pytest.approx(price, abs=0.011), (scraper, line, market, outcome)
                        compared += 1
    assert compared == len(stored)


def test_nothing_was_refused_and_nobody_restarted(nineteen: Fleet) -> None:
    assert nineteen.value("select count(*) from dead_letters") == "0"
    for service in SERVICES:
        assert nineteen.inspect(service, "{{.RestartCount}} {{.State.OOMKilled}}") == "0 false", service


def test_three_sick_scrapers_cost_the_other_sixteen_no_cycle(nineteen: Fleet) -> None:
    """bench.isolation compares their cycle times with and without the three."""
    well = [name for name in SCRAPERS if name not in SICK]
    epochs = dict(nineteen.sql("select scraper_name, epoch from scraper_leases"))
    for scraper, fault in SICK.items():
        command = f"echo {fault} >/var/spool/oddsfleet/fault-{scraper}"
        nineteen.compose("exec", "-T", "scraper-superbet", "sh", "-c", command)
    await_restarts(nineteen, "kto", 3)
    await_restarts(nineteen, "sportingbet", 1)
    began = nineteen.value("select now()")
    hung = nineteen.value("select max(started_at) from scraper_cycles where scraper_name = 'estrelabet'")
    await_all(nineteen, f"outcome = 'ok' and started_at > '{began}'", well, cycles=2)

    assert nineteen.inspect("scraper-sportingbet", "{{.State.OOMKilled}}") == "true"
    assert nineteen.value("select max(started_at) from scraper_cycles where scraper_name = 'estrelabet'") == hung
    now = dict(nineteen.sql("select scraper_name, epoch from scraper_leases"))
    assert {name: now[name] for name in well} == {name: epochs[name] for name in well}, "nobody else began anew"
    missed = nineteen.sql(
        "select scraper_name, count(*), min(number), max(number) from scraper_cycles group by scraper_name, epoch"
        " having count(*) <> max(number) - min(number) + 1"
    )
    assert [row for row in missed if row[0] in well] == []
    for scraper in SICK:
        nineteen.compose("exec", "-T", "scraper-superbet", "rm", f"/var/spool/oddsfleet/fault-{scraper}")
    nineteen.compose("kill", *(catalog.get(scraper).service for scraper in SICK))


def await_restarts(fleet: Fleet, scraper: str, count: int) -> None:
    service = catalog.get(scraper).service
    deadline = time.monotonic() + PATIENCE
    while int(fleet.inspect(service, "{{.RestartCount}}")) < count:
        assert time.monotonic() < deadline, fleet.logs(service)
        time.sleep(0.5)


def test_the_single_process_takes_over_and_runs_all_of_them(nineteen: Fleet) -> None:
    """`python -m scrapers all`, the fallback for debugging: the same code, the same rows, the same clean stop."""
    nineteen.compose("stop", *SERVICES)
    codes = {name: nineteen.inspect(catalog.get(name).service, "{{.State.ExitCode}}") for name in SCRAPERS}
    assert {name for name, code in codes.items() if code != "0"} <= set(SICK)
    epochs = dict(nineteen.sql("select scraper_name, epoch from scraper_leases"))
    nineteen.compose("--profile", "everything", "up", "--detach", "--no-deps", "everything")
    began = nineteen.value("select now()")
    await_all(nineteen, f"outcome = 'ok' and started_at > '{began}'", SCRAPERS, cycles=1, services=["everything"])
    now = dict(nineteen.sql("select scraper_name, epoch from scraper_leases"))
    assert all(int(now[name]) > int(epochs[name]) for name in SCRAPERS)
    assert nineteen.cycles_written_by_an_older_instance() == 0
    nineteen.compose("stop", "everything")
    state = nineteen.inspect("everything", "{{.State.ExitCode}} {{.State.OOMKilled}} {{.RestartCount}}")
    nineteen.compose("rm", "--force", "everything")
    assert state == "0 false 0"
    assert nineteen.value("select count(*) from scraper_leases where released_at is null") == "0"
