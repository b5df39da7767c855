"""Each cause, its name, and what is done about it."""

import msgspec
import pytest

from tests.watchdog.worlds import World
from watchdog.decide import decide
from watchdog.model import FLEET, Cause, Container, Control, Event, Memory, Observation, Row
from watchdog.policy import Policy

POLICY = Policy()


@pytest.fixture
def world() -> World:
    world = World(POLICY)
    world.go_on(3)
    assert world.incidents == []
    return world


def kinds(world: World, unit: str = "a") -> list[str]:
    return [action.kind for _, action in world.actions if action.unit == unit]


def test_a_quiet_fleet_is_left_alone(world: World) -> None:
    world.go_on(1000)
    assert (world.actions, world.incidents, world.closed) == ([], [], [])


def test_a_crash_is_charged_once_and_healed_by_docker(world: World) -> None:
    world.crash("a")
    world.look()
    assert world.incidents[0].cause == Cause.CRASH
    world.go_on(20)
    assert kinds(world) == []
    assert [(event.made_by, event.charged, event.state) for event in world.events.values()] == [
        ("docker", True, "verified")
    ]
    assert [(incident.cause, incident.restarts) for incident in world.closed] == [(Cause.CRASH, 1)]


def test_memory_that_ran_out_is_named(world: World) -> None:
    world.crash("a", 137, oom=True)
    world.look()
    assert world.incidents[0].cause == Cause.OUT_OF_MEMORY


def test_a_clean_exit_after_a_while_is_planned(world: World) -> None:
    world.crash("a", exit_code=0)
    world.go_on(10)
    assert [event.charged for event in world.events.values()] == [False]
    assert world.incidents == world.closed == []


@pytest.mark.parametrize("seconds", [1, 11, 55])
def test_a_crash_loop_opens_the_circuit_and_is_tried_again(world: World, seconds: float) -> None:
    world.scrapers["a"].crash_after = seconds
    world.go_on(int(seconds) + 60)
    assert world.controls["a"].circuit == "open"
    assert world.scrapers["a"].state == "exited"
    assert kinds(world) == ["stop"]
    incident = world.incident("a")
    assert incident
    assert incident.cause == Cause.CRASH_LOOP
    assert world.closed == [] or seconds > POLICY.settle
    world.scrapers["a"].crash_after = None
    world.go_on(int(2 * POLICY.cool_down / POLICY.poll))
    assert kinds(world) == ["stop", "start"]
    assert world.controls["a"].circuit == "closed"
    assert world.incidents == []


def test_a_half_open_circuit_opens_again_at_the_first_crash_and_for_longer(world: World) -> None:
    world.scrapers["a"].crash_after = 11
    world.go_on(int(3 * POLICY.cool_down / POLICY.poll))
    starts = [at for at, action in world.actions if action.kind == "start"]
    stops = [at for at, action in world.actions if action.kind == "stop"]
    assert len(starts) >= 1
    assert len(stops) == len(starts) + (world.scrapers["a"].state == "exited")
    assert world.controls["a"].openings >= 2
    assert len(world.incidents) + len(world.closed) == 1


def test_a_loop_after_days_of_calm_is_seen_too(world: World) -> None:
    """PM2 forgets its limit once a process has been up for a while."""
    world.go_on(5000)
    world.scrapers["a"].crash_after = 40  # longer than it takes to call it settled
    world.go_on(100)
    assert world.controls["a"].circuit == "open"


def test_a_hang_is_confirmed_then_restarted_with_evidence(world: World) -> None:
    world.scrapers["a"].hung = True
    world.go_on(4)
    assert kinds(world) == []
    world.go_on(4)
    (action,) = [action for _, action in world.actions]
    assert (action.kind, action.unit, action.evidence, action.timeout) == ("restart", "a", True, POLICY.hang_stop)
    world.go_on(10)
    assert [(incident.cause, incident.restarts) for incident in world.closed] == [(Cause.HANG, 1)]


def test_a_watchdog_that_was_held_up_itself_does_not_judge(world: World) -> None:
    world.scrapers["a"].hung = True
    for _ in range(10):
        world.now += 60
        for scraper in world.scrapers.values():
            scraper.pulse_at = world.now if scraper.name != "a" else scraper.pulse_at
            scraper.heartbeat_at = scraper.success_at = world.now
        seen = world.seen()
        held_up = Observation(
            now=seen.now, gap=60.0, containers=seen.containers, rows=seen.rows, controls=seen.controls,
            incidents=seen.incidents,
        )  # fmt: skip
        decision = decide(held_up, world.memory, POLICY)
        world.memory = decision.memory
        assert decision.actions == ()


@pytest.mark.parametrize(
    ("outcome", "cause"),
    [
        ("blocked", Cause.BLOCKED), ("changed", Cause.CHANGED), ("unavailable", Cause.SITE_DOWN),
        ("empty", Cause.EMPTY),
    ],
)  # fmt: skip
def test_what_a_restart_does_not_help_is_told_and_not_restarted(world: World, outcome: str, cause: Cause) -> None:
    world.scrapers["a"].outcome = outcome
    world.go_on(40)
    assert [incident.cause for incident in world.incidents] == [cause]
    world.scrapers["a"].outcome = "ok"
    world.go_on(20)
    assert world.incidents == []
    assert len(world.closed) == 1
    assert world.actions == []


@pytest.mark.parametrize("outcome", ["timeout", "internal"])
def test_what_a_restart_may_help_is_tried_within_the_budget(world: World, outcome: str) -> None:
    world.scrapers["a"].outcome = outcome
    world.go_on(int(POLICY.window / POLICY.poll))
    assert 1 <= len(world.actions) <= POLICY.budget
    assert set(kinds(world)) == {"restart"}


def test_empty_out_of_season_is_no_incident() -> None:
    container = Container(name="x", id="1" * 12, unit="a", scrapers=("a",), state="running", up_for=999, pulse_age=0)
    for habit, incidents in ((0.1, 0), (None, 0), (0.9, 1)):
        row = Row(scraper="a", outcome="empty", failures=9, heartbeat_age=1, success_age=9999, habit=habit)
        seen = Observation(now=1e6, containers=(container,), rows=(row,))
        assert len(decide(seen, Memory(), POLICY).opened) == incidents


def test_a_frozen_container_is_the_operators(world: World) -> None:
    world.scrapers["a"].state = "paused"
    world.go_on(100)
    assert world.actions == []
    assert [incident.cause for incident in world.incidents] == [Cause.STOPPED_BY_HAND]
    world.scrapers["a"].state = "running"
    world.go_on(5)
    assert world.incidents == []


def test_a_container_stopped_by_hand_stays_stopped(world: World) -> None:
    world.stop("a")
    world.go_on(200)
    assert world.actions == []
    assert [incident.cause for incident in world.incidents] == [Cause.STOPPED_BY_HAND]


def test_containers_that_compose_replaces_are_not_stopped_by_hand(world: World) -> None:
    """Some are created and wait for the migration, others have ended and are about to be removed."""
    for scraper, state in zip(world.scrapers.values(), ("created", "exited", "dead") * 3, strict=False):
        scraper.state, scraper.finished_at = state, world.now
    world.go_on(int(POLICY.settle / POLICY.poll) - 1)
    assert world.incidents == world.closed == []
    for name in world.names:
        world.start(name)
    world.go_on(20)
    assert (world.incidents, world.closed, world.actions) == ([], [], [])


def test_a_pause_is_kept_and_told_to_nobody(world: World) -> None:
    world.wish("a", "paused", restart=False)
    world.go_on(100)
    assert kinds(world) == ["stop"]
    assert world.incidents == world.closed == []
    world.wish("a", "run", restart=True)
    world.go_on(20)
    assert kinds(world) == ["stop", "start"]
    assert [(event.charged, event.state) for event in world.events.values()] == [(False, "verified")]


def test_a_wished_restart_is_not_charged_and_opens_a_closed_door(world: World) -> None:
    world.scrapers["a"].crash_after = 2
    world.go_on(40)
    assert world.controls["a"].circuit == "open"
    world.scrapers["a"].crash_after = None
    world.wish("a", "run", restart=True)
    world.go_on(20)
    assert kinds(world)[-1] == "start"
    assert world.controls["a"].circuit == "closed"


def test_while_the_database_is_away_nobody_is_restarted(world: World) -> None:
    world.database_up = False
    world.scrapers["a"].hung = True
    world.go_on(200)
    assert world.actions == []
    assert world.look().outage is Cause.DATABASE_DOWN
    world.database_up = True
    world.go_on(10)
    assert kinds(world) == ["restart"]


def test_many_at_once_blame_the_shared_part(world: World) -> None:
    for name in "abcd":
        world.scrapers[name].hung = True
    world.go_on(60)
    assert world.actions == []
    assert [(incident.subject, incident.cause) for incident in world.incidents] == [(FLEET, Cause.SHARED)]
    for name in "abcd":
        world.scrapers[name].hung = False
    world.go_on(20)
    assert world.incidents == []
    assert len(world.closed) == 1


def test_rows_that_do_not_arrive_are_not_the_scrapers_fault(world: World) -> None:
    scraper = world.scrapers["a"]
    for _ in range(60):
        world.pass_time(POLICY.poll)
        scraper.heartbeat_at = scraper.success_at = world.now - 500
        world.look()
    assert world.actions == []
    assert [(incident.subject, incident.cause) for incident in world.incidents] == [("a", Cause.DATABASE_DOWN)]


def test_rows_that_could_not_arrive_are_waited_for_when_the_database_is_back(world: World) -> None:
    """Nobody could write for an hour. One that does not, though it could for long, is told."""
    quiet = world.scrapers["a"]
    looked = world.seen()
    rows = tuple(msgspec.structs.replace(row, heartbeat_age=3600.0, success_age=3600.0) for row in looked.rows)
    limit = max(POLICY.stale_least, POLICY.stale_intervals * 30)
    back = msgspec.structs.replace(looked, rows=rows, database_up_for=limit - 1)
    assert decide(back, Memory(), POLICY).opened == ()
    rows = tuple(row if row.scraper == quiet.name else msgspec.structs.replace(row, heartbeat_age=1.0) for row in rows)
    later = msgspec.structs.replace(looked, rows=rows, database_up_for=limit + 1)
    assert [opened.subject for opened in decide(later, Memory(), POLICY).opened] == ["a"]


def test_a_predecessor_that_died_after_its_decision_leaves_no_second_restart(world: World) -> None:
    world.act_takes = 10**6  # it never gets to it
    world.scrapers["a"].hung = True
    world.go_on(10)
    assert len(world.actions) == 1
    world.acting.clear()
    world.memory = Memory()
    world.act_takes = 0
    world.go_on(20)
    assert kinds(world) == ["restart", "restart"]  # the same one, carried out by the successor
    assert [(event.charged, event.state) for event in world.events.values()] == [(True, "verified")]


def test_a_predecessor_that_died_between_stop_and_start_leaves_no_dead_container(world: World) -> None:
    world.act_takes = 10**6
    world.scrapers["a"].hung = True
    world.go_on(10)
    world.acting.clear()
    world.act_takes = 0
    world.stop("a")
    world.go_on(20)
    assert kinds(world) == ["restart", "start"]
    assert world.scrapers["a"].state == "running"
    assert world.incidents == []


def test_a_restart_that_docker_may_still_be_at_is_not_asked_for_twice(world: World) -> None:
    """The watchdog died after it asked: its successor sees the old run, until Docker is done with it."""
    world.act_takes = 10**6
    world.scrapers["a"].hung = True
    world.go_on(8)
    assert kinds(world) == ["restart"]
    decided = next(iter(world.events.values())).at
    world.acting.clear()
    world.memory = Memory()
    world.act_takes = 0
    while world.now - decided < POLICY.hang_stop + POLICY.restart_patience - 1:
        world.pass_time(1)
        world.look()
        assert kinds(world) == ["restart"]
    world.start("a")  # Docker has finished what it was asked for
    world.go_on(30)
    assert kinds(world) == ["restart"]
    assert [(event.charged, event.state) for event in world.events.values()] == [(True, "verified")]
    assert [incident.cause for incident in world.closed] == [Cause.HANG]


def test_one_restart_is_judged_before_the_next(world: World) -> None:
    """Failures of the run before say nothing about the run that has just begun."""
    scraper = world.scrapers["a"]
    scraper.outcome, scraper.failures, scraper.success_at = "timeout", POLICY.restart_failures, world.now - 3600
    world.wish("a", "run", restart=True)
    world.look()
    world.look()
    assert kinds(world) == ["restart"]
    assert [(event.made_by, event.state) for event in world.events.values()] == [("operator", "done")]
    world.go_on(20)
    assert kinds(world) == ["restart"]
    world.go_on(int(POLICY.restart_failures * 30 / POLICY.poll))
    assert [event.made_by for event in world.events.values()] == ["operator", "watchdog"]


def test_a_network_that_fails_is_told_once_though_cycles_have_phases(world: World) -> None:
    for names in ("abc", "defgh"):
        for name in names:
            world.scrapers[name].outcome, world.scrapers[name].success_at = "unavailable", world.now - 3600
        world.go_on(1)
    world.go_on(20)
    assert [(incident.subject, incident.cause) for incident in world.incidents] == [(FLEET, Cause.SHARED)]
    assert world.closed == []


def test_two_sites_that_fail_are_two_incidents(world: World) -> None:
    for name in "ab":
        world.scrapers[name].outcome = "unavailable"
    world.go_on(40)
    assert [incident.subject for incident in world.incidents] == ["a", "b"]


def test_a_bad_day_keeps_nobody_down_for_the_rest_of_it(world: World) -> None:
    for _ in range(POLICY.day_budget):
        world.crash("a")
        world.go_on(int(POLICY.window / (POLICY.budget - 1) / POLICY.poll) + 2)
    assert world.controls["a"].circuit == "open"
    world.go_on(int(2 * POLICY.cool_down / POLICY.poll))
    assert kinds(world) == ["stop", "start"]
    assert world.controls["a"].circuit == "closed"
    assert world.incidents == []


def open_circuit(world: World, name: str = "a") -> None:
    """It looped; the loop is over, but it is stopped."""
    world.scrapers[name].crash_after = 2
    world.go_on(40)
    assert world.controls[name].circuit == "open"
    world.scrapers[name].crash_after = None


def until_half_open(world: World) -> None:
    for _ in range(int(3 * POLICY.cool_down / POLICY.poll)):
        world.go_on(1)
        if world.controls["a"].circuit == "half_open":
            return
    raise AssertionError("never tried again")


def test_one_crash_is_enough_for_a_half_open_circuit(world: World) -> None:
    open_circuit(world)
    until_half_open(world)
    world.pass_time(POLICY.window)  # the budget has room for more
    world.crash("a")
    world.look()
    assert world.controls["a"].circuit == "open"
    assert kinds(world) == ["stop", "start", "stop"]


def test_a_half_open_circuit_closes_for_odds_only(world: World) -> None:
    open_circuit(world)
    world.scrapers["a"].outcome = "blocked"
    until_half_open(world)
    world.go_on(50)
    assert world.controls["a"].circuit == "half_open"
    world.scrapers["a"].outcome = "ok"
    world.go_on(10)
    assert world.controls["a"].circuit == "closed"


def test_what_the_operator_starts_while_the_circuit_is_open_is_a_try(world: World) -> None:
    open_circuit(world)
    world.start("a")
    world.go_on(20)
    assert kinds(world) == ["stop"]
    assert world.controls["a"].circuit == "closed"


def test_what_docker_starts_while_the_circuit_is_open_is_stopped(world: World) -> None:
    """It was between two crashes when it was told to stop."""
    open_circuit(world)
    world.scrapers["a"].state = "running"
    world.crash("a")
    world.go_on(3)
    assert kinds(world) == ["stop", "stop"]
    assert world.scrapers["a"].state == "exited"


def test_nobody_is_stopped_for_what_is_shared(world: World) -> None:
    for number in range(POLICY.budget):  # nothing is left of its budget
        key = str(number)
        world.events[key] = Event(
            key=key, unit="a", made_by="watchdog", cause="hang", charged=True, state="verified", at=world.now - 60
        )
    for name in "abcd":
        world.scrapers[name].hung = True
    world.go_on(20)
    assert [incident.cause for incident in world.incidents] == [Cause.SHARED]
    assert world.actions == []


def test_of_several_quick_exits_only_the_first_can_be_planned(world: World) -> None:
    world.crash("a", exit_code=0)
    world.crash("a", exit_code=0)
    world.look()
    assert sorted(event.charged for event in world.events.values()) == [False, True]


def test_a_container_that_was_replaced_and_not_started_is_started(world: World) -> None:
    world.act_takes = 10**6
    world.scrapers["a"].hung = True
    world.go_on(10)
    world.acting.clear()
    world.act_takes = 0
    scraper = world.scrapers["a"]
    scraper.id, scraper.state, scraper.started_at = "b" * 12, "created", 0.0
    world.go_on(20)
    assert kinds(world) == ["restart", "start"]
    assert scraper.state == "running"


def test_restarts_that_lead_to_nothing_are_tried_again_later_and_end_in_the_circuit(world: World) -> None:
    scraper = world.scrapers["a"]
    scraper.hung = scraper.hangs_always = True
    for _ in range(int(2 * POLICY.window / POLICY.poll)):
        world.go_on(1)
        if "stop" in kinds(world):
            break
    assert len(world.actions) <= POLICY.budget + 1
    assert kinds(world)[:3] == ["restart", "restart", "restart"]
    assert {event.state for event in world.events.values()} == {"failed"}
    assert world.controls["a"].circuit == "open"
    world.go_on(1)
    assert [incident.cause for incident in world.incidents] == [Cause.CRASH_LOOP]


def test_a_site_that_is_ill_does_not_make_a_restart_a_failure(world: World) -> None:
    world.scrapers["a"].outcome = "blocked"
    world.crash("a")
    world.go_on(3)
    assert [event.state for event in world.events.values()] == ["answered"]
    world.go_on(40)
    assert [incident.cause for incident in world.incidents] == [Cause.BLOCKED]


def test_what_still_works_is_stopped_cleanly(world: World) -> None:
    """A hung loop cannot use its grace period; one whose cycles fail can, to end its cycle and its browser."""
    scraper = world.scrapers["a"]
    scraper.outcome, scraper.failures, scraper.success_at = "internal", 99, world.now - 3600
    world.look()
    assert [(action.kind, action.timeout) for _, action in world.actions] == [("restart", 30.0)]


def at_most_two_start(world: World, names: str) -> None:
    """Others wait until those are done, and then have their turn."""
    for _ in range(40):
        world.pass_time(POLICY.poll)
        world.look()
        assert len(world.acting) <= POLICY.at_once
    assert {action.unit for _, action in world.actions} == set(names)


def test_few_are_restarted_at_the_same_time(world: World) -> None:
    world.act_takes = 3
    for name in "abc":
        world.scrapers[name].hung = True
    at_most_two_start(world, "abc")


def test_few_are_restarted_at_the_same_time_for_the_operator_too(world: World) -> None:
    world.act_takes = 3
    for name in "abcde":
        world.wish(name, "run", restart=True)
    at_most_two_start(world, "abcde")


def test_few_are_tried_again_at_the_same_time(world: World) -> None:
    world.act_takes = 3
    for name in "abcd":
        world.stop(name)
        world.controls[name] = Control(unit=name, circuit="open", circuit_until=world.now, started_at=1.0)
    at_most_two_start(world, "abcd")
