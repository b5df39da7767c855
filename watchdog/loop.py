"""The loop: look, decide, write it down, act, tell; and show that it does."""

import asyncio
import time
from contextlib import suppress
from pathlib import Path

import httpx
import msgspec
from loguru import logger

from common.settings import is_encrypted
from scrapers.errors import Refused
from store.rpc import StoreDown
from store.watchdog import Remembered, WatchdogStore
from watchdog.act import Actor
from watchdog.alerts import Alerts
from watchdog.decide import decide
from watchdog.engine import Engine, EngineDown
from watchdog.evidence import log_lines
from watchdog.journal import Journal
from watchdog.model import Container, Decision, Memory, Observation, Opened
from watchdog.observe import look_at_containers
from watchdog.policy import Policy, WatchdogSettings

LEAST_PAUSE = 0.3  # seconds between two looks, however many hints come
PING_EVERY = 60.0


class Watchdog:
    def __init__(
        self,
        policy: Policy,
        settings: WatchdogSettings,
        store: WatchdogStore,
        *,
        engine: Engine,
        alerts: Alerts,
        journal: Journal,
        progress_file: Path | None,
    ) -> None:
        self._policy, self._settings = policy, settings
        self._store, self._engine, self._alerts, self._journal = store, engine, alerts, journal
        self._progress_file = progress_file
        self._wake = asyncio.Event()
        self._actor = Actor(engine, store, self._wake.set)
        self._memory = Memory()
        self._counts: dict[str, int] = {}
        self._told_actions: set[str] = set()
        self._telling: asyncio.Task[None] | None = None
        self._looked_at: float | None = None
        self._database_since = self._docker_since = time.monotonic()
        self._database_up_since: float | None = None
        self._pinged_at = 0.0
        self._leads = True  # until the database says otherwise: without it, somebody has to tell that it is away
        self.shadow = settings.shadow == "on"
        alerts.shadow = self.shadow

    def hint(self) -> None:
        self._wake.set()

    async def run(self, stopping: asyncio.Event) -> None:
        logger.info(
            "watching {} every {:g} s{}", self._settings.project, self._policy.poll, ", as a shadow" * self.shadow
        )
        while not stopping.is_set():
            started = time.monotonic()
            well = await self.look()
            self._show_life()
            if well:
                await self._ping()
            await self._pause(stopping, started)
        if self._telling:
            self._telling.cancel()

    async def _pause(self, stopping: asyncio.Event, started: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(LEAST_PAUSE):
                await stopping.wait()
        left = self._policy.poll - (time.monotonic() - started)
        waits = [asyncio.create_task(stopping.wait()), asyncio.create_task(self._wake.wait())]
        await asyncio.wait(waits, timeout=max(0.0, left), return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        self._wake.clear()

    async def look(self) -> bool:
        """One round. Whether everything could be seen."""
        now = time.monotonic()
        gap, self._looked_at = (0.0 if self._looked_at is None else now - self._looked_at), now
        remembered = await self._ask_database()
        containers = await self._ask_docker()
        seen = Observation(
            now=remembered.now if remembered else time.time(),
            gap=gap,
            database_down_for=None if remembered else time.monotonic() - self._database_since,
            database_up_for=time.monotonic() - (self._database_up_since or now),
            docker_down_for=None if containers is not None else time.monotonic() - self._docker_since,
            containers=containers or (),
            rows=remembered.rows if remembered else (),
            controls=remembered.controls if remembered else (),
            events=remembered.events if remembered else (),
            incidents=remembered.incidents if remembered else (),
            busy=self._actor.busy,
        )
        all_seen = remembered is not None and containers is not None
        decision = decide(seen, self._memory, self._policy)
        self._memory = decision.memory
        self._leads = remembered.leads if remembered else self._leads
        if decision.outage and self._leads:
            self._journal.begin(decision.outage, time.time())
        elif all_seen:
            self._journal.end(time.time())
        if not self._leads:
            logger.debug("[loop.look] another watchdog is at work")
            return all_seen
        await self._carry_out(decision, containers or ())
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell(remembered))
        return all_seen

    async def _ask_database(self) -> Remembered | None:
        try:
            remembered = await self._store.observe(self._policy, shadow=self.shadow)
        except (StoreDown, Refused, msgspec.ValidationError) as error:
            logger.warning("[loop.database] {}", error)
            self._database_up_since = None
            return None
        self._database_since = time.monotonic()
        self._database_up_since = self._database_up_since or self._database_since
        return remembered

    async def _ask_docker(self) -> tuple[Container, ...] | None:
        try:
            containers = await asyncio.to_thread(
                look_at_containers, self._engine, self._settings.pulse_dir, self._counts
            )
        except EngineDown as error:
            logger.warning("[loop.docker] {}", error)
            return None
        self._docker_since = time.monotonic()
        return containers

    async def _carry_out(self, decision: Decision, containers: tuple[Container, ...]) -> None:
        if self.shadow:
            decision = self._only_said(decision)
        if decision.opened:
            decision = msgspec.structs.replace(
                decision, opened=tuple([await self._with_log(each, containers) for each in decision.opened])
            )
        for opened in decision.opened:
            logger.warning("[loop.opened] subject={} cause={}: {}", opened.subject, opened.cause, opened.detail[:200])
        for changed in decision.changed:
            told = "closed" if changed.closed else "changed"
            logger.info("[loop.{}] incident={} cause={} restarts={}", told, changed.id, changed.cause, changed.restarts)
        fresh = {event.key for event in decision.new_events}
        try:
            recorded = None if decision.empty else await self._store.record(decision)
        except (StoreDown, Refused) as error:  # not written down: not done
            logger.warning("[loop.record] {}", error)
            return
        if recorded and not recorded.leads:
            return
        taken = set(recorded.new_events) if recorded else set()
        for action in decision.actions:
            if action.key in fresh and action.key not in taken:
                continue  # decided before, by this watchdog or its predecessor: it will show up as intended
            self._actor.begin(action)

    def _only_said(self, decision: Decision) -> Decision:
        for action in decision.actions:
            text = f"{action.kind} {action.unit} because of {action.cause}"
            if text not in self._told_actions:
                self._told_actions.add(text)
                logger.warning("[loop.shadow] would {}", text)
        return msgspec.structs.replace(
            decision,
            actions=(),
            controls=tuple(
                msgspec.structs.replace(control, circuit="closed", circuit_until=None, openings=0)
                for control in decision.controls
            ),
            new_events=tuple(event for event in decision.new_events if event.made_by == "docker"),
        )

    async def _with_log(self, opened: Opened, containers: tuple[Container, ...]) -> Opened:
        name = next((each.name for each in containers if opened.subject in (each.unit, *each.scrapers)), None)
        if name is None:
            return opened
        lines = await asyncio.to_thread(log_lines, self._engine, name)
        return msgspec.structs.replace(opened, evidence={"log": lines})

    async def _tell(self, remembered: Remembered | None) -> None:
        await self._alerts.tell_outage()
        if remembered is None:
            return
        try:
            await self._alerts.remember_outage()
            await self._alerts.tell_incidents()
            await self._alerts.tell_day(self._settings.summary_hour, remembered.now)
        except (StoreDown, Refused) as error:
            logger.warning("[loop.tell] {}", error)

    def _show_life(self) -> None:
        if self._progress_file:
            with suppress(OSError):
                self._progress_file.touch()

    async def _ping(self) -> None:
        """To somebody outside, who tells when it stops: this machine cannot tell that it is off."""
        url = self._settings.heartbeat_url
        if not url or time.monotonic() - self._pinged_at < PING_EVERY:
            return
        self._pinged_at = time.monotonic()
        try:
            async with httpx.AsyncClient(timeout=5, verify=is_encrypted(url.reveal())) as client:
                await client.get(url.reveal())
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            logger.warning("[loop.ping] HEARTBEAT_URL does not answer: {}", type(error).__name__)
