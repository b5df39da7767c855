"""The scraper as the operator runs it: in its container, with its limits."""

import re
import subprocess
import time
from collections.abc import Callable, Iterator

import httpx
import pytest

from tests.fleet import ROOT, Fleet, docker
from tests.processes import PATIENCE

pytestmark = pytest.mark.docker

UNLIKE_HISTORY = """
select o.opening, h.price
from odds o
left join odds_history h on h.is_opening
    and (h.match_id, h.bookmaker_id, h.market, h.outcome) = (o.match_id, o.bookmaker_id, o.market, o.outcome)
where o.opening is distinct from h.price
"""
KILL_INITS_CHILD = "import os; os.kill(int(open('/proc/1/task/1/children').read().split()[0]), 9)"
SERVICES = ("db", "supabase", "migrate", "simulator", "scraper-superbet")


@pytest.fixture
def running(clean_superbet: Fleet) -> Iterator[Fleet]:
    clean_superbet.start("simulator", "scraper-superbet")
    eventually(lambda: cycles(clean_superbet) > 0, clean_superbet)
    yield clean_superbet
    clean_superbet.compose("rm", "--stop", "--force", "scraper-superbet", "simulator")


def eventually(holds: Callable[[], bool], fleet: Fleet) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, fleet.logs()
        time.sleep(0.2)


def cycles(fleet: Fleet, outcome: str = "ok") -> int:
    return int(fleet.value(f"select count(*) from scraper_cycles where outcome = '{outcome}'"))


def fault(fleet: Fleet, name: str) -> None:
    url = f"http://{fleet.host_port('simulator', 9000)}/_control/faults/superbet"
    httpx.put(url, json={"fault": name}).raise_for_status()


def test_odds_arrive_and_the_view_says_ok(running: Fleet) -> None:
    assert running.value("select computed_status from scraper_status_view where scraper_name = 'superbet'") == "ok"
    assert int(running.value("select count(*) from odds")) > 0
    assert int(running.value("select count(*) from odds_history where is_opening")) > 0


def test_nothing_runs_as_root_and_nothing_shows_a_secret(running: Fleet) -> None:
    secrets = [path.read_text() for path in running.secrets.iterdir() if path.read_text()]
    assert len(secrets) >= 4
    shown = running.compose("logs", "--no-color")
    for service in SERVICES:
        container = running.container(service)
        shown += docker("inspect", container)
        assert docker("inspect", "--format", "{{.Config.User}}", container) == "10001:10001", service
        if service != "migrate":
            users = set(docker("top", container, "-eo", "uid,pid").splitlines()[1:])
            assert {user.split()[0] for user in users} == {"10001"}, service
    for secret in secrets:
        assert secret not in shown


def test_a_clean_stop_exits_zero(running: Fleet) -> None:
    running.compose("stop", "scraper-superbet")
    assert running.inspect("scraper-superbet", "{{.State.ExitCode}} {{.State.OOMKilled}}") == "0 false"
    assert running.value("select released_at is not null from scraper_leases") == "t"


def test_the_healthcheck_sees_the_loop(running: Fleet) -> None:
    """The probe takes the progress file away, and the loop brings it back."""
    container = running.container("scraper-superbet")
    docker("exec", container, "rm", "/tmp/progress")
    eventually(lambda: "progress" in docker("exec", container, "ls", "/tmp"), running)


def test_a_killed_process_comes_back_with_a_new_epoch(running: Fleet) -> None:
    before = int(running.value("select epoch from scraper_leases"))
    docker("exec", running.container("scraper-superbet"), "python", "-c", KILL_INITS_CHILD)
    eventually(lambda: int(running.value("select coalesce(max(epoch), 0) from scraper_cycles")) > before, running)
    assert int(running.inspect("scraper-superbet", "{{.RestartCount}}")) == 1


def test_short_of_memory_it_starts_anew_between_two_cycles(running: Fleet) -> None:
    """A new process in the same container: to Docker, and to the watchdog's budget, nothing has ended."""
    running.compose("stop", "scraper-superbet")
    before = int(running.value("select epoch from scraper_leases"))
    out = running.compose("run", "--detach", "--no-deps", "-e", "MEMORY_SOFT_LIMIT=0.05", "scraper-superbet")
    container = out.split()[-1]
    try:
        eventually(lambda: int(running.value("select max(epoch) from scraper_cycles")) > before + 2, running)
        assert docker("inspect", "--format", "{{.State.Running}} {{.RestartCount}}", container) == "true 0"
        assert "starting anew between two cycles" in docker_logs(container)
        docker("stop", container)
        assert docker("inspect", "--format", "{{.State.ExitCode}}", container) == "0"
    finally:
        docker("rm", "--force", container)
    lost = "select count(*) from (select 1 from scraper_cycles group by epoch having count(*) <> max(number)) lost"
    assert running.value(lost) == "0"


def docker_logs(container: str) -> str:
    return subprocess.run(["docker", "logs", container], capture_output=True, text=True, check=True).stderr


@pytest.mark.parametrize("payload", ["huge", "huge_gzip", "hostile"])
def test_no_payload_breaks_the_memory_limit(running: Fleet, payload: str) -> None:
    fault(running, payload)
    if payload == "hostile":
        already = cycles(running)
        eventually(lambda: cycles(running) > already + 1, running)
    else:
        eventually(lambda: cycles(running, "changed") > 1, running)
    state = running.inspect("scraper-superbet", "{{.State.OOMKilled}} {{.RestartCount}} {{.HostConfig.Memory}}")
    assert state == f"false 0 {100 * 1024 * 1024}"
    assert running.value("select count(*) from dead_letters") == "0"


def test_the_second_container_of_one_scraper_takes_over_and_the_first_stands_by(running: Fleet) -> None:
    running.compose("up", "--detach", "--no-recreate", "--scale", "scraper-superbet=2", "scraper-superbet")
    eventually(lambda: "standing by" in running.logs("scraper-superbet"), running)
    newest = running.value("select epoch from scraper_leases")
    time_before = cycles(running)
    eventually(lambda: cycles(running) > time_before + 2, running)
    assert running.value("select epoch from scraper_leases") == newest
    assert running.cycles_written_by_an_older_instance() == 0


def test_migrations_run_twice_without_harm(running: Fleet) -> None:
    before = running.value("select count(*) from odds")
    said = running.compose("run", "--rm", "migrate")
    assert re.search(r"0 applied, 0 again, \d+ skipped", said)
    running.sql("update odds set opening = null")  # as a database has it that is older than this column
    running.sql("update oddsfleet_migrations set sha256 = 'another' where name = '001_tables.sql'")
    files = len(list((ROOT / "sql").glob("*.sql")))
    assert f"0 applied, {files} again, 0 skipped" in running.compose("run", "--rm", "migrate")
    assert running.value("select count(*) from odds") >= before
    assert running.sql(UNLIKE_HISTORY) == []


def test_a_database_takes_the_password_of_secrets_that_were_made_anew(running: Fleet) -> None:
    """As in another checkout, beside the volumes of the first: the data is kept."""
    before = running.value("select count(*) from odds")
    (running.secrets / "postgres_password").write_text("another's\n")
    running.compose("up", "--detach", "--no-deps", "--force-recreate", "--wait", "db")
    assert "0 applied, 0 again" in running.compose("run", "--rm", "--no-deps", "migrate")
    assert running.value("select count(*) from odds") >= before
    newest = cycles(running)
    eventually(lambda: cycles(running) > newest, running)


def test_a_project_of_ones_own_without_its_address_is_left_alone(running: Fleet) -> None:
    said = running.compose("run", "--rm", "--no-deps", "-e", "SUPABASE_URL=https://abc.supabase.co", "migrate")
    assert "nothing is applied" in said
