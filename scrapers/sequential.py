"""All scrapers in turn, in one process: the small machine's mode. One browser at a time, and no pause between two."""

import asyncio
import time
from collections.abc import Sequence

from loguru import logger

from common.settings import ScraperSettings, StoreSettings
from scrapers.catalog import Bookmaker
from scrapers.cycling import Scraper
from scrapers.fetch import open_fetcher
from scrapers.runner import Ended, guarded, is_short_of_memory
from scrapers.stopping import Stop
from store.rpc import Rpc, StoreDown
from store.writer import Fenced

LIGHT_SECONDS, HEAVY_SECONDS = 10, 60  # of one cycle: what to expect of the first round
LEAST_ROUND = 10.0  # seconds; real rounds are longer, but refusals come at once and must not be asked for in a storm


def chosen(books: Sequence[Bookmaker], mode: str) -> list[Bookmaker]:
    return [book for book in books if mode == "all" or book.is_heavy == (mode == "heavy")]


async def run_in_turn(books: Sequence[Bookmaker], settings: ScraperSettings, store: StoreSettings) -> Ended:
    stop = Stop(settings.stop_grace)
    stop.listen()
    expected = float(sum(HEAVY_SECONDS if book.is_heavy else LIGHT_SECONDS for book in books))
    async with Rpc(store) as rpc:
        scrapers = [Scraper(book, rpc, settings, expected) for book in books]
        try:
            await take_leases(scrapers, stop)
            ended = await rounds(scrapers, settings, stop)
        finally:  # together: fourteen times the patience with a silent database is longer than the grace period
            await asyncio.gather(*(scraper.close() for scraper in scrapers))
    return Ended.STOPPED if stop.requested else ended  # a stop that came meanwhile counts


async def take_leases(scrapers: Sequence[Scraper], stop: Stop) -> None:
    """With its lease, each says how long a round takes. Until then its row promises the pace of the other mode."""
    for scraper in scrapers:
        if stop.requested:
            return
        with logger.contextualize(scraper=scraper.book.name):
            scraper.touch()
            try:
                await scraper.take_lease()
            except StoreDown as error:
                logger.warning("going on without the database: every lease waits for its scraper's turn. {}", error)
                return
            except Fenced as fenced:
                logger.warning("left out for now: {}", fenced)


async def rounds(scrapers: Sequence[Scraper], settings: ScraperSettings, stop: Stop) -> Ended:
    number, left_out = 0, dict.fromkeys(scrapers, 0)
    while not stop.requested:
        number += 1
        started = time.monotonic()
        for scraper in scrapers:
            if stop.requested:
                break
            if left_out[scraper] > 0:
                left_out[scraper] -= 1
                continue
            await take_turn(scraper, settings, stop)
            left_out[scraper] = scraper.backoff
        scrapers[0].touch()
        await stop.wait(started + LEAST_ROUND - time.monotonic())
        seconds = time.monotonic() - started
        for scraper in scrapers:  # a heartbeat is late when a whole round has passed without it, not after 30 s
            scraper.interval = max(seconds, 1.0)
        logger.info("round {}: {} scrapers in {:.1f} s", number, len(scrapers), seconds)
        if is_short_of_memory(settings.memory_soft_limit):
            return Ended.RECYCLE
    logger.info("stopped")
    return Ended.STOPPED


async def take_turn(scraper: Scraper, settings: ScraperSettings, stop: Stop) -> None:
    with logger.contextualize(scraper=scraper.book.name):
        scraper.touch()
        try:
            if not scraper.epoch:
                await scraper.take_lease()
        except StoreDown as error:
            logger.warning("going on without the database; the cycle goes to the spool. {}", error)
        except Fenced as fenced:
            logger.warning("left out: {}", fenced)
            return
        try:
            async with open_fetcher(scraper.book, settings, scraper.manners) as fetcher:
                await guarded(scraper.cycle(fetcher), stop)
        except Fenced as fenced:
            logger.warning("left out from now on: {}", fenced)
            scraper.lose_lease()
