"""The browser opens the site once; what it was given serves plain HTTP."""

from collections.abc import Iterator

import pytest

from scrapers.fetch.once import FIRST_REST, LONGEST_REST, Schedule
from tests.scrapers.fetch.containers import Site, inside


@pytest.fixture(scope="module")
def started_site() -> Iterator[Site]:
    with Site() as site:
        yield site


@pytest.fixture
def site(started_site: Site) -> Iterator[Site]:
    yield started_site
    started_site.simulator.reset()


def test_the_first_visit_is_due_at_once_and_no_second_while_all_is_well() -> None:
    schedule = Schedule()
    assert schedule.is_due(0.0)
    schedule.visited(0.0)
    schedule.succeeded()
    schedule.answered()
    assert not schedule.is_due(1e9)


def test_visits_that_do_not_help_become_rare() -> None:
    schedule, now, rests = Schedule(), 0.0, []
    for _ in range(9):
        assert schedule.is_due(now)
        rests.append(schedule.visited(now))
        schedule.succeeded()
        schedule.refused()
        assert not schedule.is_due(now + rests[-1] - 1)
        now += rests[-1]
    assert rests == [60, 120, 240, 480, 960, 1920, 3600, 3600, LONGEST_REST]
    schedule.answered()
    assert schedule.visited(now) == FIRST_REST


def test_another_address_starts_over() -> None:
    schedule = Schedule()
    for _ in range(5):
        schedule.visited(0.0)
    schedule.start_over()
    assert schedule.is_due(0.0)
    assert schedule.visited(0.0) == FIRST_REST


@pytest.mark.docker
@pytest.mark.parametrize("book", ["aposta1", "esportivabet"])
def test_a_whole_cycle(site: Site, book: str) -> None:
    with inside(site, book) as running:
        assert running.tell("collect")["error"] is None
        assert running.processes() == []
        assert running.browser() == {"visits": 1}
        assert running.tell("collect")["events"] > 10
        assert running.browser() == {"visits": 1}


@pytest.mark.docker
def test_cookie_and_token_of_the_page_open_the_api(site: Site) -> None:
    with inside(site, "aposta1", at_token_site=True, bare=True) as running:
        for _ in range(3):
            assert running.get("/feed")["status"] == 200
        assert running.tell("counts")["visits"] == 1
        running.tell("expire")
        assert running.get("/feed")["status"] == 200
        assert running.tell("counts")["visits"] == 2
        assert running.processes() == []


@pytest.mark.docker
def test_no_visit_again_before_its_time(site: Site) -> None:
    with inside(site, "aposta1", at_token_site=True) as running:
        assert running.get("/feed")["status"] == 200
        running.tell("expire")
        assert running.get("/feed")["error"] == "blocked"
        assert running.tell("counts")["visits"] == 1


@pytest.mark.docker
@pytest.mark.parametrize(("fault", "error"), [("challenge", "blocked"), ("403", "blocked"), ("500", "unavailable")])
def test_a_site_that_is_ill(site: Site, fault: str, error: str) -> None:
    site.simulator.fault("aposta1", fault)
    with inside(site, "aposta1") as running:
        assert running.tell("collect")["error"] == error
        assert running.processes() == []


@pytest.mark.docker
def test_a_page_that_does_not_open_is_no_reason_not_to_ask(site: Site) -> None:
    site.simulator.fault("aposta1", "challenge", count=1)
    with inside(site, "aposta1") as running:
        assert running.tell("collect")["error"] is None
