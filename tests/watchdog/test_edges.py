"""Where a verdict begins and ends: outages, shares, silence without a pulse, stale rows, two containers of one name."""

import msgspec
import pytest

from watchdog.decide import decide, one_per_unit
from watchdog.incidents import Subject, reconcile, worse
from watchdog.model import FLEET, Cause, Container, Decision, Incident, Memory, Observation, Row, Verdict
from watchdog.policy import Policy

POLICY = Policy()
NOW = 1e6
WELL = Container(
    name="x", id="1" * 12, unit="a", scrapers=("a",), state="running", up_for=3600.0, started_at=NOW - 3600,
    pulse_age=1.0,
)  # fmt: skip
FINE = Row(scraper="a", outcome="ok", heartbeat_age=1.0, success_age=1.0)


def causes(container: Container = WELL, row: Row = FINE) -> list[str]:
    seen = Observation(now=NOW, gap=POLICY.poll, containers=(container,), rows=(row,))
    return [opened.cause for opened in decide(seen, Memory({"a": 9}), POLICY).opened]


@pytest.mark.parametrize("down", ["database_down_for", "docker_down_for"])
def test_half_blind_it_closes_nothing_and_tells_after_a_while(down: str) -> None:
    known = Incident(id="1", subject="a", cause=Cause.HANG, opened_at=NOW - 60)
    for seconds, outage in ((POLICY.outage_after - 1, None), (POLICY.outage_after, Cause(down.removesuffix("_for")))):
        seen = msgspec.structs.replace(Observation(now=NOW, incidents=(known,)), **{down: seconds})
        decision = decide(seen, Memory(), POLICY)
        assert (decision.outage, decision.empty, decision.actions) == (outage, True, ())


def test_of_two_containers_the_one_that_runs_counts() -> None:
    old = msgspec.structs.replace(WELL, id="2" * 12, state="exited", started_at=NOW)
    newer = msgspec.structs.replace(WELL, id="3" * 12, started_at=NOW - 5)
    assert [each.id for each in one_per_unit([WELL, newer, old])] == [newer.id]


def test_without_a_pulse_docker_and_the_rows_must_agree_on_a_hang() -> None:
    blind = msgspec.structs.replace(WELL, pulse_age=None)
    ill = msgspec.structs.replace(blind, healthy=False)
    old = msgspec.structs.replace(FINE, heartbeat_age=900.0, success_age=900.0)
    assert causes(ill, old) == [Cause.HANG]
    assert causes(blind, old) == [Cause.DATABASE_DOWN]
    assert causes(ill, FINE) == []
    young = msgspec.structs.replace(ill, up_for=POLICY.start_grace - 1)
    assert causes(young, old) == []


def test_a_start_has_its_grace() -> None:
    silent = msgspec.structs.replace(WELL, pulse_age=900.0)
    assert causes(silent) == [Cause.HANG]
    assert causes(msgspec.structs.replace(silent, up_for=POLICY.start_grace + POLICY.hang_after - 1)) == []


def test_a_scraper_that_backs_off_has_longer_to_write() -> None:
    age = POLICY.stale_intervals * 30 + 60
    late = msgspec.structs.replace(FINE, heartbeat_age=age, success_age=age)
    assert causes(row=late) == [Cause.DATABASE_DOWN]
    assert causes(row=msgspec.structs.replace(late, outcome="blocked", failures=1)) == []


def test_a_request_of_several_that_fails_is_told_only_when_the_format_changed() -> None:
    partly = msgspec.structs.replace(FINE, failures=9, error="one of several")
    assert causes(row=msgspec.structs.replace(partly, outcome="unavailable")) == []
    assert causes(row=msgspec.structs.replace(partly, outcome="changed")) == [Cause.CHANGED]
    assert causes(row=msgspec.structs.replace(partly, outcome="changed", failures=POLICY.failures - 1)) == []


def is_blamed(ill: int, *, known: bool = False) -> bool:
    """Of ten, so many hang: nobody is restarted."""
    names = [f"s{number}" for number in range(10)]
    containers = tuple(
        msgspec.structs.replace(
            WELL, unit=name, scrapers=(name,), id=f"{number:012}", pulse_age=900.0 if number < ill else 1.0
        )
        for number, name in enumerate(names)
    )
    incidents = (Incident(id="1", subject=FLEET, cause=Cause.SHARED, opened_at=NOW - 60),) if known else ()
    seen = Observation(now=NOW, gap=5.0, containers=containers, incidents=incidents)
    decision = decide(seen, Memory(dict.fromkeys(names, 9)), POLICY)
    return not decision.actions


def test_a_share_blames_the_fleet_and_half_of_it_keeps_the_blame() -> None:
    assert not is_blamed(3)
    assert is_blamed(4)
    assert is_blamed(2, known=True)
    assert not is_blamed(1, known=True)


def test_at_least_three_make_a_fleet() -> None:
    """Two of four are half, but they are only two."""
    containers = tuple(
        msgspec.structs.replace(
            WELL, unit=name, scrapers=(name,), id=name * 12, pulse_age=900.0 if name in "ab" else 1.0
        )
        for name in "abcd"
    )
    decision = decide(Observation(now=NOW, gap=5.0, containers=containers), Memory({"a": 9, "b": 9}), POLICY)
    assert [action.unit for action in decision.actions] == ["a", "b"]


LIGHT, HEAVY = tuple(f"light{n}" for n in range(14)), tuple(f"heavy{n}" for n in range(5))
IN_SEQUENCE = tuple(
    msgspec.structs.replace(WELL, unit=unit, scrapers=names, id=unit * 2)
    for unit, names in (("seq-light", LIGHT), ("seq-heavy", HEAVY))
)


def in_sequence(down: tuple[str, ...], outcome: str, failures: int, *, hung: str = "") -> Decision:
    rows = tuple(
        msgspec.structs.replace(FINE, scraper=name, outcome=outcome, failures=failures, success_age=900.0)
        if name in down
        else msgspec.structs.replace(FINE, scraper=name)
        for name in (*LIGHT, *HEAVY)
    )
    containers = tuple(
        msgspec.structs.replace(each, pulse_age=900.0) if each.unit == hung else each for each in IN_SEQUENCE
    )
    return decide(Observation(now=NOW, gap=5.0, containers=containers, rows=rows), Memory({hung: 9}), POLICY)


@pytest.mark.parametrize("outcome", ["unavailable", "timeout"])
def test_in_sequence_every_scraper_counts_for_the_share(outcome: str) -> None:
    decision = in_sequence((*LIGHT, *HEAVY), outcome, POLICY.restart_failures)
    assert [(opened.subject, opened.cause) for opened in decision.opened] == [(FLEET, Cause.SHARED)]
    assert decision.actions == ()
    few = in_sequence(LIGHT[:3], outcome, POLICY.failures)
    assert [opened.subject for opened in few.opened] == list(LIGHT[:3])


def test_in_sequence_a_process_that_hangs_is_one_and_is_restarted() -> None:
    decision = in_sequence((), "ok", 0, hung="seq-light")
    assert [(opened.subject, opened.cause) for opened in decision.opened] == [("seq-light", Cause.HANG)]
    assert [(action.kind, action.unit) for action in decision.actions] == [("restart", "seq-light")]


def subject(verdict: Cause | None = None, *, well: bool = False, **changes: object) -> Subject:
    shown = Subject(
        name="a", verdict=Verdict(verdict, "detail") if verdict else None, well=well, process_settle=30, data_settle=45
    )
    return msgspec.structs.replace(shown, **changes)


def course(incident: Incident, now: Subject, *, root: Incident | None = None) -> tuple[str, bool, bool, bool] | None:
    """Its cause, whether it is closed, whether it is told, and whether it belongs to a root; None for no change."""
    known = [incident, *([root] if root else [])]
    subjects = {"a": now, **({FLEET: subject(Cause.SHARED, name=FLEET)} if root else {})}
    changed = [each for each in reconcile(subjects, known, NOW, shared=root is not None)[1] if each.id == incident.id]
    return (changed[0].cause, changed[0].closed, changed[0].tell, bool(changed[0].parent_id)) if changed else None


def test_an_incident_from_its_first_sign_to_its_end() -> None:
    hang = Incident(id="1", subject="a", cause=Cause.HANG, opened_at=NOW - 100)
    assert course(hang, subject(Cause.HANG)) is None
    assert course(hang, subject(Cause.CRASH)) is None  # it keeps its worst name
    assert course(hang, subject(Cause.CRASH_LOOP)) == (Cause.CRASH_LOOP, False, True, False)
    assert course(hang, subject(Cause.HANG, restart_times=(NOW - 1,))) == (Cause.HANG, False, True, False)
    assert course(hang, subject(well=True)) == (Cause.HANG, False, False, False)
    for since, closed in ((29, None), (30, (Cause.HANG, True, True, False))):
        assert course(msgspec.structs.replace(hang, healthy_at=NOW - since), subject(well=True)) == closed
    better = msgspec.structs.replace(hang, healthy_at=NOW - 10)
    assert course(better, subject()) == (Cause.HANG, False, False, False)  # not heard of: not well
    assert course(better, subject(Cause.HANG)) == (Cause.HANG, False, False, False)
    empty = Incident(id="1", subject="a", cause=Cause.EMPTY, opened_at=NOW - 100, healthy_at=NOW - 40)
    assert course(empty, subject(well=True)) is None
    assert course(msgspec.structs.replace(empty, healthy_at=NOW - 45), subject(well=True)) == (
        Cause.EMPTY, True, True, False,
    )  # fmt: skip
    assert course(hang, subject(hushed=True)) == (Cause.HANG, True, True, False)
    assert worse(Cause.BLOCKED, Cause.SITE_DOWN) is Cause.SITE_DOWN


def test_what_has_a_root_cause_belongs_to_it() -> None:
    hang = Incident(id="1", subject="a", cause=Cause.HANG, opened_at=NOW - 100, restarts=2)
    root = Incident(id="2", subject=FLEET, cause=Cause.SHARED, opened_at=NOW - 50)
    assert course(hang, subject(Cause.HANG), root=root) == (Cause.HANG, False, False, True)
    blocked = msgspec.structs.replace(hang, cause=Cause.BLOCKED)
    assert course(blocked, subject(Cause.BLOCKED), root=root) is None
    opened, _ = reconcile({"a": subject(Cause.HANG), "b": subject(Cause.BLOCKED)}, [root], NOW, shared=True)
    assert [each.subject for each in opened] == ["b"]


def test_the_last_to_recover_from_a_shared_fault_are_not_told_apart() -> None:
    root = Incident(id="2", subject=FLEET, cause=Cause.SHARED, opened_at=NOW - 50, healthy_at=NOW - 5)
    subjects = {"a": subject(Cause.SITE_DOWN), "b": subject(Cause.HANG), FLEET: subject(well=True, name=FLEET)}
    assert [each.subject for each in reconcile(subjects, [root], NOW, shared=False)[0]] == ["b"]
    assert [each.subject for each in reconcile(subjects, [], NOW, shared=False)[0]] == ["a", "b"]
