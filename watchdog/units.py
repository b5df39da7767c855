"""One container of scrapers: what its restarts have come to, and what to do about it. Pure."""

import msgspec

from watchdog import budget
from watchdog.causes import STOPPED, data_verdict, has_answered, has_good_row, is_failing, process_verdict
from watchdog.model import PROCESS, Action, Cause, Control, Event, EventChange, Unit, Verdict
from watchdog.policy import Policy

RESTARTED_FOR_DATA = frozenset({Cause.TIMEOUT, Cause.INTERNAL})


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """A unit whose restarts are accounted for."""

    unit: Unit
    control: Control
    new_events: tuple[Event, ...] = ()
    event_changes: tuple[EventChange, ...] = ()
    pending: Event | None = None  # a restart that is decided, but not done
    process: Verdict | None = None
    data: dict[str, Verdict] = {}
    failing: tuple[str, ...] = ()  # whose data is about to have a verdict of a kind that many show at once

    @property
    def well(self) -> bool:
        """Running, and heard of since its start."""
        unit = self.unit
        return not self.process and (has_good_row(unit.container, unit.rows) or has_answered(unit.container, unit.rows))


def account(unit: Unit, policy: Policy, now: float) -> Progress:
    """Charge Docker's restarts, follow up ours, and name what ails the process and its data."""
    container = unit.container
    control = msgspec.structs.replace(
        unit.control,
        container_id=container.id,
        started_at=container.started_at,
        restart_count=container.restart_count,
        scrapers=container.scrapers,
    )
    if unit.control.circuit == "open":  # the run it was stopped in stays the mark
        control = msgspec.structs.replace(control, started_at=unit.control.started_at)
    crashes = tuple(
        Event(
            key=f"docker/{container.id[:12]}/{container.finished_at:.3f}/{number}",
            unit=container.unit,
            at=now,
            made_by="docker",
            cause=Cause.OUT_OF_MEMORY if container.last_oom else Cause.CRASH,
            charged=number > 0 or not budget.is_planned(container, unit.control, policy),
            state="done",
            run=container.run,
        )
        for number in range(budget.new_crashes(container, unit.control))
    )
    changes = tuple(change for event in unit.events if (change := follow_up(event, unit, policy, now)))
    states = {change.key: change.state for change in changes}
    events = (
        tuple(msgspec.structs.replace(event, state=states.get(event.key, event.state)) for event in unit.events)
        + crashes
    )
    unit = msgspec.structs.replace(unit, events=events)
    pending = next((event for event in events if event.state in ("requested", "intended")), None)
    process, data = None, {}
    failing: tuple[str, ...] = ()
    if not unit.is_paused:
        process = process_verdict(unit, policy, now)
        if not process:
            failing = tuple(row.scraper for row in unit.rows if is_failing(row, container, policy))
            data = {row.scraper: verdict for row in unit.rows if (verdict := data_verdict(row, container, policy))}
    return Progress(
        unit=unit,
        control=control,
        new_events=crashes,
        event_changes=changes,
        pending=pending,
        process=process,
        data=data,
        failing=failing,
    )


def follow_up(event: Event, unit: Unit, policy: Policy, now: float) -> EventChange | None:
    container = unit.container
    if event.state == "intended" and event.run != container.run and container.state not in STOPPED:
        return EventChange(key=event.key, state="done")
    if event.state != "done":
        return None
    if has_good_row(container, unit.rows):
        return EventChange(key=event.key, state="verified")
    if has_answered(container, unit.rows):
        return EventChange(key=event.key, state="answered", note="it runs and reports, without odds")
    if now - event.at > policy.verify_within + container.grace:
        return EventChange(key=event.key, state="failed", note="no row since the restart")
    return None


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done with a unit now: at most one thing."""

    control: Control
    action: Action | None = None
    new_event: Event | None = None
    event_change: EventChange | None = None


def next_step(progress: Progress, policy: Policy, now: float, *, shared: bool, may_start: bool) -> Step:
    unit, control = progress.unit, progress.control
    waits = Step(control=control)
    if unit.busy:
        return waits
    if unit.is_paused:
        return waits if unit.container.state in STOPPED else Step(control=control, action=stop(unit, "paused"))
    if progress.pending:
        under_way = is_under_way(progress.pending, unit, policy, now)
        return carry_out(progress, progress.pending) if may_start and not under_way else waits
    if control.circuit == "open":
        return while_open(progress, policy, now, may_start=may_start)
    return while_running(progress, policy, now, shared=shared, may_start=may_start)


def is_under_way(event: Event, unit: Unit, policy: Policy, now: float) -> bool:
    """Docker may still be at a restart that a watchdog asked for and did not live to see: a second request would be a
    second restart. One that stopped half-way needs nobody to wait, since starting twice is starting once."""
    takes = policy.hang_stop if event.cause == Cause.HANG else unit.container.grace
    is_asked = event.state == "intended" and unit.container.state not in STOPPED
    return is_asked and now - event.at < takes + policy.restart_patience


def while_running(progress: Progress, policy: Policy, now: float, *, shared: bool, may_start: bool) -> Step:
    unit, control, container = progress.unit, progress.control, progress.unit.container
    cause = progress.process.cause if progress.process else None
    failed = cause in PROCESS and not (cause is Cause.HANG and shared) and has_failed(progress)
    room = budget.has_room(unit.events, policy, now)
    half_open = control.circuit == "half_open"
    if failed and (half_open or not room):
        return Step(control=budget.opened(control, container, policy, now), action=stop(unit, cause))
    if half_open:
        good = progress.well and has_good_row(container, unit.rows) and container.up_for >= policy.settle
        return Step(control=budget.with_circuit(control, "closed") if good else control)
    helps = wanted(progress, policy)
    due = now >= budget.may_restart_at(container.unit, unit.events, policy, now)
    if helps and room and due and may_start and not shared:
        return begin(unit, control, helps, "restart", policy)
    return Step(control=control)


def has_failed(progress: Progress) -> bool:
    """The run in hand is a bad one, beyond doubt: it crashed anew, it hangs, or its restart led to nothing."""
    unit = progress.unit
    if progress.process and progress.process.cause is Cause.HANG and not any(e.state == "done" for e in unit.events):
        return True
    return bool(progress.new_events) or bool(unit.events and unit.events[-1].state == "failed")


def wanted(progress: Progress, policy: Policy) -> Cause | None:
    """The cause that a restart of ours would help against."""
    if progress.process:
        return progress.process.cause if progress.process.cause in PROCESS and has_failed_quietly(progress) else None
    for row in progress.unit.rows:
        verdict = progress.data.get(row.scraper)
        # The failures may be of the run before: this one gets as many cycles.
        had_time = progress.unit.container.up_for >= policy.restart_failures * row.interval
        failed = row.failures >= policy.restart_failures and had_time
        if verdict and verdict.cause in RESTARTED_FOR_DATA and failed:
            return verdict.cause
    return None


def has_failed_quietly(progress: Progress) -> bool:
    """Docker has not restarted it, or has to no effect: a crash that Docker has just healed needs nobody else."""
    return has_failed(progress) and not progress.new_events


def while_open(progress: Progress, policy: Policy, now: float, *, may_start: bool) -> Step:
    unit, control = progress.unit, progress.control
    container = unit.container
    if container.state in STOPPED:
        due = control.circuit_until is None or now >= control.circuit_until
        if due and may_start and budget.has_room_in_window(unit.events, policy, now):
            return begin(unit, budget.with_circuit(control, "half_open"), Cause.CRASH_LOOP, "start", policy)
        return Step(control=control)
    if container.restart_count == 0 and container.started_at != control.started_at:  # started by hand: a try
        return Step(control=budget.with_circuit(control, "half_open"))
    return Step(control=control, action=stop(unit, Cause.CRASH_LOOP))


def begin(unit: Unit, control: Control, cause: Cause, kind: str, policy: Policy) -> Step:
    run = unit.container.run
    before = sum(event.run == run for event in unit.events)
    event = Event(
        key=f"watchdog/{run}/{before}",
        unit=unit.container.unit,
        made_by="watchdog",
        cause=cause,
        charged=True,
        state="intended",
        run=run,
    )
    hung = cause is Cause.HANG
    action = Action(
        kind=kind,
        unit=unit.container.unit,
        container=unit.container.name,
        cause=cause,
        key=event.key,
        timeout=policy.hang_stop if hung else unit.container.grace,
        evidence=kind == "restart",
    )
    return Step(control=control, action=action, new_event=event)


def carry_out(progress: Progress, event: Event) -> Step:
    """A restart that somebody decided: the operator, or a watchdog that died before it was done."""
    container = progress.unit.container
    stopped = container.state in STOPPED
    action = Action(
        kind="start" if stopped else "restart",
        unit=container.unit,
        container=container.name,
        cause=event.cause,
        key=event.key,
        timeout=container.grace,
    )
    control = progress.control
    if control.circuit == "open":
        control = budget.with_circuit(control, "half_open")
    change = EventChange(key=event.key, state="intended", run=container.run) if event.state == "requested" else None
    return Step(control=control, action=action, event_change=change)


def stop(unit: Unit, cause: str | None) -> Action:
    return Action(
        kind="stop",
        unit=unit.container.unit,
        container=unit.container.name,
        cause=str(cause),
        timeout=unit.container.grace,
    )
