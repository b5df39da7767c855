"""Signs of life, for the healthcheck and for the watchdog.

A file is touched by every step, and every few seconds in between, as long as the step in hand is within its time. So
a dead event loop (stopped, in an endless loop, blocked) falls silent at once; a step that never ends, after its time.
"""

import asyncio
import socket
import time
from pathlib import Path

from loguru import logger

from common.settings import ScraperSettings

TICK = 5.0


class Pulse:
    def __init__(self, settings: ScraperSettings) -> None:
        self._files: list[Path] = [settings.progress_file] if settings.progress_file else []
        if settings.pulse_dir:  # the host name of a container is the beginning of its number: no other has it
            self._files.append(settings.pulse_dir / socket.gethostname())
        self._patience = settings.cycle_timeout * 1.25 + 5  # the longest step is a whole cycle that hangs
        self._until = 0.0
        self._ticking: asyncio.Task[None] | None = None

    def touch(self) -> None:
        """A step has begun or ended."""
        self._until = time.monotonic() + self._patience
        self._write()
        if self._files and (self._ticking is None or self._ticking.done()):
            self._ticking = asyncio.get_running_loop().create_task(self._tick())

    async def _tick(self) -> None:
        while time.monotonic() < self._until:
            self._write()
            await asyncio.sleep(TICK)

    def _write(self) -> None:
        for path in self._files:
            try:
                path.touch()
            except OSError as error:
                logger.error("the file {} cannot be touched: {}", path, error)
