"""The loop of a sidecar: a round every so often, until SIGTERM. While Supabase is away it waits, and says so once."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from loguru import logger

from common.settings import ServiceSettings
from scrapers.errors import Refused
from scrapers.stopping import Stop
from store.beats import beat
from store.rpc import Rpc, StoreDown

TICK = 5.0  # seconds between two signs of life while waiting
RETRY = 15.0  # seconds until the next try while Supabase is away, when a round comes less often

Round = Callable[[], Awaitable[object]]


class Loop:
    def __init__(
        self, service: str, rpc: Rpc, every: float, settings: ServiceSettings, *, retry: float = RETRY
    ) -> None:
        self.service = service
        self.every = every
        self.stop = Stop(settings.stop_grace)
        self._retry = retry
        self._rpc = rpc
        self._settings = settings
        self._away = False  # in the last round
        self._said_so = False
        self._started = 0.0  # the last round
        self._told_until = 0.0  # the status counts failed rounds: what is tried sooner is none of them

    async def run(self, work: Round) -> None:
        self.stop.listen()
        logger.info("started, every {:g} s", self.every)
        while not self.stop.requested:
            self._started = time.monotonic()
            next_start = self._started + self.every
            self.touch()
            task: asyncio.Task[object] = asyncio.create_task(self._round(work))
            await self.stop.guard(task)
            if not task.cancelled() and (error := task.exception()):
                raise error
            if self._away:
                next_start = min(next_start, time.monotonic() + self._retry)
            while not self.stop.requested and (left := next_start - time.monotonic()) > 0:
                self.touch()
                await self.stop.wait(min(left, TICK))
        logger.info("stopped")

    async def _round(self, work: Round) -> None:
        self._away = False
        try:
            await work()
        except StoreDown as error:
            if not self._said_so:
                logger.warning("waiting for Supabase: {}", error)
            self._away = self._said_so = True
            if self._started >= self._told_until:
                await self._report(str(error))  # a part of Supabase may be away, and the database be well
        except Exception as error:  # noqa: BLE001 - a fault of ours must not end the loop
            logger.opt(exception=error).error("a fault of our own, please report it: {}", error)
            await self._report(f"{type(error).__name__}: {error}")
        else:
            self.back()

    def back(self) -> None:
        """A round that logs its success says this before it."""
        if self._said_so:
            logger.info("Supabase is back")
        self._said_so = False

    async def _report(self, error: str) -> None:
        self.touch()
        try:
            await beat(self._rpc, self.service, self.every, error=error)
        except (StoreDown, Refused) as problem:
            logger.debug("no heartbeat: {}", problem)
        else:
            self._told_until = self._started + self.every

    def touch(self) -> None:
        """The local proof of life: a file that the healthcheck looks for."""
        if path := self._settings.progress_file:
            try:
                path.touch()
            except OSError as error:
                logger.error("the progress file {} cannot be touched: {}", path, error)
