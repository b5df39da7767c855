"""What ails a scraper, told from its container and its rows. Pure."""

from collections.abc import Sequence

from watchdog.model import SHARABLE, Cause, Container, Row, Unit, Verdict
from watchdog.policy import Policy

STOPPED = frozenset({"exited", "created", "dead"})
RUNS = frozenset({"running", "restarting"})
BACKOFF = 6  # intervals between two cycles of a scraper that a site blocks
OUTCOMES = {
    "blocked": Cause.BLOCKED,
    "changed": Cause.CHANGED,
    "unavailable": Cause.SITE_DOWN,
    "timeout": Cause.TIMEOUT,
    "internal": Cause.INTERNAL,
    "empty": Cause.EMPTY,
}


def has_good_row(container: Container, rows: Sequence[Row]) -> bool:
    """Since this run began, one of its scrapers has brought odds."""
    return container.state == "running" and any(
        row.success_age is not None and row.success_age < container.up_for for row in rows
    )


def has_answered(container: Container, rows: Sequence[Row]) -> bool:
    """Since this run began, there was a row, though perhaps without odds: the process lives, the site is ill."""
    return container.state == "running" and any(
        row.heartbeat_age is not None and row.heartbeat_age < container.up_for for row in rows
    )


def silence(container: Container, rows: Sequence[Row], policy: Policy) -> float | None:
    """Seconds without a sign of life beyond what a start may take; None when it shows life."""
    since_grace = container.up_for - policy.start_grace
    if container.state != "running":
        return None
    if container.pulse_age is not None:
        quiet = min(container.pulse_age, since_grace)
        return quiet if quiet > policy.hang_after else None
    # No pulse to read: then Docker's slower probe and the rows must both say so.
    if container.healthy or since_grace <= 0 or not all(is_stale(row, container, policy) for row in rows):
        return None
    return since_grace


def process_verdict(unit: Unit, policy: Policy, now: float) -> Verdict | None:
    """What ails the process; None when it is well or on its way."""
    container = unit.container
    if container.state == "paused":
        return Verdict(Cause.STOPPED_BY_HAND, "frozen with docker pause")
    if container.state in STOPPED:
        return stopped_verdict(unit, policy)
    if crash := crash_verdict(unit, policy, now):
        return crash
    if (quiet := silence(container, unit.rows, policy)) is not None:
        return Verdict(Cause.HANG, f"no sign of life for {quiet:.0f} s")
    return restart_verdict(unit)


def stopped_verdict(unit: Unit, policy: Policy) -> Verdict | None:
    if unit.control.circuit == "open":
        return Verdict(Cause.CRASH_LOOP, "too many restarts: stopped until the circuit lets it try again")
    if any(event.state in ("intended", "requested") for event in unit.events):
        return None
    if unit.container.stopped_for < policy.settle:  # Compose creates all before it starts any; old ones end, then go
        return None
    return Verdict(Cause.STOPPED_BY_HAND, f"stopped by hand (container {unit.container.state})")


def crash_verdict(unit: Unit, policy: Policy, now: float) -> Verdict | None:
    crashes = [event for event in unit.events if event.made_by == "docker" and event.charged]
    recent = [event for event in crashes if now - event.at < policy.window]
    # What it did before the circuit opened is not held against it once it runs.
    looping = len(recent) >= policy.loop_crashes and unit.control.circuit != "half_open"
    fresh = next((event for event in reversed(crashes) if event.state == "done"), None)
    if not fresh and not (looping and unit.container.up_for < policy.settle):
        return None
    detail = crash_detail(unit.container)
    if looping:
        return Verdict(Cause.CRASH_LOOP, f"{len(recent)} crashes in {policy.window / 60:g} min; {detail}")
    if fresh and fresh.cause == Cause.OUT_OF_MEMORY:
        return Verdict(Cause.OUT_OF_MEMORY, "killed at its memory limit")
    return Verdict(Cause.CRASH, detail)


def restart_verdict(unit: Unit) -> Verdict | None:
    """A restart of ours that has not led to a row yet, or not in time."""
    ours = next((event for event in reversed(unit.events) if event.made_by != "operator"), None)
    if ours and ours.made_by == "watchdog" and ours.state == "done":
        return Verdict(Cause(ours.cause), "restarted; waiting for its first good row")
    if ours and ours.state == "failed" and not has_answered(unit.container, unit.rows):
        return Verdict(Cause(ours.cause), "restarted, and still no row")
    return None


def crash_detail(container: Container) -> str:
    code = container.last_exit
    if code is None:
        return "the process ended"
    if code > 128:
        return f"the process was killed by signal {code - 128}"
    return f"the process ended with exit code {code}"


def is_stale(row: Row, container: Container, policy: Policy) -> bool:
    """No row of any kind for too long, though it had the time to write one."""
    intervals = policy.stale_intervals + (BACKOFF if row.outcome == "blocked" else 0)
    limit = max(policy.stale_least, intervals * row.interval)
    age = min(container.up_for if row.heartbeat_age is None else row.heartbeat_age, container.up_for)
    return min(age, row.could_arrive_for) > limit


def is_failing(row: Row, container: Container, policy: Policy) -> bool:
    """About to be an incident of a kind that many show when what they share is ill. One more cycle makes it one."""
    cause = OUTCOMES.get(row.outcome or "")
    almost = max(1, policy.failures - 1)
    return (
        container.state == "running" and cause in SHARABLE and row.failures >= almost and not brings_odds(row, almost)
    )


def brings_odds(row: Row, cycles: int) -> bool:
    """Some of its requests fail, others do not."""
    return row.success_age is not None and row.success_age < cycles * row.interval


def data_verdict(row: Row, container: Container, policy: Policy) -> Verdict | None:
    """What ails the data of a scraper whose process is well."""
    if container.state != "running":
        return None
    if is_stale(row, container, policy):
        return Verdict(Cause.DATABASE_DOWN, "it works, but its rows do not arrive in the database")
    cause = OUTCOMES.get(row.outcome or "")
    if cause is None or row.failures < policy.failures:
        return None
    if brings_odds(row, policy.failures) and cause is not Cause.CHANGED:  # one request of several failed: no incident
        return None
    if cause is Cause.EMPTY and (row.habit is None or row.habit < policy.habit):
        return None  # it seldom has any: out of season
    return Verdict(cause, row.error or str(cause))


def service_verdict(row: Row, policy: Policy) -> Verdict | None:
    """What ails a service that is no scraper. It gets as long after an outage, and after the watchdog's own start."""
    if does_its_rounds(row, policy) or row.could_arrive_for <= patience_with(row, policy):
        return None
    detail = f"no good round for {since_good_round(row):.0f} s"
    return Verdict(Cause.SERVICE_SILENT, f"{detail}: {row.error}" if row.error else detail)


def does_its_rounds(row: Row, policy: Policy) -> bool:
    return since_good_round(row) <= patience_with(row, policy)


def patience_with(row: Row, policy: Policy) -> float:
    return max(policy.service_least, policy.service_intervals * row.interval)


def since_good_round(row: Row) -> float:
    """Seconds; where there was none yet, since its first round."""
    if row.success_age is not None:
        return row.success_age
    return max(0, row.failures - 1) * row.interval + (row.heartbeat_age or 0.0)
