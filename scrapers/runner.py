"""One scraper for ever: cycle, show life, wait, stop cleanly. Several at once in one process, for debugging."""

import asyncio
import time
from collections.abc import Coroutine, Sequence
from enum import Enum

from loguru import logger

from common.memory import read_memory
from common.settings import ScraperSettings, StoreSettings
from scrapers.catalog import Bookmaker
from scrapers.cycling import Scraper
from scrapers.fetch import open_fetcher
from scrapers.stopping import Stop
from scrapers.turns import browser_turn
from store.rpc import Rpc, StoreDown
from store.writer import Fenced

TICK = 5.0  # seconds between two signs of life while waiting
STORE_PATIENCE = 5.0  # seconds for a database that starts together with us


class Ended(Enum):
    STOPPED = "stopped"
    FENCED = "a newer instance took over"
    RECYCLE = "memory is to be given back"


async def run(
    books: Sequence[Bookmaker], settings: ScraperSettings, store: StoreSettings, every: float | None = None
) -> Ended:
    """Cycle until SIGTERM or SIGINT, until a newer instance takes over, or until memory runs short."""
    stop = Stop(settings.stop_grace)
    stop.listen()
    async with Rpc(store) as rpc:
        loops = [run_one(Scraper(book, rpc, settings, every or book.every), settings, stop) for book in books]
        ends = await asyncio.gather(*loops)
    logger.info("stopped")
    if Ended.RECYCLE in ends and not stop.requested:  # a stop that came meanwhile counts
        return Ended.RECYCLE
    return Ended.STOPPED if stop.requested else ends[0]


async def run_one(scraper: Scraper, settings: ScraperSettings, stop: Stop) -> Ended:
    with logger.contextualize(scraper=scraper.book.name):
        try:
            await start(scraper, stop)
            async with open_fetcher(scraper.book, settings, scraper.manners) as fetcher:
                turn = browser_turn(scraper.book, settings.spool_dir, stop)
                while not stop.requested:
                    next_start = time.monotonic() + scraper.interval
                    async with turn:  # the first cycle only: afterwards it is open to all
                        if not stop.requested:  # it may have come while waiting for the turn
                            await guarded(scraper.cycle(fetcher), stop)
                    await idle(scraper, stop, next_start + scraper.backoff * scraper.interval)
                    if is_short_of_memory(settings.memory_soft_limit):
                        return Ended.RECYCLE
        except Fenced as fenced:
            logger.warning("a newer instance writes for {}: {}. This one stops.", scraper.book.name, fenced)
            return Ended.FENCED
        finally:
            await scraper.close()
    return Ended.STOPPED


async def start(scraper: Scraper, stop: Stop) -> None:
    """Take the lease, waiting while a newer instance holds it. A dead database does not keep us from scraping."""
    told, patience = False, time.monotonic() + STORE_PATIENCE
    while not stop.requested:
        scraper.touch()
        try:
            await scraper.take_lease()
        except StoreDown as error:
            if time.monotonic() < patience:
                await stop.wait(0.5)
                continue
            logger.warning("starting without the database; cycles go to the spool. {}", error)
        except Fenced as fenced:
            if not told:
                logger.warning("standing by: {}", fenced)
                told = True
            await stop.wait(min(scraper.interval, TICK))
            continue
        logger.info("started, every {:g} s, epoch {}", scraper.interval, scraper.epoch or "unknown yet")
        return


async def guarded(cycle: Coroutine[object, object, None], stop: Stop) -> None:
    """Let the cycle run to its end, or to the end of the grace period."""
    work: asyncio.Task[object] = asyncio.create_task(cycle)
    await stop.guard(work)
    if work.cancelled():
        logger.warning("the cycle in hand was cancelled before the grace period ended")
    elif error := work.exception():
        raise error


async def idle(scraper: Scraper, stop: Stop, until: float) -> None:
    while not stop.requested and (left := until - time.monotonic()) > 0:
        scraper.touch()
        await stop.wait(min(left, TICK))
        if not stop.requested:
            await scraper.drain()


def is_short_of_memory(soft_limit: float) -> bool:
    memory = read_memory()
    if memory is None or memory.share < soft_limit:
        return False
    logger.warning(
        "memory is short: {} of {} MB; starting anew between two cycles", memory.used >> 20, memory.limit >> 20
    )
    return True
