"""A fleet that exists in numbers only: scrapers that crash, hang and recover, and a database that remembers.

It applies a decision as the real database and the real Docker do, so that decisions can be followed for hours in
milliseconds.
"""

import math
from dataclasses import dataclass, field
from itertools import count

import msgspec

from watchdog.causes import STOPPED
from watchdog.decide import decide
from watchdog.model import Action, Container, Control, Decision, Event, Incident, Memory, Observation, Row
from watchdog.policy import Policy


@dataclass
class FakeScraper:
    name: str
    id: str
    state: str = "running"
    started_at: float = 0.0
    finished_at: float = 0.0
    restart_count: int = 0
    last_exit: int | None = None
    oom: bool = False
    hung: bool = False
    hangs_always: bool = False  # every run of it
    pulse_at: float = 0.0
    outcome: str = "ok"
    failures: int = 0
    heartbeat_at: float = -1.0
    success_at: float = -1.0
    crash_after: float | None = None  # every run ends after so many seconds
    desired_paused: bool = False


@dataclass
class FakeService:
    name: str
    interval: float = 15.0
    state: str = "running"  # exited, failing: its rounds end in a fault of ours
    failures: int = 0
    heartbeat_at: float = -1.0
    success_at: float | None = None


@dataclass
class World:
    policy: Policy
    names: tuple[str, ...] = ("a", "b", "c", "d", "e", "f", "g", "h")
    service_names: tuple[str, ...] = ()
    now: float = 1_000_000.0
    database_up: bool = True
    database_up_since: float = -math.inf  # as the watchdog knows it: at most since its own start
    act_takes: int = 0  # looks until an action is done
    scrapers: dict[str, FakeScraper] = field(default_factory=dict)
    services: dict[str, FakeService] = field(default_factory=dict)
    controls: dict[str, Control] = field(default_factory=dict)
    events: dict[str, Event] = field(default_factory=dict)
    incidents: list[Incident] = field(default_factory=list)
    closed: list[Incident] = field(default_factory=list)
    acting: dict[str, tuple[Action, int]] = field(default_factory=dict)
    memory: Memory = field(default_factory=Memory)
    actions: list[tuple[float, Action]] = field(default_factory=list)
    numbers: count = field(default_factory=count)  # type: ignore[type-arg]

    def __post_init__(self) -> None:
        for name in self.names:
            started = self.now - 3600
            self.scrapers[name] = FakeScraper(
                name, f"{name:0>12}", started_at=started, pulse_at=self.now, heartbeat_at=self.now, success_at=self.now
            )
        for name in self.service_names:
            self.services[name] = FakeService(name, heartbeat_at=self.now, success_at=self.now)

    # --- What happens ---

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        for scraper in self.scrapers.values():
            if scraper.state != "running":
                continue
            ran = self.now - scraper.started_at
            if scraper.crash_after is not None and ran >= scraper.crash_after:
                self.crash(scraper.name)
            if scraper.hung:
                continue
            scraper.pulse_at = self.now
            if self.database_up and self.now > scraper.started_at:
                scraper.heartbeat_at = self.now - 0.001
                if scraper.outcome == "ok":
                    scraper.success_at, scraper.failures = scraper.heartbeat_at, 0
                else:
                    scraper.failures += 1
        for service in self.services.values():
            if service.state == "exited" or not self.database_up:
                continue
            service.heartbeat_at = self.now - 0.001
            if service.state == "running":
                service.success_at, service.failures = service.heartbeat_at, 0
            else:
                service.failures += 1

    def crash(self, name: str, exit_code: int = 1, *, oom: bool = False) -> None:
        """Docker brings it back at once."""
        scraper = self.scrapers[name]
        if scraper.state != "running":
            return
        scraper.finished_at, scraper.last_exit, scraper.oom = self.now, exit_code, oom
        scraper.restart_count += 1
        self._run(scraper)

    def start(self, name: str) -> None:
        scraper = self.scrapers[name]
        scraper.restart_count = 0
        self._run(scraper)

    def stop(self, name: str) -> None:
        scraper = self.scrapers[name]
        if scraper.state not in STOPPED:
            scraper.state, scraper.finished_at = "exited", self.now

    def _run(self, scraper: FakeScraper) -> None:
        scraper.state, scraper.hung = "running", scraper.hangs_always
        scraper.started_at = scraper.pulse_at = self.now + next(self.numbers) * 1e-3 % 0.5

    def wish(self, name: str, desired: str, *, restart: bool) -> None:
        control = self.controls.get(name, Control(unit=name))
        self.controls[name] = msgspec.structs.replace(control, desired=desired)
        if restart:
            key = f"operator/{next(self.numbers)}"
            self.events[key] = Event(
                key=key, unit=name, made_by="operator", cause="asked for", charged=False, state="requested", at=self.now
            )

    def new_watchdog(self) -> None:
        """The one before died, with all it knew."""
        self.acting.clear()
        self.memory = Memory()
        self.database_up_since = self.now

    # --- What the watchdog sees and does ---

    def seen(self) -> Observation:
        if not self.database_up:
            self.database_up_since = math.inf
            return Observation(now=self.now, gap=self.policy.poll, database_down_for=60.0, busy=frozenset(self.acting))
        self.database_up_since = min(self.database_up_since, self.now)
        return Observation(
            now=self.now,
            gap=self.policy.poll,
            database_up_for=self.now - self.database_up_since,
            containers=tuple(self._container(scraper) for scraper in self.scrapers.values()),
            rows=tuple(
                [self._row(scraper) for scraper in self.scrapers.values()]
                + [self._row_of_service(service) for service in self.services.values()]
            ),
            controls=tuple(self.controls.values()),
            events=tuple(sorted(self.events.values(), key=lambda event: (event.at, event.key))),
            incidents=tuple(self.incidents),
            busy=frozenset(self.acting),
        )

    def _container(self, scraper: FakeScraper) -> Container:
        running = scraper.state == "running"
        return Container(
            name=f"oddsfleet-scraper-{scraper.name}-1",
            id=scraper.id,
            unit=scraper.name,
            scrapers=(scraper.name,),
            state=scraper.state,
            up_for=max(0.0, self.now - scraper.started_at) if running else 0.0,
            stopped_for=self.now - scraper.finished_at if scraper.state in STOPPED else 0.0,
            started_at=scraper.started_at,
            finished_at=scraper.finished_at,
            restart_count=scraper.restart_count,
            pulse_age=max(0.0, self.now - scraper.pulse_at),
            last_exit=scraper.last_exit,
            last_oom=scraper.oom,
        )

    def _row(self, scraper: FakeScraper) -> Row:
        return Row(
            scraper=scraper.name,
            outcome=scraper.outcome,
            error=None if scraper.outcome == "ok" else "as the test wants it",
            failures=scraper.failures,
            heartbeat_age=self.now - scraper.heartbeat_at,
            success_age=self.now - scraper.success_at,
            habit=1.0,
        )

    def _row_of_service(self, service: FakeService) -> Row:
        return Row(
            scraper=service.name,
            kind="service",
            outcome="error" if service.failures else "ok",
            error="KeyError: as the test wants it" if service.failures else None,
            failures=service.failures,
            interval=service.interval,
            heartbeat_age=self.now - service.heartbeat_at,
            success_age=None if service.success_at is None else self.now - service.success_at,
        )

    def look(self) -> Decision:
        decision = decide(self.seen(), self.memory, self.policy)
        self.memory = decision.memory
        self._remember(decision)
        for action in decision.actions:
            assert action.unit not in self.acting
            self.actions.append((self.now, action))
            self.acting[action.unit] = (action, self.act_takes)
        for unit, (action, left) in list(self.acting.items()):
            if left:
                self.acting[unit] = (action, left - 1)
            else:
                del self.acting[unit]
                self._act(action)
        return decision

    def _act(self, action: Action) -> None:
        if action.kind == "stop":
            self.stop(action.unit)
        else:
            self.start(action.unit)

    def _remember(self, decision: Decision) -> None:
        for control in decision.controls:
            desired = self.controls.get(control.unit, control).desired
            self.controls[control.unit] = msgspec.structs.replace(control, desired=desired)
        for event in decision.new_events:
            self.events.setdefault(event.key, event)
        for change in decision.event_changes:
            old = self.events[change.key]
            self.events[change.key] = msgspec.structs.replace(old, state=change.state, run=change.run or old.run)
        for opened in decision.opened:
            assert opened.subject not in {incident.subject for incident in self.incidents}
            self.incidents.append(
                Incident(
                    id=str(next(self.numbers)), subject=opened.subject, cause=opened.cause, detail=opened.detail,
                    opened_at=self.now, restarts=opened.restarts,
                )
            )  # fmt: skip
        for changed in decision.changed:
            (was,) = [incident for incident in self.incidents if incident.id == changed.id]
            self.incidents.remove(was)
            now = msgspec.structs.replace(
                was, cause=changed.cause, detail=changed.detail, healthy_at=changed.healthy_at,
                restarts=changed.restarts, parent_id=changed.parent_id or was.parent_id,
            )  # fmt: skip
            (self.closed if changed.closed else self.incidents).append(now)

    def go_on(self, looks: int) -> None:
        for _ in range(looks):
            self.pass_time(self.policy.poll)
            self.look()

    def incident(self, subject: str) -> Incident | None:
        return next((incident for incident in self.incidents if incident.subject == subject), None)
