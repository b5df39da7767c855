"""All nineteen scrapers in their containers, against the simulator and its answer key."""

import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from scrapers import catalog
from tests.fleet import Fleet

pytestmark = pytest.mark.docker

SCRAPERS = [book.name for book in catalog.BOOKMAKERS]
SERVICES = [book.service for book in catalog.BOOKMAKERS]
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


def await_all(fleet: Fleet, condition: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        there = {name for (name,) in fleet.sql(f"select distinct scraper_name from scraper_cycles where {condition}")}
        if missing := set(SCRAPERS) - there:
            services = [catalog.get(name).service for name in sorted(missing)]
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


def test_a_stop_of_every_kind_of_scraper_exits_zero_and_leaves_no_browser(nineteen: Fleet) -> None:
    stopped = ["scraper-superbet", "scraper-novibet", "scraper-betano", "scraper-esportivabet"]
    nineteen.compose("stop", *stopped)
    for service in stopped:
        assert nineteen.inspect(service, "{{.State.ExitCode}}") == "0", service
    nineteen.start(*stopped)
