"""One scraper's cycle, from the site to the database, and what is remembered from one cycle to the next."""

import asyncio
import socket
import time
from datetime import UTC, datetime

from loguru import logger

from common.settings import ScraperSettings
from scrapers.catalog import Bookmaker
from scrapers.collect import Collected, collect
from scrapers.errors import Blocked, Changed, ScrapeError, Waiting
from scrapers.evidence import keep_evidence
from scrapers.fetch import Fetcher, new_manners
from scrapers.keys import with_key
from scrapers.pulse import Pulse
from store.cycle import Cycle, stored_event
from store.rpc import Rpc, StoreDown
from store.spool import Spool
from store.writer import Arrived, Fenced, Writer

LONGEST_BACKOFF = 5  # cycles that are left out, while a site blocks us


class Scraper:
    """A bookmaker with its lease, its spool and its memory of the last cycles. The fetcher comes with each cycle."""

    def __init__(self, book: Bookmaker, rpc: Rpc, settings: ScraperSettings, interval: float) -> None:
        self.book = with_key(book).at(settings.simulator_url)
        self.interval = interval  # seconds from one cycle to the next, as far as is known
        self.manners = new_manners(settings)
        self._settings = settings
        self._spool = Spool(settings.spool_dir, book.name, settings.spool_max_mb)
        self._writer = Writer(rpc, self._spool, book, holder=socket.gethostname(), interval=interval)
        self._pulse = Pulse(settings)
        self._number = 0
        self._blocks_in_a_row = 0

    @property
    def epoch(self) -> int:
        return self._writer.epoch

    @property
    def backoff(self) -> int:
        """How many cycles to leave out before the next, out of politeness."""
        return min((1 << self._blocks_in_a_row) - 1, LONGEST_BACKOFF)

    async def take_lease(self) -> None:
        await self._writer.take_lease()

    def lose_lease(self) -> None:
        """Ask for a lease again before the next cycle."""
        self._writer.epoch = 0

    async def drain(self) -> None:
        await self._writer.drain()

    async def close(self) -> None:
        """Send what waits and let the lease go, as far as the database answers."""
        try:
            async with asyncio.timeout(2):
                await self._writer.drain()
                await self._writer.release_lease()
        except (StoreDown, Fenced, TimeoutError) as error:
            logger.debug("the lease was not released: {}", error)
        finally:
            self._spool.close()

    async def cycle(self, fetcher: Fetcher) -> None:
        self._number += 1
        with logger.contextualize(scraper=self.book.name, cycle=self._number, epoch=self.epoch):
            cycle = await self._collect(fetcher)
            self.touch()
            delivery = await self._writer.write(cycle)
            self.touch()
            tell(cycle, delivery.arrived, delivery.inserted, delivery.reason)

    async def _collect(self, fetcher: Fetcher) -> Cycle:
        started_at, started = datetime.now(UTC), time.monotonic()
        collected, outcome, error = Collected(), "ok", None
        problem: ScrapeError | None = None
        try:
            async with asyncio.timeout(self._settings.cycle_timeout):
                collected = await collect(self.book, fetcher, watch=lambda *_: self.touch())
            problem = collected.error
            if not problem and not collected.events:
                outcome, error = "empty", f"{self.book.title} answered, without a single match of our leagues"
        except TimeoutError:
            outcome, error = "timeout", f"the cycle took longer than {self._settings.cycle_timeout:g} s"
        except Waiting as waiting:
            outcome, error = "waiting", str(waiting)
        except ScrapeError as raised:
            problem = raised
        except Exception as bug:  # noqa: BLE001 - a fault of ours must not end the loop; it is told, with its place
            outcome, error = "internal", f"{type(bug).__name__}: {bug}"
            logger.opt(exception=bug).error("a fault of our own, please report it: {}", bug)
        if problem:
            outcome, error = problem.kind, str(problem)
        self._blocks_in_a_row = self._blocks_in_a_row + 1 if isinstance(problem, Blocked) else 0
        seconds = time.monotonic() - started
        return Cycle(
            scraper=self.book.name,
            epoch=self.epoch,
            number=self._number,
            started_at=started_at,
            finished_at=datetime.now(UTC),
            duration_ms=round(seconds * 1000),
            expected_interval=max(self.interval, seconds),
            outcome=outcome,
            error=error,
            complete=outcome == "ok",
            collected=collected.price_count,
            events=tuple(
                stored
                for event in collected.events
                if (stored := stored_event(event, collected.fetched_at[event.external_id]))
            ),
            extra={
                "skipped": collected.skipped,
                "matches": len(collected.events),
                "blocks": self._blocks_in_a_row,
                **fetcher.describe(),
                **self._evidence(problem),
            },
        )

    def _evidence(self, problem: ScrapeError | None) -> dict[str, object]:
        if not isinstance(problem, Changed):
            return {}
        path = keep_evidence(self._settings.spool_dir / "evidence", self.book.name, problem, datetime.now(UTC))
        if path is None:
            return {}
        logger.warning("the answer is kept in {}", path)
        return {"evidence": str(path)}

    def touch(self) -> None:
        """The local proof of life."""
        self._pulse.touch()


def tell(cycle: Cycle, arrived: Arrived, inserted: int, reason: str) -> None:
    log = logger.bind(
        outcome=cycle.outcome, odds=cycle.collected, inserted=inserted, ms=cycle.duration_ms, arrived=arrived.value
    )
    if cycle.error:
        log.warning("{}: {}", cycle.outcome, cycle.error)
    if arrived is Arrived.SPOOLED:
        log.warning("{} odds of {} matches wait in the spool: {}", cycle.collected, len(cycle.events), reason)
    else:
        log.info("{} odds of {} matches, {} changed", cycle.collected, len(cycle.events), inserted)
