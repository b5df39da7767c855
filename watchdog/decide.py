"""From what is seen to what is done. A pure function: no clock, no I/O, the same answer for the same input."""

from collections.abc import Sequence

import msgspec

from watchdog import budget
from watchdog.causes import does_its_rounds, service_verdict
from watchdog.incidents import Subject, reconcile
from watchdog.model import (
    FLEET,
    SHARABLE,
    Action,
    Cause,
    Container,
    Control,
    Decision,
    Event,
    EventChange,
    Memory,
    Observation,
    Unit,
    Verdict,
)
from watchdog.policy import Policy
from watchdog.units import Progress, account, next_step

STARTS = ("restart", "start")


def decide(seen: Observation, memory: Memory, policy: Policy) -> Decision:
    if seen.database_down_for is not None or seen.docker_down_for is not None:
        # Half blind: what was decided stands, and nobody is restarted for it.
        return Decision(memory=Memory(), outage=outage(seen, policy))
    units = [unit_of(container, seen) for container in one_per_unit(seen.containers)]
    suspicions: dict[str, int] = {}
    progresses = [confirmed(account(unit, policy, seen.now), seen, memory, suspicions, policy) for unit in units]
    shared = blame_shared(progresses, seen, policy)

    actions: list[Action] = []
    controls: list[Control] = []
    new_events: list[Event] = []
    event_changes: list[EventChange] = []
    for progress in progresses:
        starting = len(seen.busy) + sum(action.kind in STARTS for action in actions)
        step = next_step(progress, policy, seen.now, shared=shared is not None, may_start=starting < policy.at_once)
        if step.control != progress.unit.control:
            controls.append(step.control)
        new_events += [*progress.new_events, *([at(step.new_event, seen.now)] if step.new_event else [])]
        event_changes += [*progress.event_changes, *([step.event_change] if step.event_change else [])]
        if step.action:
            actions.append(step.action)

    subjects = subjects_of(progresses, new_events, policy, seen.now) | services_of(seen, policy)
    subjects[FLEET] = Subject(
        name=FLEET, verdict=shared, well=shared is None, process_settle=0.0, data_settle=policy.settle
    )
    opened, changed = reconcile(subjects, seen.incidents, seen.now, shared=shared is not None)
    return Decision(
        memory=Memory(suspicions),
        actions=tuple(actions),
        controls=tuple(controls),
        new_events=tuple(new_events),
        event_changes=tuple(event_changes),
        opened=opened,
        changed=changed,
    )


def at(event: Event, now: float) -> Event:
    return msgspec.structs.replace(event, at=now)


def outage(seen: Observation, policy: Policy) -> Cause | None:
    if seen.database_down_for is not None and seen.database_down_for >= policy.outage_after:
        return Cause.DATABASE_DOWN
    if seen.docker_down_for is not None and seen.docker_down_for >= policy.outage_after:
        return Cause.DOCKER_DOWN
    return None


def one_per_unit(containers: Sequence[Container]) -> list[Container]:
    """Ours are labelled with the scrapers they run. Of two that claim the same, the one that runs, or the newest."""
    ranked = sorted(containers, key=lambda each: (each.unit, each.state == "running", each.started_at, each.id))
    return list({container.unit: container for container in ranked if container.scrapers}.values())


def unit_of(container: Container, seen: Observation) -> Unit:
    controls = {control.unit: control for control in seen.controls}
    return Unit(
        container=container,
        control=controls.get(container.unit, Control(unit=container.unit)),
        rows=tuple(
            msgspec.structs.replace(row, could_arrive_for=seen.database_up_for)
            for row in seen.rows
            if row.scraper in container.scrapers
        ),
        events=tuple(event for event in seen.events if event.unit == container.unit),
        busy=container.unit in seen.busy,
    )


def confirmed(
    progress: Progress, seen: Observation, memory: Memory, suspicions: dict[str, int], policy: Policy
) -> Progress:
    """A hang must be seen several times in a row, and by a watchdog that was not itself held up in between."""
    if not progress.process or progress.process.cause is not Cause.HANG:
        return progress
    name = progress.unit.container.unit
    before = 0 if seen.gap > 4 * policy.poll else memory.suspicions.get(name, 0)
    suspicions[name] = before + 1
    if suspicions[name] >= policy.confirm or any(event.state == "done" for event in progress.unit.events):
        return progress
    return msgspec.structs.replace(progress, process=None)


def blame_shared(progresses: Sequence[Progress], seen: Observation, policy: Policy) -> Verdict | None:
    """Many ill of the same family at once: suspect what they share, and restart nobody.

    With the first that is ill for sure, those that are about to be are counted too: cycles have different phases, and
    half a fleet would be told one by one before the share is reached. A process that hangs is one, however many
    scrapers it holds: by itself it is no reason to blame anything else, and a restart helps it.
    """
    sure = [name for progress in progresses for name in ill_of(progress)]
    ill = sorted({*sure, *(name for progress in progresses for name in progress.failing)}) if sure else []
    running = sum(
        len(progress.unit.container.scrapers) for progress in progresses if progress.unit.container.state == "running"
    )
    is_on = any(incident.subject == FLEET for incident in seen.incidents)
    share = policy.fleet_share / 2 if is_on else policy.fleet_share
    least = 1 if is_on else policy.fleet_least
    if len(ill) < least or len(ill) < share * running:
        return None
    return Verdict(Cause.SHARED, f"{len(ill)} of {running} at once: {', '.join(ill)}")


def ill_of(progress: Progress) -> list[str]:
    verdicts = {progress.unit.container.unit: progress.process} if progress.process else progress.data
    return [name for name, verdict in verdicts.items() if verdict.cause in SHARABLE]


def subjects_of(
    progresses: Sequence[Progress], new_events: Sequence[Event], policy: Policy, now: float
) -> dict[str, Subject]:
    subjects: dict[str, Subject] = {}
    for progress in progresses:
        unit, container = progress.unit, progress.unit.container
        known = {event.key for event in unit.events}
        events = [*unit.events, *(e for e in new_events if e.unit == container.unit and e.key not in known)]
        restarts = tuple(event.at for event in events if event.charged)
        alike = Subject(
            name=container.unit,
            verdict=progress.process,
            well=progress.well,
            process_settle=policy.settle,
            data_settle=policy.settle,
            budget=budget.told(events, policy, now),
            restart_times=restarts,
            hushed=unit.is_paused,
        )
        subjects[container.unit] = alike
        for row in unit.rows:
            if not (row.scraper == container.unit and progress.process):
                verdict = progress.data.get(row.scraper)
                subjects[row.scraper] = msgspec.structs.replace(
                    alike, name=row.scraper, verdict=verdict, data_settle=row.interval * 1.5
                )
    return subjects


def services_of(seen: Observation, policy: Policy) -> dict[str, Subject]:
    """Told of and never touched: their containers are not labelled, and Docker restarts them when they end."""
    rows = [
        msgspec.structs.replace(row, could_arrive_for=seen.database_up_for)
        for row in seen.rows
        if row.kind == "service"
    ]
    return {
        row.scraper: Subject(
            name=row.scraper,
            verdict=service_verdict(row, policy),
            well=does_its_rounds(row, policy),
            process_settle=policy.settle,
            data_settle=policy.settle,
        )
        for row in rows
    }
