"""Whatever happens to a fleet, these hold."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.watchdog.worlds import World
from watchdog.causes import STOPPED
from watchdog.decide import decide
from watchdog.model import FLEET, Container, Decision, Memory, Observation
from watchdog.policy import Policy

# Small numbers, so that budgets are used up and circuits open within a few happenings; few scrapers, so that much
# happens to each.
POLICY = Policy(
    hang_after=6, start_grace=5, verify_within=30, settle=10, restart_failures=3, budget=3, window=600, day_budget=6,
    loop_crashes=2, min_uptime=20, backoff=80, longest_backoff=200, cool_down=40, longest_cool_down=120,
)  # fmt: skip
NAMES = ("a", "b", "c", "d", "e", "f")
SERVICES = ("json-generator", "cleanup-service")
UNITS = st.sampled_from(("a", "a", "b", "b", *NAMES))
HAPPENINGS = st.one_of(
    st.tuples(st.just("time"), st.floats(0.5, 150)),
    st.tuples(st.just("looks"), st.integers(1, 30)),
    st.tuples(st.just("looks"), st.integers(10, 60)),
    st.tuples(st.sampled_from(("crash", "oom", "clean exit", "hang", "docker stop", "docker start")), UNITS),
    st.tuples(st.sampled_from(("freeze", "thaw")), UNITS),
    st.tuples(st.sampled_from(("pause", "resume", "restart")), UNITS),
    st.tuples(st.sampled_from(("blocked", "timeout", "empty", "unavailable", "ok")), UNITS),
    st.tuples(st.sampled_from(("crash every", "hang always")), UNITS),
    st.tuples(st.sampled_from(("service exited", "service failing", "service running")), st.sampled_from(SERVICES)),
    st.tuples(st.sampled_from(("database down", "database up", "slow acts", "watchdog dies")), st.none()),
)  # fmt: skip


def happen(world: World, what: str, value: object) -> None:  # noqa: PLR0912
    scraper = world.scrapers.get(str(value))
    match what:
        case "time":
            world.pass_time(float(str(value)))
        case "looks":
            for _ in range(int(str(value))):
                world.pass_time(POLICY.poll)
                watched_look(world)
        case "crash" | "oom" | "clean exit":
            world.crash(str(value), 0 if what == "clean exit" else 137, oom=what == "oom")
        case "docker stop":
            world.stop(str(value))
        case "docker start":
            world.start(str(value))
        case "pause" | "resume" | "restart":
            world.wish(str(value), "paused" if what == "pause" else "run", restart=what != "pause")
        case "database down" | "database up":
            world.database_up = what == "database up"
        case "slow acts":
            world.act_takes = 7
        case "watchdog dies":
            world.new_watchdog()
        case "service exited" | "service failing" | "service running":
            world.services[str(value)].state = what.removeprefix("service ")
        case _ if scraper is None:
            raise AssertionError(what)
        case "hang":
            scraper.hung = True
        case "freeze" if scraper.state == "running":
            scraper.state = "paused"
        case "thaw" if scraper.state == "paused":
            scraper.state = "running"
        case "hang always":
            scraper.hung = scraper.hangs_always = True
        case "crash every":
            scraper.crash_after = 11.0
        case "freeze" | "thaw":
            pass
        case outcome:
            scraper.outcome = outcome
    watched_look(world)


def watched_look(world: World) -> None:
    """A look, with what must hold of every one."""
    seen, before = world.seen(), dict(world.events)
    assert decide(seen, world.memory, POLICY) == decide(seen, world.memory, POLICY)
    paused = {unit for unit, control in world.controls.items() if control.desired == "paused"}
    frozen = {scraper.name for scraper in world.scrapers.values() if scraper.state == "paused"}
    by_hand = {
        scraper.name
        for scraper in world.scrapers.values()
        if scraper.state in STOPPED
        and world.controls.get(scraper.name) is not None
        and world.controls[scraper.name].circuit == "closed"
        and not any(e.unit == scraper.name and e.state in ("requested", "intended") for e in before.values())
    }
    decision = world.look()
    units = [action.unit for action in decision.actions]
    assert len(set(units)) == len(units)
    starts = sum(action.kind != "stop" for action in decision.actions)
    assert starts == 0 or len(seen.busy) + starts <= POLICY.at_once
    for action in decision.actions:
        assert action.unit not in seen.busy
        if action.kind == "stop":
            continue
        assert action.unit not in paused
        assert action.unit not in by_hand
        asked_for = any(e.unit == action.unit and e.state == "requested" for e in before.values())
        decided = any(e.unit == action.unit and e.state == "intended" for e in before.values())
        assert action.unit not in frozen or asked_for or decided
    tries = {action.key for action in decision.actions if action.kind == "start"}  # of a circuit that has cooled down
    for event in decision.new_events:
        if event.made_by == "watchdog":
            charged = [e.at for e in before.values() if e.unit == event.unit and e.charged]
            assert sum(world.now - at < POLICY.window for at in charged) < POLICY.budget
            assert sum(world.now - at < POLICY.day for at in charged) < POLICY.day_budget or event.key in tries
            assert not any(e.unit == event.unit and e.state in ("requested", "intended") for e in before.values())
            ours = [e.at for e in before.values() if e.unit == event.unit and e.made_by == "watchdog"]
            lately = [at for at in ours if world.now - at < POLICY.window]
            if lately and event.key not in tries:
                pause = min(POLICY.backoff * 2 ** (len(lately) - 1), POLICY.longest_backoff)
                assert world.now - max(lately) >= 0.8 * pause
    if not world.database_up:
        assert not decision.actions
        assert not decision.new_events
    assert {*units, *(event.unit for event in decision.new_events)} <= set(NAMES)
    assert_services_are_told(world, seen, decision)


def assert_services_are_told(world: World, seen: Observation, decision: Decision) -> None:
    """When they were silent for too long, could have been heard, and nothing else is to blame; and only then."""
    fleet_is_ill = FLEET in {incident.subject for incident in (*seen.incidents, *world.incidents)}
    for row in seen.rows:
        if row.kind == "service":
            due = min(row.success_age or 0, seen.database_up_for) > POLICY.service_least and not fleet_is_ill
            assert world.incident(row.scraper) or not due
            assert due or row.scraper not in {opened.subject for opened in decision.opened}


@settings(max_examples=300)
@given(st.lists(HAPPENINGS, max_size=60))
def test_whatever_happens(happenings: list[tuple[str, object]]) -> None:
    world = World(POLICY, NAMES, SERVICES)
    world.go_on(1)
    for what, value in happenings:
        happen(world, what, value)


@settings(max_examples=100)
@given(st.lists(HAPPENINGS, max_size=40))
def test_it_recovers_when_the_causes_end(happenings: list[tuple[str, object]]) -> None:
    world = World(POLICY, NAMES, SERVICES)
    world.go_on(1)
    for what, value in happenings:
        happen(world, what, value)
    world.database_up, world.act_takes = True, 0
    for scraper in world.scrapers.values():
        scraper.hung = scraper.hangs_always = False
        scraper.crash_after, scraper.outcome = None, "ok"
        if scraper.state == "paused":
            scraper.state = "running"
        control = world.controls.get(scraper.name)
        world.wish(scraper.name, "run", restart=not control or control.desired == "paused" or scraper.state in STOPPED)
    for service in world.services.values():
        service.state = "running"
    world.go_on(int((POLICY.window + 4 * POLICY.longest_cool_down) / POLICY.poll))
    assert {scraper.state for scraper in world.scrapers.values()} == {"running"}
    assert world.incidents == []
    assert {control.circuit for control in world.controls.values()} == {"closed"}
    assert {event.state for event in world.events.values()} <= {"verified", "answered", "failed"}


@given(st.sampled_from(["running", "exited", "restarting", "paused"]), st.integers(0, 50), st.floats(0, 1e5))
def test_a_container_without_the_label_is_never_touched(state: str, restarts: int, quiet: float) -> None:
    stranger = Container(
        name="postgres", id="f" * 12, unit="", scrapers=(), state=state, up_for=1e5, restart_count=restarts,
        pulse_age=quiet, healthy=False, last_exit=1,
    )  # fmt: skip
    for _ in range(3):
        decision = decide(Observation(now=1e6, containers=(stranger,)), Memory({"": 9}), POLICY)
        assert decision.empty
        assert decision.actions == ()
