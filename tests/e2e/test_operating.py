"""The operator's commands on a whole demo fleet: switching, reloading, looking, stopping."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fleet import docker
from tests.operated import Operated

pytestmark = pytest.mark.docker

FEW = ["superbet", "novibet", "kto", "betano"]
COUNTED = ["superbet", "novibet", "kto"]  # a browser asks for more than we do, so it cannot be counted
SEQUENTIAL = ["scraper-seq-light", "scraper-seq-heavy"]


@pytest.fixture(scope="module")
def operated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operated]:
    operated = Operated(
        f"oddsfleet-operated-{os.getpid()}", tmp_path_factory.mktemp("operated"), "tests/compose.few.yml"
    )
    try:
        operated.switch("parallel")
        yield operated
    finally:
        operated.remove()


def running(operated: Operated) -> dict[str, str]:
    """Service to container and start, of everything that runs."""
    shown = docker(
        "ps", "--no-trunc", "--filter", f"label=com.docker.compose.project={operated.fleet.project}", "--format",
        '{{.Label "com.docker.compose.service"}} {{.ID}}',
    )  # fmt: skip
    rows = dict(line.split() for line in shown.splitlines())
    return {
        service: docker("inspect", "--format", "{{.Id}} {{.State.StartedAt}}", row) for service, row in rows.items()
    }


def test_one_is_reloaded_and_the_rest_keep_cycling(operated: Operated) -> None:
    before = running(operated)
    epochs = dict(operated.fleet.sql("select scraper_name, epoch from scraper_leases"))
    shown = operated.run("make", "reload", "S=kto")
    assert "kto" in shown
    after = running(operated)
    assert {service for service in before if before[service] != after[service]} == {"scraper-kto"}
    assert before.keys() == after.keys()
    operated.await_cycles(FEW, 1)
    now = dict(operated.fleet.sql("select scraper_name, epoch from scraper_leases"))
    assert {name for name in FEW if now[name] != epochs[name]} == {"kto"}
    assert [death.exit_code for death in operated.deaths() if death.service == "scraper-kto"] == [0]


def test_there_and_back_writes_every_cycle_once_by_one_instance(operated: Operated) -> None:
    fleet = operated.fleet
    operated.control("POST", "/prices", {"freeze": True})
    for switch in (operated.switch, operated.switch_by_compose):
        switch("sequential")
        assert {service for service in running(operated) if service.startswith("scraper-")} == set(SEQUENTIAL)
        assert operated.run("scripts/compose.sh", "unit", "br4bet-nba").strip() == "scraper-seq-light"
        operated.await_cycles(FEW, 1)
        assert "what is done to one is done to all" in operated.run("make", "pause", "S=kto", check=False)
        assert fleet.value("select count(*) from scraper_control where desired = 'paused'") == "0"
        switch("parallel")
        assert not set(SEQUENTIAL) & set(running(operated))
        operated.await_cycles(FEW, 1)
    operated.run("scripts/compose.sh", "stop", *(f"scraper-{name}" for name in FEW))

    ended = [death for death in operated.deaths() if death.service.startswith("scraper-")]
    assert {death.service for death in ended} >= {*SEQUENTIAL, *(f"scraper-{name}" for name in FEW)}
    assert {death.exit_code for death in ended} == {0}
    assert_ended_before_their_successors_began(operated)
    assert fleet.cycles_written_by_an_older_instance() == 0
    numbers = fleet.sql("select scraper_name, epoch, count(*), max(number) from scraper_cycles group by 1, 2")
    assert [row for row in numbers if row[2] != row[3]] == [], "a cycle is missing, or was written twice"
    assert fleet.sql("select scraper_name, reason from dead_letters") == []
    for scraper in COUNTED:  # whoever asked the site has written what it got
        asked = operated.control("GET", f"/requests/{scraper}")["count"]
        operated.run("scripts/compose.sh", "run", "--rm", "--no-deps", "operator", "scrapers", "once", scraper)
        per_cycle = operated.control("GET", f"/requests/{scraper}")["count"] - asked
        cycles = int(fleet.value(f"select count(*) from scraper_cycles where scraper_name = '{scraper}'"))
        assert asked == per_cycle * cycles, scraper
    operated.switch("parallel")


def assert_ended_before_their_successors_began(operated: Operated) -> None:
    """At no moment did a container of one mode run beside a scraper of the other."""
    moments = [(at, service, 1) for service, at in operated.starts()]
    moments += [(death.at, death.service, -1) for death in operated.deaths()]
    alive: dict[str, int] = {}
    for _, service, step in sorted(moments):
        if service.startswith("scraper-"):
            alive[service] = alive.get(service, 0) + step
            modes = {name in SEQUENTIAL for name, count in alive.items() if count > 0}
            assert len(modes) < 2, alive


def test_a_new_secret_reaches_who_uses_it_and_nobody_else(operated: Operated) -> None:
    before = running(operated)
    secret = operated.fleet.secrets / "heartbeat_url"
    renew(secret, secret.read_text())
    shown = operated.run("make", "parallel")
    assert "giving new secrets to watchdog" in shown
    assert "this runs simulated bookmakers" in shown
    after = running(operated)
    assert {service for service in before if before[service] != after[service]} == {"watchdog"}


def renew(secret: Path, text: str) -> None:
    """Another file in its place, for the same reader: as scripts/secrets.sh does it."""
    replaced, before = secret.with_suffix(".new"), secret.stat()
    replaced.write_text(text)
    os.chown(replaced, before.st_uid, before.st_gid)
    replaced.chmod(before.st_mode)
    replaced.replace(secret)


def test_a_service_that_does_not_stay_up_is_named(operated: Operated) -> None:
    secret = operated.fleet.secrets / "discord_webhook_url"
    before = secret.read_text()
    renew(secret, "no address")
    shown = operated.run("make", "parallel", check=False)
    assert re.search(r"^  watchdog: .*DISCORD_WEBHOOK_URL", shown, re.MULTILINE), shown
    renew(secret, before)
    assert "last words" not in operated.run("make", "parallel")


def test_top_shows_our_containers_and_nobody_elses(operated: Operated) -> None:
    lines = operated.run("make", "--silent", "top").splitlines()
    assert "MEM USAGE" in lines[-len(running(operated)) - 1]
    assert all(operated.fleet.project in line for line in lines[-len(running(operated)) :])


def test_the_doctor_asks_the_database_for_the_time_and_visits_the_sites(operated: Operated) -> None:
    shown = operated.run("scripts/doctor.sh", check=False, in_both_modes=True)
    assert "the database" in shown
    assert "memory, sequential" in shown
    assert "simulator:9000/betano" in shown
    assert "Recommended: " in shown


def test_a_stop_of_every_kind_of_service_exits_zero_and_leaves_nothing_behind(operated: Operated) -> None:
    """An exit code of 0 also says that it was in time: after the grace period it would be 137."""
    services = [service for service in running(operated) if service != "simulator"]
    tops = [docker("top", operated.fleet.container(service), "-eo", "pid,args") for service in services]
    processes = [line.split()[0] for top in tops for line in top.splitlines()[1:]]
    assert any("chromium" in top for top in tops)
    before = {pid: command_of(pid) for pid in processes}
    operated.run("scripts/compose.sh", "stop", *services)
    codes = {service: operated.fleet.inspect(service, "{{.State.ExitCode}}") for service in services}
    assert codes == dict.fromkeys(services, "0")
    assert [command for pid, command in before.items() if command and command_of(pid) == command] == []


def command_of(pid: str) -> str:
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return file.read()
    except OSError:
        return ""
