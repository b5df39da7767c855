"""How many restarts are left, how long to wait, and the circuit: to the last one and the last second."""

import pytest

from watchdog import budget
from watchdog.model import Container, Control, Event
from watchdog.policy import Policy

POLICY = Policy(budget=3, window=100, day_budget=5, backoff=10, longest_backoff=35, cool_down=60, longest_cool_down=200)
NOW = 1e6
RUNNING = Container(name="x", id="1" * 12, unit="a", scrapers=("a",), state="running", started_at=NOW - 5)


def restarts(*ages: float, made_by: str = "watchdog", charged: bool = True) -> list[Event]:
    return [
        Event(
            key=str(age), unit="a", made_by=made_by, cause="hang", charged=charged, state="verified", at=NOW - age
        )
        for age in ages
    ]  # fmt: skip


def test_the_budget_is_for_any_window_and_for_the_day() -> None:
    def room(*events: Event) -> bool:
        return budget.has_room(events, POLICY, NOW)

    assert room(*restarts(10, 20))
    assert not room(*restarts(10, 20, 30))
    assert not room(*restarts(10, 20, 99.9))
    assert room(*restarts(10, 20, 100))
    assert room(*restarts(10, 20), *restarts(1, 2, 3, charged=False))
    assert not room(*restarts(10, 20), *restarts(30, made_by="docker"))
    assert room(*restarts(200, 300, 400, 500))
    assert not room(*restarts(200, 300, 400, 500, POLICY.day - 1))
    assert room(*restarts(200, 300, 400, 500, POLICY.day))
    assert budget.told(restarts(10, 20, 100), POLICY, NOW) == "2/3"


def test_the_pause_before_a_restart_doubles_up_to_its_limit() -> None:
    def wait(*events: Event) -> float:
        """Without the jitter, which is of a tenth and more."""
        at = budget.may_restart_at("a", events, POLICY, NOW) - (NOW - 1)
        return at / budget.jitter(f"a/{len(events)}")

    assert budget.may_restart_at("a", (), POLICY, NOW) == NOW
    assert budget.may_restart_at("a", restarts(5, made_by="docker"), POLICY, NOW) == NOW
    assert budget.may_restart_at("a", restarts(100), POLICY, NOW) == NOW
    assert wait(*restarts(1)) == pytest.approx(10)
    assert wait(*restarts(9, 1)) == pytest.approx(20)
    assert wait(*restarts(20, 9, 1)) == pytest.approx(35)
    assert {0.8 <= budget.jitter(seed) <= 1.2 for seed in "abcdefgh"} == {True}
    assert len({budget.jitter(seed) for seed in "abcdefgh"}) > 4


def test_the_circuit_stays_open_for_longer_each_time() -> None:
    control, waits = Control(unit="a", started_at=1.0), []
    for _ in range(4):
        control = budget.opened(control, RUNNING, POLICY, NOW)
        waits.append((control.circuit_until or 0) - NOW)
        control = budget.with_circuit(control, "half_open")
        assert (control.circuit, control.circuit_until) == ("half_open", None)
    assert waits == [60, 120, 200, 200]
    assert (control.openings, control.started_at) == (4, RUNNING.started_at)
    assert budget.with_circuit(control, "closed").openings == 0


@pytest.mark.parametrize(
    ("before", "now", "crashes"),
    [
        (Control(unit="a"), 7, 0),  # never seen: what was before is not charged
        (Control(unit="a", container_id="other", started_at=1, restart_count=2), 5, 0),
        (Control(unit="a", container_id=RUNNING.id, started_at=1, restart_count=2), 2, 0),
        (Control(unit="a", container_id=RUNNING.id, started_at=1, restart_count=2), 5, 3),
        (Control(unit="a", container_id=RUNNING.id, started_at=1, restart_count=9), 4, 4),  # started by hand between
    ],
)
def test_dockers_own_restarts_are_counted(before: Control, now: int, crashes: int) -> None:
    seen = Container(name="x", id=RUNNING.id, unit="a", scrapers=("a",), state="running", restart_count=now)
    assert budget.new_crashes(seen, before) == crashes


@pytest.mark.parametrize(
    ("code", "ran", "planned"), [(0, 60, True), (0, 59, False), (1, 600, False), (None, 600, False)]
)
def test_only_a_clean_exit_after_a_while_is_planned(code: int | None, ran: float, planned: bool) -> None:
    before = Control(unit="a", container_id=RUNNING.id, started_at=1000.0)
    seen = Container(
        name="x", id=RUNNING.id, unit="a", scrapers=("a",), state="running", last_exit=code, finished_at=1000.0 + ran
    )
    assert budget.is_planned(seen, before, Policy(min_uptime=60)) is planned
