"""cleanup-service: deletes what the RETENTION settings say is old, in small batches with pauses between them."""

import time
from contextlib import suppress

from loguru import logger

from common.settings import CleanupSettings, ServiceSettings, StoreSettings
from scrapers.stopping import Stop
from sidecars.loop import Loop
from sidecars.remains import remains
from store.beats import beat
from store.cleanup import KINDS, CleanupStore
from store.rpc import Rpc, StoreDown

SERVICE = "cleanup-service"
SETTING = {"match_history": "matches", "incidents": "alerts", "restarts": "alerts"}  # whose days hold for these too
BATCH = 2000  # rows; some 20 ms of the database


async def run(keep: CleanupSettings, service: ServiceSettings, store: StoreSettings, every: float) -> None:
    async with Rpc(store) as rpc:
        loop = Loop(SERVICE, rpc, every, service)
        await loop.run(Cleanup(rpc, keep, loop).round)


async def preview(keep: CleanupSettings, store: StoreSettings) -> int:
    """What a round would delete, and nothing else."""
    try:
        async with Rpc(store) as rpc:
            cleanup = CleanupStore(rpc)
            counts = {kind: await cleanup.count(kind, days_of(keep, kind)) for kind in KINDS}
    except StoreDown as error:
        logger.error("{}", error)
        return 1
    counts["spool"] = sum(1 for _ in remains(keep.spool_dir, keep.spool, time.time()))
    logger.bind(**counts).info("would delete {}; nothing was deleted", told(counts))
    return 0


class Cleanup:
    def __init__(self, rpc: Rpc, keep: CleanupSettings, loop: Loop) -> None:
        self._rpc = rpc
        self._store = CleanupStore(rpc)
        self._keep = keep
        self._loop = loop

    async def round(self) -> dict[str, int]:
        """What was deleted, by kind."""
        started = time.monotonic()
        removed = {kind: await self._remove(kind) for kind in KINDS}
        removed["spool"] = remove_files(self._keep)
        sizes = await self._store.sizes()
        await beat(
            self._rpc,
            SERVICE,
            self._loop.every,
            milliseconds=round((time.monotonic() - started) * 1000),
            count=sum(removed.values()),
            extra={"removed": removed, "tables": sizes},
        )
        self._loop.back()
        megabytes = sum(table["mb"] for table in sizes.values())
        logger.bind(**removed, mb=round(megabytes, 1)).info("deleted {}; {:.0f} MB in use", told(removed), megabytes)
        return removed

    async def _remove(self, kind: str) -> int:
        removed, after, stop = 0, 0, self._loop.stop
        while not stop.requested:
            started = time.monotonic()
            batch = await self._store.remove(kind, days_of(self._keep, kind), BATCH, after)
            self._loop.touch()
            removed += batch.removed
            if batch.after is None:
                break
            after = batch.after
            await rest(stop, time.monotonic() - started)
        return removed


async def rest(stop: Stop, worked: float) -> None:
    """As long as the batch took: half of the database's time, at most, is ours."""
    await stop.wait(worked)


def days_of(keep: CleanupSettings, kind: str) -> float:
    days: float = getattr(keep, SETTING.get(kind, kind))
    return days


def remove_files(keep: CleanupSettings) -> int:
    removed = 0
    for path in remains(keep.spool_dir, keep.spool, time.time()):
        with suppress(OSError):
            path.unlink()
            removed += 1
    return removed


def told(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in counts.items() if count) or "nothing"
