"""Verdicts against the incidents that are open: one incident per subject, from its first sign to its end. Pure."""

from collections.abc import Mapping, Sequence

import msgspec

from watchdog.model import FLEET, PROCESS, SHARABLE, Cause, Changed, Incident, Opened, Verdict


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """A scraper, a unit, a service or the fleet, as it is now."""

    name: str
    verdict: Verdict | None
    well: bool
    process_settle: float  # seconds well, before an incident of the process is closed
    data_settle: float  # … and one of its data
    budget: str = ""
    restart_times: tuple[float, ...] = ()
    hushed: bool = False  # paused by the operator: nobody needs to be told


def reconcile(
    subjects: Mapping[str, Subject], open_incidents: Sequence[Incident], now: float, *, shared: bool
) -> tuple[tuple[Opened, ...], tuple[Changed, ...]]:
    known = {incident.subject: incident for incident in open_incidents}
    root = known.get(FLEET)
    opened = tuple(
        Opened(
            subject=name,
            cause=subject.verdict.cause,
            detail=subject.verdict.detail,
            budget=subject.budget,
            restarts=sum(at >= now for at in subject.restart_times),
        )
        for name, subject in sorted(subjects.items())
        if subject.verdict
        and name not in known
        and not subject.hushed
        and not (name != FLEET and is_part_of(root, subject.verdict, shared=shared))
    )
    changed = tuple(
        change
        for incident in open_incidents
        if (change := change_of(incident, subjects.get(incident.subject), root if shared else None, now))
    )
    return opened, changed


def is_part_of(root: Incident | None, verdict: Verdict, *, shared: bool) -> bool:
    """Told with the fleet: while the fault is shared, and of the data also until that incident is closed, since the
    last ones to recover are its end and not a beginning."""
    return verdict.cause in SHARABLE and (shared or (root is not None and verdict.cause not in PROCESS))


def change_of(incident: Incident, subject: Subject | None, root: Incident | None, now: float) -> Changed | None:
    if subject is None or subject.hushed:
        why = "its container is gone" if subject is None else "paused by the operator"
        return Changed(
            id=incident.id, cause=incident.cause, detail=f"{incident.detail} ({why})", budget="",
            restarts=incident.restarts, healthy_at=now, closed=True,
        )  # fmt: skip
    same = Changed(
        id=incident.id,
        cause=incident.cause,
        detail=incident.detail,
        budget=subject.budget,
        restarts=max(incident.restarts, sum(at >= incident.opened_at - 0.001 for at in subject.restart_times)),
        healthy_at=incident.healthy_at,
        tell=False,
    )
    if subject.verdict:
        return still_ill(incident, subject.verdict, same, root)
    if not subject.well:
        return msgspec.structs.replace(same, healthy_at=None) if incident.healthy_at else None
    if incident.healthy_at is None:
        same = msgspec.structs.replace(same, healthy_at=now)
    if now - (same.healthy_at or now) >= settle(incident, subject):
        return msgspec.structs.replace(same, closed=True, tell=True)
    return same if incident.healthy_at is None else None


def settle(incident: Incident, subject: Subject) -> float:
    if incident.cause == Cause.STOPPED_BY_HAND:
        return 0.0
    return subject.process_settle if incident.cause in PROCESS else subject.data_settle


def still_ill(incident: Incident, verdict: Verdict, same: Changed, root: Incident | None) -> Changed | None:
    cause = worse(incident.cause, verdict.cause)
    adopted = root is not None and root.id != incident.id and incident.parent_id is None and verdict.cause in SHARABLE
    moved = cause != incident.cause or same.restarts != incident.restarts
    if not (moved or adopted or incident.healthy_at is not None):
        return None
    return msgspec.structs.replace(
        same,
        cause=cause,
        detail=verdict.detail if cause == verdict.cause else incident.detail,
        healthy_at=None,
        parent_id=root.id if root and adopted else None,
        tell=moved,
    )


def worse(before: str, now: Cause) -> Cause:
    """An incident of the process keeps its worst name until it ends; of the data, its newest."""
    if before in PROCESS and now in PROCESS:
        return max(Cause(before), now, key=PROCESS.index)
    return now
