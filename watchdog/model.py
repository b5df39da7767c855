"""What the watchdog sees and decides, as plain values."""

import math
from enum import StrEnum

import msgspec


class Cause(StrEnum):
    CRASH = "crash"
    OUT_OF_MEMORY = "out_of_memory"
    CRASH_LOOP = "crash_loop"
    HANG = "hang"
    EMPTY = "empty"
    BLOCKED = "blocked"
    CHANGED = "changed"
    SITE_DOWN = "site_down"
    TIMEOUT = "timeout"
    INTERNAL = "internal"
    DATABASE_DOWN = "database_down"
    DOCKER_DOWN = "docker_down"
    SHARED = "shared"
    STOPPED_BY_HAND = "stopped_by_hand"
    SERVICE_SILENT = "service_silent"


# Of the process itself, worst last; the others are of its data.
PROCESS = (Cause.CRASH, Cause.OUT_OF_MEMORY, Cause.HANG, Cause.CRASH_LOOP)
# What many show at once when something they share is ill.
SHARABLE = frozenset({Cause.HANG, Cause.DATABASE_DOWN, Cause.SITE_DOWN, Cause.TIMEOUT, Cause.SERVICE_SILENT})
FLEET = "*"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The heartbeat of a scraper, or of a service that is none; ages by the database's clock."""

    scraper: str
    kind: str = "scraper"  # or service
    epoch: int = 0
    outcome: str | None = None
    error: str | None = None
    failures: int = 0
    interval: float = 30.0
    heartbeat_age: float | None = None
    success_age: float | None = None
    odds: int | None = None
    could_arrive_for: float = math.inf  # seconds since the database was away, or since the watchdog began to look
    habit: float | None = None  # share of earlier cycles that had odds; only told of an empty one


class Control(msgspec.Struct, frozen=True, kw_only=True):
    unit: str
    desired: str = "run"
    circuit: str = "closed"
    circuit_until: float | None = None
    openings: int = 0
    container_id: str | None = None
    started_at: float | None = None
    restart_count: int = 0
    scrapers: tuple[str, ...] = ()


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """A restart: requested -> intended -> done -> verified, answered (lives, but the site is ill) or failed."""

    key: str
    unit: str
    made_by: str  # docker, watchdog, operator
    cause: str
    charged: bool
    state: str
    at: float = 0.0
    run: str | None = None


class Incident(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    subject: str
    cause: str
    detail: str = ""
    opened_at: float = 0.0
    healthy_at: float | None = None
    parent_id: str | None = None
    restarts: int = 0


class Container(msgspec.Struct, frozen=True, kw_only=True):
    """Times by the clock of the Docker host; ages as seen from there."""

    name: str
    id: str
    unit: str
    scrapers: tuple[str, ...]
    state: str  # running, restarting, paused, exited, created, dead
    up_for: float = 0.0
    stopped_for: float = 0.0  # since its end, or since it was created and never started
    started_at: float = 0.0
    finished_at: float = 0.0
    restart_count: int = 0
    healthy: bool = True
    grace: float = 30.0
    pulse_age: float | None = None  # since the last sign of life; None where there is none to read
    # How the process before this one ended, as far as the engine has told.
    last_exit: int | None = None
    last_oom: bool = False

    @property
    def run(self) -> str:
        return f"{self.id[:12]}/{self.started_at:.3f}"


class Unit(msgspec.Struct, frozen=True, kw_only=True):
    container: Container
    control: Control  # as it was left
    rows: tuple[Row, ...]
    events: tuple[Event, ...]  # oldest first
    busy: bool

    @property
    def is_paused(self) -> bool:
        return self.control.desired == "paused"


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    now: float  # by the database's clock
    gap: float = 0.0  # since the look before this one
    database_down_for: float | None = None
    database_up_for: float = math.inf
    docker_down_for: float | None = None
    containers: tuple[Container, ...] = ()
    rows: tuple[Row, ...] = ()
    controls: tuple[Control, ...] = ()
    events: tuple[Event, ...] = ()
    incidents: tuple[Incident, ...] = ()
    busy: frozenset[str] = frozenset()  # units that are being acted on


class Memory(msgspec.Struct, frozen=True):
    """What one decision tells the next. Lost with the process, and no harm done."""

    suspicions: dict[str, int] = {}


class Verdict(msgspec.Struct, frozen=True):
    cause: Cause
    detail: str


class Action(msgspec.Struct, frozen=True, kw_only=True):
    kind: str  # restart, start, stop
    unit: str
    container: str
    cause: str
    key: str | None = None  # of the restart event it carries out
    timeout: float = 30.0
    evidence: bool = False


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    subject: str
    cause: str
    detail: str
    budget: str
    restarts: int = 0
    evidence: dict[str, object] = {}


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    cause: str
    detail: str
    budget: str
    restarts: int
    healthy_at: float | None = None
    closed: bool = False
    tell: bool = True
    parent_id: str | None = None


class EventChange(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    state: str
    run: str | None = None
    note: str | None = None


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    memory: Memory
    outage: Cause | None = None
    actions: tuple[Action, ...] = ()
    controls: tuple[Control, ...] = ()
    new_events: tuple[Event, ...] = ()
    event_changes: tuple[EventChange, ...] = ()
    opened: tuple[Opened, ...] = ()
    changed: tuple[Changed, ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.controls or self.new_events or self.event_changes or self.opened or self.changed)
