"""The fault suite: real containers are hurt, and the watchdog names the cause, heals what can be healed, and tells it
once. Faults that do not disturb each other go to different scrapers at once; what needs the whole fleet runs alone."""

import os
import re
import signal
from collections.abc import Iterator

import httpx
import pytest

from tests.fleet import docker, make_secrets
from tests.watched import Watched, disconnect, watched_fleet

pytestmark = pytest.mark.docker

SCRAPERS = (
    "superbet", "novibet", "kto", "estrelabet", "sportingbet", "betnacional", "br4bet", "mcgames", "jogodeouro",
    "tradeball", "bet365", "br4bet_nba", "mcgames_nba", "jogodeouro_nba",
)  # fmt: skip
UNTOUCHED = ("bet365", "jogodeouro_nba")


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    watched = watched_fleet(make_secrets(tmp_path_factory.mktemp("secrets")), SCRAPERS)
    services = [f"scraper-{name.replace('_', '-')}" for name in SCRAPERS]
    try:
        watched.fleet.start("supabase", "simulator", "docker-proxy", "watchdog", *services)
        watched.await_odds(*SCRAPERS)
        watched.await_calm()
        yield watched
    finally:
        watched.fleet.remove()


@pytest.fixture
def watched(fleet: Watched) -> Iterator[Watched]:
    """Everything well, and nothing told yet."""
    fleet.await_odds(*SCRAPERS)
    fleet.await_calm()
    fleet.fleet.sql("truncate incidents, restart_events")
    httpx.delete(f"{fleet.simulator}/_control/discord").raise_for_status()
    yield fleet
    fleet.clear_site_faults()


def assert_told_once(watched: Watched, scraper: str) -> None:
    """One message, which ends green with its duration."""
    (message,) = watched.messages(scraper)
    assert message["embeds"][0]["title"].startswith("✅"), message["embeds"][0]["title"]
    assert any(field["name"] == "Duração" for field in message["embeds"][0]["fields"])


def cycles_are_whole(watched: Watched) -> None:
    """None doubled; none lost between two that were written."""
    fleet = watched.fleet
    assert fleet.cycles_written_by_an_older_instance() == 0
    gaps = fleet.sql(
        "select scraper_name, epoch, count(*), max(number) - min(number) + 1 from scraper_cycles where epoch > 0"
        " group by scraper_name, epoch having count(*) <> max(number) - min(number) + 1"
    )
    assert gaps == []


def test_every_cause_by_its_name(watched: Watched) -> None:
    before = {name: watched.started_at(name) for name in SCRAPERS}
    watched.inject("novibet", "always exit after 11")
    watched.signal_python("novibet", signal.SIGKILL)
    watched.signal_python("mcgames", signal.SIGKILL)
    watched.signal_python("kto", signal.SIGSTOP)
    watched.inject("estrelabet", "await")
    watched.inject("sportingbet", "loop")
    docker("pause", watched.container("betnacional"))
    watched.inject("br4bet", "memory")
    watched.site_fault("superbet", "empty")
    watched.site_fault("jogodeouro", "403")
    watched.site_fault("tradeball", "429")
    watched.site_fault("br4bet_nba", "malformed")
    watched.site_fault("mcgames_nba", "500")

    site = {
        "superbet": "empty", "jogodeouro": "blocked", "tradeball": "blocked", "br4bet_nba": "changed",
        "mcgames_nba": "site_down",
    }  # fmt: skip
    for scraper, cause in {**site, "betnacional": "stopped_by_hand"}.items():
        watched.await_incident(scraper, cause)
    for scraper, cause in {
        "mcgames": "crash", "kto": "hang", "estrelabet": "hang", "sportingbet": "hang", "br4bet": "out_of_memory",
    }.items():  # fmt: skip
        watched.await_incident(scraper, cause, "closed")
    watched.eventually(
        "the circuit of novibet opens",
        lambda: watched.fleet.value("select circuit from scraper_control where unit = 'novibet'") == "open",
    )
    watched.inject("novibet", "")
    docker("unpause", watched.container("betnacional"))
    watched.clear_site_faults()
    watched.await_incident("novibet", "crash_loop", "closed")
    watched.await_calm()

    # Restarts: none where they do not help, one where they do, Docker's own charged.
    for scraper in site:
        assert [row[1:] for row in watched.incidents(scraper)] == [["0", "closed"]], scraper
        assert watched.restarts(scraper) == [], scraper
        assert watched.started_at(scraper) == before[scraper], scraper
    assert watched.started_at("betnacional") == before["betnacional"]
    for scraper in ("mcgames", "br4bet"):
        assert watched.restarts(scraper) == [["docker", "t", "verified"]], scraper
    for scraper in ("kto", "estrelabet", "sportingbet"):
        assert watched.restarts(scraper) == [["watchdog", "t", "verified"]], scraper
    crashes = watched.restarts("novibet")
    assert [row[0] for row in crashes] == ["docker"] * (len(crashes) - 1) + ["watchdog"]
    assert len(crashes) == 6  # the budget of five, and the try after the pause

    # One incident and one message each; the rest of the fleet was not touched.
    for scraper in set(SCRAPERS) - set(UNTOUCHED):
        assert len(watched.incidents(scraper)) == 1, watched.story()
        assert_told_once(watched, scraper)
    for scraper in UNTOUCHED:
        assert watched.incidents(scraper) == [], watched.story()
        assert watched.started_at(scraper) == before[scraper]
        assert watched.messages(scraper) == []
    cycles_are_whole(watched)

    # Evidence was kept before the kill: the stack names the loop.
    assert "faulty.py" in watched.evidence("sportingbet", "stacks")
    assert re.search(r"\d+ T", watched.evidence("kto", "processes"))
    assert int(watched.fleet.value("select min(jsonb_array_length(evidence -> 'log')) from incidents")) > 0


def test_the_database_away_restarts_nobody(watched: Watched) -> None:
    before = {name: watched.started_at(name) for name in SCRAPERS}
    watched.fleet.compose("stop", "--timeout", "0", "db")
    watched.eventually("the outage is told without the database", lambda: len(watched.messages("Frota")) == 1)
    watched.fleet.start("supabase")
    watched.eventually(
        "the outage is remembered",
        lambda: (
            watched.fleet.sql("select cause from incidents where subject = '*' and closed_at is not null")
            == [["database_down"]]
        ),
    )
    watched.await_odds(*SCRAPERS)
    watched.await_calm()
    assert {name: watched.started_at(name) for name in SCRAPERS} == before
    assert_told_once(watched, "Frota")
    assert watched.fleet.value("select count(*) from restart_events") == "0"
    assert watched.fleet.value("select count(*) from incidents") == "1", watched.story()
    cycles_are_whole(watched)


def test_a_watchdog_killed_in_the_middle_of_a_restart(watched: Watched) -> None:
    """Its successor finds the restart decided, and makes no second one."""
    watched.signal_python("kto", signal.SIGSTOP)
    watched.eventually("the restart is decided", lambda: watched.restarts("kto") != [])
    rows = docker("top", watched.fleet.container("watchdog"), "-eo", "pid,args").splitlines()[1:]
    (pid,) = [int(row.split()[0]) for row in rows if "docker-init" not in row]
    os.kill(pid, signal.SIGKILL)
    watched.await_incident("kto", "hang", "closed")
    watched.await_calm()
    assert watched.restarts("kto") == [["watchdog", "t", "verified"]]
    assert_told_once(watched, "kto")


def test_discord_refusing_loses_and_doubles_nothing(watched: Watched) -> None:
    watched.site_fault("discord", "429", count=2, retry_after=2)
    watched.signal_python("superbet", signal.SIGKILL)
    watched.eventually("told after 429", lambda: len(watched.messages("superbet")) == 1)
    watched.site_fault("discord", "500", count=2)
    watched.await_incident("superbet", "crash", "closed")
    watched.await_calm()
    assert_told_once(watched, "superbet")


def test_the_operator_is_obeyed(watched: Watched) -> None:
    """Paused and resumed, restarted on request: through the watchdog, not charged, and no alarm."""
    run = ("run", "--rm", "--no-deps", "operator", "watchdog")
    watched.fleet.compose(*run, "pause", "superbet")
    state = "{{.State.Status}}"
    watched.eventually(
        "it is stopped", lambda: docker("inspect", "-f", state, watched.container("superbet")) == "exited"
    )
    assert "runs and has brought odds" in watched.fleet.compose(*run, "resume", "superbet")
    assert "runs and has brought odds" in watched.fleet.compose(*run, "restart", "kto")
    assert watched.restarts("superbet") == watched.restarts("kto") == [["operator", "f", "verified"]]
    assert watched.fleet.value("select count(*) from incidents") == "0", watched.story()


def test_a_scraper_cut_off_from_the_network(watched: Watched) -> None:
    """Its rows do not arrive, though it works: no restart helps, and none is made."""
    network, name = f"{watched.fleet.project}_default", watched.container("mcgames")
    before = watched.started_at("mcgames")
    disconnect(network, name)
    watched.await_incident("mcgames", "database_down")
    docker("network", "connect", "--alias", "scraper-mcgames", network, name)
    watched.await_calm()
    assert watched.started_at("mcgames") == before
    assert watched.restarts("mcgames") == []
    assert_told_once(watched, "mcgames")
