"""A clean stop: the first signal lets the cycle in hand finish, the end of the grace period cancels it."""

import asyncio
import signal
from contextlib import suppress

from loguru import logger

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Stop:
    """Set by SIGTERM or SIGINT. Work that is under way is cancelled in time to tear down before SIGKILL."""

    def __init__(self, grace: float) -> None:
        self._requested = asyncio.Event()
        self._work: set[asyncio.Task[object]] = set()
        # What is left after this is for the spool, the browser and the lease.
        self._patience = max(grace - max(2.0, grace * 0.15), grace * 0.5)

    def listen(self) -> None:
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self._on_signal, number)

    @property
    def requested(self) -> bool:
        return self._requested.is_set()

    async def wait(self, seconds: float) -> None:
        """Sleep, or return at once when asked to stop."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, seconds)):
                await self._requested.wait()

    async def guard(self, work: "asyncio.Task[object]") -> None:
        """Wait for the work, however it ends."""
        self._work.add(work)
        if self.requested:
            self._arm()
        try:
            await asyncio.wait([work])
        finally:
            self._work.discard(work)

    def _on_signal(self, number: int) -> None:
        name = signal.Signals(number).name
        if self.requested:
            logger.warning("{} again: stopping now", name)
            self._cancel()
            return
        logger.info("{}: stopping after the cycle in hand, at most {:.0f} s", name, self._patience)
        self._requested.set()
        self._arm()

    def _arm(self) -> None:
        asyncio.get_running_loop().call_later(self._patience, self._cancel)

    def _cancel(self) -> None:
        for work in self._work:
            work.cancel()
