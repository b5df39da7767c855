"""The fault suite: real containers are hurt, and the watchdog names the cause, heals what can be healed, and tells it
once. Faults that do not disturb each other go to different scrapers at once; what needs the whole fleet runs alone.
docs/watchdog.md lists which fault is tried where."""

import re
import signal
import time
from collections.abc import Iterable, Iterator

import pytest

from tests.fleet import docker, make_secrets
from tests.watched import Watched, is_about, watched_fleet

pytestmark = pytest.mark.docker

SCRAPERS = (
    "superbet", "novibet", "kto", "estrelabet", "sportingbet", "betnacional", "br4bet", "mcgames", "jogodeouro",
    "tradeball", "bet365", "br4bet_nba", "mcgames_nba", "jogodeouro_nba", "betano",
)  # fmt: skip
RESTARTED_BY_DOCKER = ["docker", "t", "verified"]
RESTARTED_BY_WATCHDOG = ["watchdog", "t", "verified"]


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
    fleet.sql("truncate incidents, restart_events")
    fleet.control("DELETE", "discord")
    yield fleet
    fleet.clear_site_faults()


def assert_told_once(watched: Watched, *scrapers: str) -> None:
    """One incident, and one message, which ends green with its duration."""
    incidents = [subject for (subject,) in watched.sql("select subject from incidents")]
    shown = watched.shown()
    for scraper in scrapers:
        assert incidents.count("*" if scraper == "Frota" else scraper) == 1, watched.story()
        (message,) = [message for message in shown if is_about(message, scraper)]
        assert message["embeds"][0]["title"].startswith("✅"), message["embeds"][0]["title"]
        assert any(field["name"] == "Duração" for field in message["embeds"][0]["fields"])


def assert_untouched(watched: Watched, before: dict[str, str], scrapers: Iterable[str]) -> None:
    """Neither restarted nor told of."""
    now, shown = watched.runs(), watched.shown()
    touched = {name for (name,) in watched.sql("select unit from restart_events union select subject from incidents")}
    for scraper in scrapers:
        assert now[scraper] == before[scraper], scraper
        assert scraper not in touched, watched.story()
        assert not [message for message in shown if is_about(message, scraper)], scraper


def assert_cycles_are_whole(watched: Watched) -> None:
    """None doubled; none lost between two that were written."""
    assert watched.fleet.cycles_written_by_an_older_instance() == 0
    gaps = watched.sql(
        "select scraper_name, epoch, count(*), max(number) - min(number) + 1 from scraper_cycles where epoch > 0"
        " group by scraper_name, epoch having count(*) <> max(number) - min(number) + 1"
    )
    assert gaps == []
    assert watched.value("select count(*) from dead_letters") == "0"


def test_every_cause_by_its_name(watched: Watched) -> None:
    before, began = watched.runs(), time.time()
    # Both loops begin after a run that was well for long, which is where PM2 has forgotten its limit.
    watched.inject("novibet", "3 times exit after 11")
    watched.inject("jogodeouro_nba", "always exit at start")
    for scraper in ("novibet", "jogodeouro_nba", "mcgames"):
        watched.signal_python(scraper, signal.SIGKILL)
    watched.signal_python("kto", signal.SIGSTOP)
    watched.inject("estrelabet", "await")
    watched.inject("sportingbet", "loop")
    docker("pause", watched.container("betnacional"))
    watched.inject("br4bet", "memory")
    watched.inject("bet365", "clock 3600")
    watched.site_fault("betano", "leak")
    watched.inject("betano", "page")
    watched.site_fault("superbet", "empty")
    watched.site_fault("jogodeouro", "403")
    watched.site_fault("tradeball", "429")
    watched.site_fault("br4bet_nba", "malformed")
    watched.site_fault("mcgames_nba", "500")

    watched.await_circuit("jogodeouro_nba", "open")
    watched.inject("jogodeouro_nba", "")
    watched.eventually("a page of betano runs out of memory", lambda: watched.events("betano", "oom", since=began) > 0)
    watched.clear_site_faults("betano")
    site = {
        "superbet": "empty", "jogodeouro": "blocked", "tradeball": "blocked", "br4bet_nba": "changed",
        "mcgames_nba": "site_down",
    }  # fmt: skip
    for scraper, cause in {**site, "betnacional": "stopped_by_hand"}.items():
        watched.await_incident(scraper, cause)
    docker("unpause", watched.container("betnacional"))
    watched.clear_site_faults()
    for scraper, cause in {
        "mcgames": "crash", "kto": "hang", "estrelabet": "hang", "sportingbet": "hang", "br4bet": "out_of_memory",
        "novibet": "crash_loop", "jogodeouro_nba": "crash_loop",
    }.items():  # fmt: skip
        watched.await_incident(scraper, cause, "closed")
    watched.await_odds("betano", "bet365")
    watched.await_calm()

    # Restarts: none where they do not help, one where they do, Docker's own charged.
    for scraper in (*site, "betnacional"):
        assert [row[1:] for row in watched.incidents(scraper)] == [["0", "closed"]], watched.story()
        assert watched.restarts(scraper) == [], scraper
        assert watched.runs(scraper)[scraper] == before[scraper], scraper
    for scraper in ("mcgames", "br4bet"):
        assert watched.restarts(scraper) == [RESTARTED_BY_DOCKER], scraper
    for scraper in ("kto", "estrelabet", "sportingbet"):
        assert watched.restarts(scraper) == [RESTARTED_BY_WATCHDOG], scraper
    # The budget of four, and the try after the pause. A process that ends at once may end a few times more before it
    # is stopped.
    for scraper, crashes in (("novibet", [4]), ("jogodeouro_nba", range(4, 12))):
        made_by = [row[0] for row in watched.restarts(scraper)]
        assert made_by == ["docker"] * (len(made_by) - 1) + ["watchdog"], watched.story()
        assert len(made_by) - 1 in crashes, watched.story()

    # A page that ran out of memory is no death of its scraper, and a clock that is wrong is none at all.
    watched.await_log("bet365", "the clock is 3600 s off")
    unharmed = ("betano", "bet365")
    assert_untouched(watched, before, unharmed)
    assert_told_once(watched, *set(SCRAPERS) - set(unharmed))
    assert_cycles_are_whole(watched)

    # Evidence was kept before the kill: the stack names the loop.
    assert "faulty.py" in watched.evidence("sportingbet", "stacks")
    assert re.search(r"\d+ T", watched.evidence("kto", "processes"))
    assert int(watched.value("select min(jsonb_array_length(evidence -> 'log')) from incidents")) > 0


def test_cuts_a_full_disk_a_wrong_clock_and_a_discord_that_refuses(watched: Watched) -> None:
    hurt = ("kto", "mcgames", "jogodeouro", "superbet")
    before, small = watched.runs(), watched.container("jogodeouro")
    watched.inject("tradeball", "clock -3600")
    watched.site_fault("discord", "429", count=2, retry_after=2)
    watched.signal_python("superbet", signal.SIGKILL)
    watched.cut("kto", "sites")
    watched.cut("mcgames", "default")
    watched.cut("jogodeouro", "default")
    watched.await_log("jogodeouro", "wait in the spool")
    docker("exec", small, "sh", "-c", "cat /dev/zero >/var/spool/small/ballast || true")

    for scraper, cause in {"kto": "site_down", "mcgames": "database_down", "jogodeouro": "database_down"}.items():
        watched.await_incident(scraper, cause)
    watched.site_fault("discord", "500", count=2)
    for scraper, network in {"kto": "sites", "mcgames": "default", "jogodeouro": "default"}.items():
        watched.mend(scraper, network)
    watched.await_incident("superbet", "crash", "closed")
    watched.await_log("tradeball", "the clock is -3600 s off")
    watched.await_odds(*SCRAPERS)
    watched.await_calm()

    assert watched.restarts("superbet") == [RESTARTED_BY_DOCKER]
    for scraper in ("kto", "mcgames", "jogodeouro"):
        assert watched.restarts(scraper) == [], scraper
        assert watched.runs(scraper)[scraper] == before[scraper], scraper
    assert "free space for /var/spool/small" in watched.evidence("jogodeouro", "log")
    assert_told_once(watched, *hurt)
    assert_untouched(watched, before, set(SCRAPERS) - set(hurt))
    assert_cycles_are_whole(watched)
    docker("exec", small, "rm", "/var/spool/small/ballast")


def test_the_database_away_restarts_nobody(watched: Watched) -> None:
    before = watched.runs()
    watched.fleet.compose("stop", "--timeout", "0", "db")
    watched.eventually("the outage is told without the database", lambda: len(watched.messages("Frota")) == 1)
    watched.await_log("superbet", "wait in the spool", times=9)  # longer than rows may be missing
    watched.fleet.start("supabase")
    remembered = "select cause from incidents where subject = '*' and closed_at is not null"
    watched.eventually("the outage is remembered", lambda: watched.sql(remembered) == [["database_down"]])
    watched.await_odds(*SCRAPERS)
    watched.await_calm()
    assert_untouched(watched, before, SCRAPERS)
    assert_told_once(watched, "Frota")
    assert_cycles_are_whole(watched)


def test_docker_away_is_told_and_then_caught_up_with(watched: Watched) -> None:
    """docker-proxy is all it sees of Docker. Meanwhile one crashes, which Docker heals by itself, and one hangs."""
    before = watched.runs()
    watched.fleet.compose("stop", "docker-proxy")
    watched.eventually("that Docker is away is told", lambda: len(watched.messages("Frota")) == 1)
    watched.signal_python("mcgames", signal.SIGKILL)
    watched.signal_python("kto", signal.SIGSTOP)
    watched.eventually("mcgames runs again", lambda: watched.runs("mcgames")["mcgames"] != before["mcgames"])
    assert watched.value("select count(*) from restart_events") == "0"
    watched.fleet.compose("start", "docker-proxy")
    watched.await_incident("*", "docker_down", "closed")
    watched.await_incident("mcgames", "crash", "closed")
    watched.await_incident("kto", "hang", "closed")
    watched.await_calm()
    assert watched.restarts("mcgames") == [RESTARTED_BY_DOCKER]
    assert watched.restarts("kto") == [RESTARTED_BY_WATCHDOG]
    assert_told_once(watched, "Frota", "mcgames", "kto")
    assert_untouched(watched, before, set(SCRAPERS) - {"mcgames", "kto"})
    assert_cycles_are_whole(watched)


def test_a_watchdog_killed_in_the_middle_of_a_restart(watched: Watched) -> None:
    """Its successor finds the restart decided, and makes no second one."""
    hung = ("kto", "sportingbet")
    before, began = watched.runs(), time.time()
    epochs = {scraper: watched.epoch(scraper) for scraper in hung}
    for scraper in hung:
        watched.signal_python(scraper, signal.SIGSTOP)
    told = "select count(*) from incidents where message_id is not null"
    watched.eventually("both hangs are told", lambda: watched.value(told) == "2")
    watched.kill_watchdog()  # Docker is asked, or about to be
    watched.eventually(
        "one of them has ended", lambda: any(watched.events(scraper, "die", since=began) for scraper in hung)
    )
    watched.kill_watchdog()  # between its end and its start, or right after
    for scraper in hung:
        watched.await_incident(scraper, "hang", "closed")
    watched.await_calm()
    for scraper in hung:
        assert watched.restarts(scraper) == [RESTARTED_BY_WATCHDOG], watched.story()
        assert watched.epoch(scraper) == epochs[scraper] + 1, scraper
    assert_told_once(watched, *hung)
    assert_untouched(watched, before, set(SCRAPERS) - set(hung))
    assert_cycles_are_whole(watched)


def test_a_watchdog_that_died_between_stop_and_start_leaves_nobody_down(watched: Watched) -> None:
    """What it leaves is made by hand, as nobody can hit that moment: a restart that is decided, a container that is
    stopped, and Docker, to which it was stopped for good."""
    before, epoch = watched.runs(), watched.epoch("superbet")
    watched.fleet.compose("kill", "watchdog")
    watched.sql(
        "insert into restart_events (key, unit, made_by, cause, charged, state, run)"
        " select 'watchdog/left', unit, 'watchdog', 'hang', true, 'intended',"
        "  left(container_id, 12) || '/' || to_char(started_at, 'FM9999999999.000')"
        " from scraper_control where unit = 'superbet'"
    )
    docker("stop", watched.container("superbet"))
    watched.fleet.compose("start", "watchdog")
    watched.eventually("superbet is back", lambda: watched.restarts("superbet") == [RESTARTED_BY_WATCHDOG])
    watched.await_calm()
    assert watched.epoch("superbet") == epoch + 1
    assert len(watched.messages("superbet")) <= 1
    assert_untouched(watched, before, set(SCRAPERS) - {"superbet"})
    assert_cycles_are_whole(watched)


def test_the_operator_is_obeyed(watched: Watched) -> None:
    """Paused and resumed, restarted on request: through the watchdog, not charged, and no alarm."""
    before = watched.runs()
    run = ("run", "--rm", "--no-deps", "operator", "watchdog")
    watched.fleet.compose(*run, "pause", "superbet")
    state = "{{.State.Status}}"
    watched.eventually(
        "it is stopped", lambda: docker("inspect", "-f", state, watched.container("superbet")) == "exited"
    )
    resume = ("run", "--rm", "--no-deps", "watchdog", "watchdog", "resume")
    assert "runs and has brought odds" in watched.fleet.compose(*resume, "superbet")
    assert watched.fleet.compose(*resume, "novibet").strip() == "novibet is not paused; it runs."
    assert "runs and has brought odds" in watched.fleet.compose(*run, "restart", "kto")
    assert watched.restarts("superbet") == watched.restarts("kto") == [["operator", "f", "verified"]]
    assert watched.value("select count(*) from incidents") == "0", watched.story()
    assert_untouched(watched, before, set(SCRAPERS) - {"superbet", "kto"})


def test_a_service_that_ended_is_told_and_left_to_the_operator(watched: Watched) -> None:
    before, service = watched.runs(), "json-generator"
    watched.fleet.compose("up", "--detach", "--no-deps", service)
    try:
        rounds = f"select count(*) from scraper_status where scraper_name = '{service}' and last_success is not null"
        watched.eventually("its first round is written", lambda: watched.value(rounds) == "1")
        watched.fleet.compose("kill", service)  # through Docker: its restart policy does not bring it back
        watched.await_incident(service, "service_silent")
        watched.eventually("it is told", lambda: len(watched.messages(service)) == 1)
        (message,) = watched.messages(service)
        assert f"`make logs S={service}`" in message["embeds"][0]["description"]
        assert watched.fleet.inspect(service, "{{.State.Status}}") == "exited"
        watched.fleet.compose("start", service)
        watched.await_incident(service, "service_silent", "closed")
        watched.await_calm()
        assert_told_once(watched, service)
        assert_untouched(watched, before, SCRAPERS)
    finally:
        watched.fleet.compose("rm", "--stop", "--force", service)
        watched.sql(f"delete from scraper_status where scraper_name = '{service}'")


def test_every_site_down_at_once_is_one_incident(watched: Watched) -> None:
    before = watched.runs()
    for scraper in SCRAPERS:
        watched.site_fault(scraper, "500")
    watched.await_incident("*", "shared")
    watched.clear_site_faults()
    watched.await_incident("*", "shared", "closed")
    watched.await_calm()
    assert_told_once(watched, "Frota")
    assert watched.runs() == before
    assert watched.value("select count(*) from restart_events") == "0"
    # On a slow machine, one may have been told before there were many.
    assert all(len(watched.messages(scraper)) <= 1 for scraper in SCRAPERS)
    assert_cycles_are_whole(watched)
