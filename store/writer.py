"""Brings cycles to the database: in order, each once, and by one instance of a scraper at a time."""

import asyncio
import random
from datetime import UTC, datetime
from enum import Enum

import msgspec
from loguru import logger

from scrapers.catalog import Bookmaker
from scrapers.errors import Refused
from scrapers.leagues import LEAGUES
from store.cycle import Cycle
from store.names import Names, PlacedCycle
from store.rpc import Rpc, StoreDown
from store.spool import Spool

DRAIN_SECONDS = 15.0
MOST_LOOKS = 40


class Fenced(Exception):  # noqa: N818 - a verdict, not a fault
    """A newer instance of this scraper writes now."""


class Arrived(Enum):
    WRITTEN = "written"
    SPOOLED = "spooled"
    REFUSED = "refused"


class Delivery(msgspec.Struct, frozen=True):
    arrived: Arrived
    inserted: int = 0
    reason: str = ""


class Lease(msgspec.Struct):
    granted: bool
    epoch: int
    holder: str = ""
    since: str = ""


class Verdict(msgspec.Struct):
    result: str  # written, duplicate, late, fenced, no_lease, look_again
    inserted: int = 0
    gone: int = 0
    turn: list[int] = []  # matches that lie the wrong way round
    epoch: int = 0
    holder: str = ""
    since: str = ""


class Writer:
    def __init__(self, rpc: Rpc, spool: Spool, book: Bookmaker, holder: str, interval: float) -> None:
        self._rpc = rpc
        self._spool = spool
        self._book = book
        self._holder = holder
        self._interval = interval
        self._names = Names(rpc, book.book_key)
        self.epoch = 0  # 0 until the database has given one

    async def take_lease(self) -> None:
        """Raises `Fenced` when a newer instance lives, `StoreDown` when nobody can be asked."""
        book = self._book
        lease = await self._rpc.call_as(
            Lease,
            "acquire_lease",
            {
                "p_scraper": book.name,
                "p_holder": self._holder,
                "p_book": {
                    "key": book.book_key,
                    "title": book.title,
                    "kind": book.kind,
                    "commission": book.commission,
                    "url": book.site,
                },
                "p_leagues": [league._asdict() for league in LEAGUES],
                "p_interval": self._interval,
            },
        )
        if not lease.granted:
            raise Fenced(f"{lease.holder} took over at {lease.since} (epoch {lease.epoch}) and is alive")
        self.epoch = lease.epoch

    async def release_lease(self) -> None:
        if self.epoch:
            await self._rpc.call("release_lease", {"p_scraper": self._book.name, "p_epoch": self.epoch})

    async def write(self, cycle: Cycle) -> Delivery:
        """Into the database, or into the spool behind what already waits there. Cancelled half-way, it is spooled."""
        if len(self._spool):
            self._spool.append(cycle)
            await self.drain()
            return Delivery(Arrived.SPOOLED if len(self._spool) else Arrived.WRITTEN, reason="others waited before it")
        try:
            return await self._send(cycle)
        except StoreDown as error:
            self._spool.append(cycle)
            return Delivery(Arrived.SPOOLED, reason=str(error))
        except asyncio.CancelledError:
            self._spool.append(cycle)
            raise

    async def drain(self) -> None:
        """Send what waits, oldest first, for a while; stops quietly when the database is away."""
        if not len(self._spool):
            return
        sent, until = 0, asyncio.get_running_loop().time() + DRAIN_SECONDS
        try:
            for cycle in self._spool.oldest():
                await self._send(cycle)
                self._spool.remove(cycle)
                sent += 1
                if asyncio.get_running_loop().time() > until:
                    break
            await self._report_dropped()
        except StoreDown as error:
            logger.debug("{} cycles still wait: {}", len(self._spool), error)
        if sent:
            logger.info("{} cycles arrived from the spool, {} still wait", sent, len(self._spool))

    async def _send(self, cycle: Cycle) -> Delivery:
        try:
            if not self.epoch:
                await self.take_lease()
            verdict = await self._ingest(cycle)
            if verdict.result == "no_lease":  # the database was reset, or restored from a copy
                await self.take_lease()
                verdict = await self._ingest(cycle)
        except Refused as error:
            return await self._bury(cycle, str(error))
        except (StoreDown, Fenced):
            raise
        except Exception as bug:  # noqa: BLE001 - a fault of ours must not end the loop; it is told, with its place
            logger.opt(exception=bug).error("a fault of our own, please report it: {}", bug)
            return await self._bury(cycle, f"{type(bug).__name__}: {bug}")
        match verdict.result:
            case "written":
                return Delivery(Arrived.WRITTEN, verdict.inserted)
            case "duplicate":
                return Delivery(Arrived.WRITTEN, reason="it had arrived before")
            case "late":
                return await self._bury(cycle, "a newer cycle of this scraper was already written")
            case _:
                raise Fenced(
                    f"{verdict.holder} took over at {verdict.since} (epoch {verdict.epoch} after {self.epoch})"
                )

    async def _ingest(self, cycle: Cycle) -> Verdict:
        """Place the events and send them; again, while others made matches that might be the same as ours."""
        for _ in range(MOST_LOOKS):
            placed = await self._names.place(cycle.events)
            verdict = await self._rpc.call_as(
                Verdict,
                "ingest_cycle",
                {
                    "p_epoch": self.epoch,
                    "p_sent_at": datetime.now(UTC),
                    "p_names_seen": placed.seen,
                    "p_cycle": PlacedCycle(
                        **{name: getattr(cycle, name) for name in cycle.__struct_fields__ if name != "events"},
                        events=placed.events,
                        unmatched=placed.unmatched,
                        learned=placed.learned,
                    ),
                },
            )
            if verdict.result == "written":
                self._names.settle(placed)
                await self._turn(verdict.turn)
            if verdict.result != "look_again":
                return verdict
            self._names.forget()
            await asyncio.sleep(random.uniform(0.0, 0.3))  # noqa: S311 - so that a starting fleet takes turns
        raise StoreDown(f"other scrapers made new matches {MOST_LOOKS} times while this one looked")

    async def _turn(self, matches: list[int]) -> None:
        """Matches that lie the wrong way round. What does not succeed is asked for again with the next cycle."""
        for match_id in matches:
            try:
                if await self._rpc.call("turn_match", {"p_match": match_id}):
                    logger.info("most books list match {} the other way round: it was turned", match_id)
            except (StoreDown, Refused) as error:
                logger.debug("match {} was not turned: {}", match_id, error)
                break

    async def _bury(self, cycle: Cycle, reason: str) -> Delivery:
        logger.error("cycle {} goes to dead_letters: {}", cycle.cycle_id, reason)
        letter = {"p_scraper": cycle.scraper, "p_cycle_id": cycle.cycle_id, "p_reason": reason, "p_payload": cycle}
        try:
            await self._rpc.call("add_dead_letter", letter)
        except Refused as error:
            # What was refused may be unfit for jsonb as well (a NUL, say): then its reason alone must do.
            logger.error("its content cannot be kept: {}", error)
            await self._rpc.call("add_dead_letter", letter | {"p_payload": None})
        return Delivery(Arrived.REFUSED, reason=reason)

    async def _report_dropped(self) -> None:
        if dropped := self._spool.take_dropped():
            reason = f"{dropped} cycles were dropped because the spool was full: SPOOL_MAX_MB, or the disk"
            await self._rpc.call(
                "add_dead_letter",
                {"p_scraper": self._book.name, "p_cycle_id": None, "p_reason": reason, "p_payload": None},
            )
