"""The browser engine, in its image, against the simulator."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fleet import docker
from tests.scrapers.fetch.containers import ELSEWHERE, INSIDE, Inside, Site, inside, wait_until

pytestmark = pytest.mark.docker

FEED = "/api/league/hot/upcoming/?leagueId=10016&req=s,stnf,c,mb"
STAKE_FEED = "/api/v1/br/pt-br/tournament/1000094569/live-upcoming"
FAULTS = {
    "403": "blocked",
    "429": "blocked",
    "challenge": "blocked",
    "500": "unavailable",
    "truncated": "unavailable",
    "drop": "unavailable",
    "huge": "changed",
    "huge_gzip": "changed",
    "redirect": "changed",
}


@pytest.fixture(scope="module")
def started_site() -> Iterator[Site]:
    with Site() as site:
        yield site


@pytest.fixture
def site(started_site: Site) -> Iterator[Site]:
    yield started_site
    started_site.simulator.reset()


@pytest.fixture(scope="module")
def bare_betano(started_site: Site) -> Iterator[Inside]:
    """Fetches from inside a page. Without retries, so that the first error shows."""
    with inside(started_site, "betano", bare=True, settings={"max_answer_mb": 2}) as running:
        yield running


@pytest.fixture(scope="module")
def fresh_betano(started_site: Site) -> Iterator[Inside]:
    """The same with a fresh page for each request."""
    settings = {"max_answer_mb": 2, "browser_requests": 1}
    with inside(started_site, "betano", bare=True, settings=settings) as running:
        yield running


@pytest.fixture(scope="module")
def bare_stake(started_site: Site) -> Iterator[Inside]:
    """Visits addresses of another host."""
    row = {"api": f"{ELSEWHERE}/stake"}
    with inside(started_site, "stake", bare=True, row=row, settings={"max_answer_mb": 2}) as running:
        yield running


def is_open(site: Site, scraper: str) -> bool:
    """A request of this scraper is being held."""
    return bool(site.simulator.requests(scraper)["open"])


@pytest.mark.parametrize("book", ["betano", "betbra", "stake"])
@pytest.mark.parametrize("host", [INSIDE, ELSEWHERE], ids=["in page", "visited"])
def test_a_whole_cycle(site: Site, book: str, host: str) -> None:
    with inside(site, book, row={"api": f"{host}/{book}"}) as running:
        collected = running.tell("collect")
        assert collected["error"] is None
        assert collected["events"] > 10
    asked = [line["request"] for line in site.simulator.requests(book)["last"]]
    assert any(line.startswith(f"GET /{book}/?") for line in asked) == (host == INSIDE)


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_of_the_page(site: Site, fresh_betano: Inside, fault: str) -> None:
    """The site itself is ill, so no page opens."""
    site.simulator.fault("betano", fault)
    refused = fresh_betano.get(FEED)
    assert refused.get("error") == FAULTS[fault], refused
    site.simulator.clear()
    assert fresh_betano.get(FEED)["status"] == 200


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_of_the_feed(site: Site, bare_betano: Inside, fault: str) -> None:
    assert bare_betano.get(FEED)["status"] == 200
    site.simulator.fault("betano", fault)
    refused = bare_betano.get(FEED)
    assert refused.get("error") == FAULTS[fault], refused


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_of_a_visited_feed(site: Site, bare_stake: Inside, fault: str) -> None:
    assert bare_stake.get(STAKE_FEED)["status"] == 200
    site.simulator.fault("stake", fault)
    refused = bare_stake.get(STAKE_FEED)
    assert refused.get("error") == FAULTS[fault], refused


def test_a_site_that_hangs(site: Site) -> None:
    with inside(site, "betano", settings={"browser_timeout": 10.0}) as running:
        site.simulator.fault("betano", "hang")
        refused = running.get(FEED)
        assert refused["error"] == "unavailable"
        assert "did not answer within 10 s" in refused["message"]
        site.simulator.clear()
        assert running.get(FEED)["status"] == 200


@pytest.mark.parametrize("role", ["browser", "renderer", "driver"])
def test_a_part_of_the_browser_is_killed(site: Site, role: str) -> None:
    """With a request in hand: it is told at once, and the next one finds a fresh browser."""
    with inside(site, "betano", bare=True) as running:
        assert running.get(FEED)["status"] == 200
        whole = running.processes()
        site.simulator.fault("betano", "hang", count=1)
        running.begin(FEED)
        wait_until(lambda: is_open(site, "betano"))
        running.tell("kill", role=role)
        assert running.tell("end")["error"] == "unavailable"
        assert running.get(FEED)["status"] == 200
        assert running.processes() == whole  # nothing of the old one is left
        assert running.browser()["starts"] == (1 if role == "renderer" else 2)


def test_killed_between_two_requests(site: Site) -> None:
    with inside(site, "betano") as running:
        assert running.get(FEED)["status"] == 200
        running.tell("kill", role="browser")
        assert running.get(FEED)["status"] == 200
        assert running.browser()["starts"] == 2


def test_a_cancelled_request_takes_its_page_along(site: Site) -> None:
    with inside(site, "betano") as running:
        assert running.get(FEED)["status"] == 200
        site.simulator.fault("betano", "hang", count=1)
        running.begin(FEED)
        wait_until(lambda: is_open(site, "betano"))
        assert running.tell("cancel") == {"cancelled": True}
        wait_until(lambda: not is_open(site, "betano"))
        wait_until(lambda: "renderer" not in running.processes())
        assert running.get(FEED)["status"] == 200


@pytest.mark.parametrize("moment", ["idle", "asking", "starting"])
def test_sigterm_leaves_nothing(site: Site, moment: str) -> None:
    with inside(site, "betano") as running:
        if moment != "starting":
            assert running.get(FEED)["status"] == 200
        if moment == "asking":
            site.simulator.fault("betano", "hang")
            running.begin(FEED)
            wait_until(lambda: is_open(site, "betano"))
        elif moment == "starting":
            running.begin(FEED)
            wait_until(lambda: "driver" in running.processes())
        docker("kill", "--signal", "TERM", running.name)
        assert running.hear() == {"closed": True, "processes": [], "left_in_tmp": []}
        assert running.exit_code() == 0


def test_pages_are_replaced_by_count(site: Site) -> None:
    with inside(site, "betano", settings={"browser_requests": 3}) as running:
        for _ in range(7):
            assert running.get(FEED)["status"] == 200
        assert running.browser()["recycled_by_count"] == 2
    page_visits = [line["request"] for line in site.simulator.requests("betano")["last"]].count("GET /betano/?")
    assert page_visits == 3


def test_no_more_pages_than_allowed(site: Site) -> None:
    with inside(site, "stake", row={"api": f"{ELSEWHERE}/stake"}, settings={"browser_pages": 2}) as running:
        site.simulator.fault("stake", "slow", delay=0.3)
        answers = running.tell("many", times=5, url=running.api + STAKE_FEED)["answers"]
        assert [answer["status"] for answer in answers] == [200] * 5
        assert running.processes().count("renderer") <= 2
    assert site.simulator.requests("stake")["max_concurrency"] <= 2


def test_scripts_of_a_page_are_stopped_so_it_cannot_leak(site: Site) -> None:
    site.simulator.fault("betano", "leak")
    with inside(site, "betano", memory="400m") as running:
        for _ in range(30):
            assert running.get(FEED)["status"] == 200
        browser = running.browser()
        assert browser["recycled_by_memory"] == 0
        assert not running.was_out_of_memory()


def test_pages_that_leak_are_replaced_before_memory_ends(site: Site) -> None:
    """Its scripts run, eating 80 MB a second: more than a gigabyte in all, inside 512 MB."""
    site.simulator.fault("betano", "leak")
    with inside(site, "betano", params={"scripts": "run"}, settings={"browser_memory_mb": 300}) as running:
        answered = 0
        while running.browser()["recycled_by_memory"] < 8:
            answered += running.get(FEED).get("status") == 200
        assert answered > 8
        assert running.browser()["starts"] == 1
        assert not running.was_out_of_memory()


def test_a_browser_at_rest_takes_no_processor_time(site: Site) -> None:
    """Time on a core, which a busy machine makes shorter and never longer."""
    with inside(site, "betano") as running:
        running.tell("collect")
        time.sleep(2)  # until the page has settled
        before = cpu_seconds(running)
        time.sleep(5)
        used = cpu_seconds(running) - before
        assert used < 0.5


def cpu_seconds(running: Inside) -> float:
    rows = docker("top", running.name, "-eo", "pid,args").splitlines()[1:]
    pids = [row.split()[0] for row in rows if "chromium" in row]
    assert pids
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(field[11]) + int(field[12]) for field in fields) / os.sysconf("SC_CLK_TCK")


def test_through_a_proxy_with_a_password(site: Site) -> None:
    with inside(site, "betano", through_proxy=True) as running:
        assert running.get(FEED)["status"] == 200
        assert running.tell("counts")["proxied"] >= 2  # the page and the feed


def test_images_differ_in_the_browser_only() -> None:
    shown = (
        "{{json .Config.Env}} {{.Config.User}} {{json .Config.Entrypoint}} {{json .Config.Cmd}} {{.Config.WorkingDir}}"
    )
    base, heavy = (
        docker("image", "inspect", "--format", shown, f"oddsfleet/{name}") for name in ("base", "playwright")
    )
    assert base == heavy
