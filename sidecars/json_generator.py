"""json-generator: publishes odds.json and odds.csv when the odds have changed, whole or not at all."""

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import datetime, timedelta
from typing import Any

from loguru import logger

from common.settings import AlertSettings, GeneratorSettings, ServiceSettings, StoreSettings
from sidecars.alerting import Alerting
from sidecars.draft import Body, Draft
from sidecars.export import Export, Found, Times
from sidecars.loop import Loop
from store.beats import beat
from store.export import ExportStore, State, pages
from store.rpc import Rpc, StoreDown
from store.storage import Bucket

SERVICE = "json-generator"
BUCKET = "odds"
# Names may be corrected and rows removed without a cycle being written.
LOOK_AGAIN = timedelta(minutes=5)
NOTHING = "none"  # the version of the database from which no file was made


async def run(
    generator: GeneratorSettings,
    alerts: AlertSettings,
    service: ServiceSettings,
    store: StoreSettings,
    every: float,
) -> None:
    async with AsyncExitStack() as opened:
        rpc = await opened.enter_async_context(Rpc(store))
        bucket = await opened.enter_async_context(Bucket(store, BUCKET))
        loop = Loop(SERVICE, rpc, every, service)
        alerting = await opened.enter_async_context(
            Alerting(rpc, alerts, generator.surebet_min_profit, every=every, touch=loop.touch)
        )
        await loop.run(Generator(rpc, bucket, alerting, settings=generator, every=every, touch=loop.touch).round)


class Generator:
    def __init__(
        self,
        rpc: Rpc,
        bucket: Bucket,
        alerting: Alerting,
        *,
        settings: GeneratorSettings,
        every: float,
        touch: Callable[[], None] = lambda: None,
    ) -> None:
        self._rpc = rpc
        self._store = ExportStore(rpc, every, settings.fresh_seconds)
        self._bucket = bucket
        self._alerting = alerting
        self._bank = round(settings.surebet_bank * 100)
        self._every = every
        self._touch = touch
        self._version = NOTHING  # of the database, when the last file was made
        self._valid_until: datetime | None = None
        self._content = b""  # digest of the last file, without the times that pass by themselves
        self._surebets_open = True  # as far as we know

    async def round(self) -> bool:
        """Whether a new file was published."""
        started = time.monotonic()
        state = await self._store.look(self._version, self._valid_until)
        if not state.changed:
            await self._alerting.retry()
            return False
        export, draft, valid_until = await self._read(state)
        published = draft.content != self._content
        if published and (refused := await self._publish(draft)):
            self._version, self._valid_until, self._content = NOTHING, None, b""  # some of the files may be new
            await self._record_surebets(export.found)
            await self._alerting.tell(export.found)
            raise refused
        self._content = draft.content
        await self._record_surebets(export.found)
        milliseconds = round((time.monotonic() - started) * 1000)
        made = {"events": draft.events, "surebets": len(export.found), "bytes": len(draft.json)}
        await beat(self._rpc, SERVICE, self._every, milliseconds=milliseconds, count=export.odds, extra=made)
        self._version, self._valid_until = state.version, valid_until
        if published:
            log = logger.bind(odds=export.odds, ms=milliseconds, **made)
            log.info("{} odds of {} events, {} surebets", export.odds, draft.events, len(export.found))
        await self._alerting.tell(export.found)
        return published

    async def _read(self, state: State) -> tuple[Export, Draft, datetime]:
        export = Export(state.bookmakers, state.leagues, self._bank)
        now = int(state.now.timestamp())
        draft = Draft(export.times[now], export.show_books(now))
        valid_until = state.now + LOOK_AGAIN
        async for page in pages(self._store):
            self._touch()
            for match in page.matches:
                if made := export.add(match):
                    draft.add(*made)
                await asyncio.sleep(0)  # else the next page is asked for only when this one is done
            if page.valid_until:
                valid_until = min(valid_until, page.valid_until)
        draft.finish(export.show_surebets(now))
        return export, draft, valid_until

    async def _publish(self, draft: Draft) -> StoreDown | None:
        """The plain file last: who waits for it finds the others at least as new.

        What Storage refuses with is returned: the database may be well, and surebets do not wait for a file.
        """
        zipping = asyncio.create_task(asyncio.to_thread(draft.json.zipped))  # while the first is on its way
        try:
            await self._put("odds.csv", draft.csv, "text/csv; charset=utf-8")
            await self._put("odds.json.gz", await zipping, "application/gzip")
            await self._put("odds.json", draft.json, "application/json")
        except StoreDown as refused:
            return refused
        return None

    async def _put(self, name: str, body: Body, content_type: str) -> None:
        self._touch()
        await self._bucket.put(name, body, content_type, self._every)

    async def _record_surebets(self, found: list[Found]) -> None:
        if found or self._surebets_open:
            await self._store.record_surebets([as_row(one) for one in found])
        self._surebets_open = bool(found)


def as_row(found: Found) -> dict[str, Any]:
    bet, match = found.bet, found.match
    return {
        "match_id": match.id,
        "key": bet.key,
        "home": match.home,
        "away": match.away,
        "league": found.league.key,
        "commence_time": Times()[match.starts_at],
        "legs": [
            {
                "outcome": leg.offer.outcome,
                "market": leg.offer.market,
                "bookmaker": leg.offer.bookmaker,
                "price": leg.offer.price,
                "stake": leg.stake / 100,
                "payout": leg.payout / 100,
            }
            for leg in bet.legs
        ],
        "implied_sum": bet.shown_sum,
        "profit_percent": bet.profit_percent,
        "suspicious": found.suspicious,
    }
