"""One browser starts at a time on a machine, so that a reboot does not peak: a lock on the volume that all share."""

import asyncio
import fcntl
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from types import TracebackType

from loguru import logger

from scrapers.catalog import Bookmaker
from scrapers.stopping import Stop

PATIENCE = 120.0  # seconds; one that hangs must not keep the others out for ever
POLL = 0.2


def browser_turn(book: Bookmaker, folder: Path, stop: Stop) -> "Turn":
    return Turn(folder / "browser-start.lock" if book.is_heavy else None, stop)


class Turn:
    """Entered for the first time, it waits for its turn; after that it is open."""

    def __init__(self, path: Path | None, stop: Stop) -> None:
        self._path = path
        self._stop = stop
        self._held: AbstractAsyncContextManager[None] | None = None

    async def __aenter__(self) -> None:
        if self._path is not None:
            self._held = holding(self._path, self._stop)
            self._path = None
            await self._held.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._held is not None:
            held, self._held = self._held, None
            await held.__aexit__(kind, error, trace)


@asynccontextmanager
async def holding(path: Path, stop: Stop) -> AsyncIterator[None]:
    """The kernel lets go of the lock with the process, however that ends. A stop ends the waiting, without the lock."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("w")
    except OSError as error:  # a full disk: better a peak than no scraper
        logger.warning("starting the browser without waiting for others: {}", error)
        yield
        return
    with lock:
        deadline = asyncio.get_running_loop().time() + PATIENCE
        while not stop.requested and asyncio.get_running_loop().time() < deadline:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                await stop.wait(POLL)
        yield
