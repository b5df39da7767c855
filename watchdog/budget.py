"""How many restarts are left, how long to wait, and the circuit. Pure."""

import hashlib
from collections.abc import Sequence

import msgspec

from watchdog.model import Container, Control, Event
from watchdog.policy import Policy


def used(events: Sequence[Event], policy: Policy, now: float) -> int:
    """Charged restarts in the window that ends now, whoever made them."""
    return sum(event.charged and now - event.at < policy.window for event in events)


def has_room(events: Sequence[Event], policy: Policy, now: float) -> bool:
    in_a_day = sum(event.charged and now - event.at < policy.day for event in events)
    return has_room_in_window(events, policy, now) and in_a_day < policy.day_budget


def has_room_in_window(events: Sequence[Event], policy: Policy, now: float) -> bool:
    """For the one try of a circuit that has cooled down: a bad day must not keep a healed scraper down for the rest
    of it."""
    return used(events, policy, now) < policy.budget


def told(events: Sequence[Event], policy: Policy, now: float) -> str:
    return f"{used(events, policy, now)}/{policy.budget}"


def may_restart_at(unit: str, events: Sequence[Event], policy: Policy, now: float) -> float:
    """When the next restart of ours may be: at once, then after a pause that doubles."""
    ours = [event.at for event in events if event.made_by == "watchdog" and now - event.at < policy.window]
    if not ours:
        return now
    pause = min(policy.backoff * (1 << (len(ours) - 1)), policy.longest_backoff)
    return max(ours) + pause * jitter(f"{unit}/{len(ours)}")


def jitter(seed: str) -> float:
    """0.8 to 1.2, the same for the same seed: two scrapers do not start together, and a decision stays a function."""
    return 0.8 + 0.4 * hashlib.sha256(seed.encode()).digest()[0] / 255


def opened(control: Control, container: Container, policy: Policy, now: float) -> Control:
    cool_down = min(policy.cool_down * (1 << min(control.openings, 20)), policy.longest_cool_down)
    return msgspec.structs.replace(
        control,
        circuit="open",
        circuit_until=now + cool_down,
        openings=control.openings + 1,
        started_at=container.started_at,
    )


def with_circuit(control: Control, circuit: str) -> Control:
    openings = 0 if circuit == "closed" else control.openings
    return msgspec.structs.replace(control, circuit=circuit, circuit_until=None, openings=openings)


def new_crashes(container: Container, control: Control) -> int:
    """Restarts that Docker made since the container was last looked at. A start by hand sets its count back to 0."""
    if control.container_id != container.id or control.started_at is None:
        return 0
    if container.restart_count >= control.restart_count:
        return container.restart_count - control.restart_count
    return container.restart_count


def is_planned(container: Container, control: Control, policy: Policy) -> bool:
    """A clean exit after a while, as to give memory back, is no crash; one in a hurry is."""
    ran_for = container.finished_at - (control.started_at or container.finished_at)
    return container.last_exit == 0 and ran_for >= policy.min_uptime
