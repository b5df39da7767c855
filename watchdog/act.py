"""Carries out what was decided and written down. One thing per unit at a time, and the loop goes on meanwhile."""

import asyncio
from collections.abc import Callable

from loguru import logger

from store.rpc import StoreDown
from store.watchdog import WatchdogStore
from watchdog.engine import ENGINE_ERRORS, Engine, reason
from watchdog.evidence import gather
from watchdog.model import Action


class Actor:
    def __init__(self, engine: Engine, store: WatchdogStore, finished: Callable[[], None]) -> None:
        self._engine = engine
        self._store = store
        self._finished = finished
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @property
    def busy(self) -> frozenset[str]:
        return frozenset(self._tasks)

    def begin(self, action: Action) -> None:
        if action.unit in self._tasks:
            return
        task = asyncio.create_task(self._carry_out(action))
        self._tasks[action.unit] = task
        task.add_done_callback(lambda _: self._end(action.unit))

    def _end(self, unit: str) -> None:
        self._tasks.pop(unit, None)
        self._finished()

    async def _carry_out(self, action: Action) -> None:
        logger.info("[act.{}] unit={} cause={}", action.kind, action.unit, action.cause)
        try:
            if action.evidence:
                await self._keep_evidence(action)
            await asyncio.to_thread(self._change, action)
        except ENGINE_ERRORS as error:  # it is still intended, and looked at again
            logger.error("[act.{}] unit={} failed: {}", action.kind, action.unit, reason(error))

    async def _keep_evidence(self, action: Action) -> None:
        evidence = await asyncio.to_thread(gather, self._engine, action.container)
        try:
            await self._store.keep_evidence(action.unit, evidence)
        except StoreDown as error:
            logger.warning("[act.evidence] unit={} not kept: {}", action.unit, error)

    def _change(self, action: Action) -> None:
        match action.kind:
            case "restart":
                self._engine.restart(action.container, action.timeout)
            case "stop":
                self._engine.stop(action.container, action.timeout)
            case _:
                self._engine.start(action.container)
