"""What odds.json is made of, as the database gives it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from store.rpc import Rpc

PAGE = 250  # matches; some 20,000 odds


class BookRow(msgspec.Struct, frozen=True):
    id: int
    key: str
    title: str
    kind: str
    commission: float
    status: str
    url: str | None = None
    last_success: datetime | None = None


class LeagueRow(msgspec.Struct, frozen=True):
    id: int
    key: str
    sport: str
    title: str


class State(msgspec.Struct, frozen=True):
    changed: bool
    version: str
    now: datetime
    bookmakers: list[BookRow] = []
    leagues: list[LeagueRow] = []


class Line(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One market of one book on one match. Times are seconds since 1970."""

    book_id: int
    fetched_at: int
    changed_at: int
    link: str | None
    sid: str
    market: str
    home: float | None
    draw: float | None
    away: float | None
    home_opening: float | None
    draw_opening: float | None
    away_opening: float | None
    home_liquidity: float | None
    draw_liquidity: float | None
    away_liquidity: float | None


_read_lines = msgspec.json.Decoder(list[Line]).decode


class MatchRow(msgspec.Struct, frozen=True, array_like=True):
    id: int
    league_id: int
    starts_at: int
    home: str
    away: str
    packed: str  # its lines as JSON

    def lines(self) -> list[Line]:
        """Read one match at a time: those of a whole page would be as large as the file."""
        return _read_lines(self.packed)


class Next(msgspec.Struct, frozen=True):
    after: datetime
    after_id: int


class Page(msgspec.Struct, frozen=True):
    matches: list[MatchRow]
    valid_until: datetime | None  # until then, time alone takes nothing away
    next: Next | None


class ExportStore:
    def __init__(self, rpc: Rpc, interval: float, floor: float) -> None:
        self._rpc = rpc
        self._interval = interval
        self._floor = floor

    async def look(self, version: str, valid_until: datetime | None) -> State:
        """Whether anything changed since that version. If not, the database has noted that we live."""
        return await self._rpc.call_as(
            State,
            "export_state",
            {"p_interval": self._interval, "p_version": version, "p_valid_until": valid_until},
        )

    async def page(self, after: Next | None, limit: int = PAGE) -> Page:
        arguments = {
            "p_after": after.after if after else datetime.fromtimestamp(0, UTC),
            "p_after_id": after.after_id if after else 0,
            "p_limit": limit,
            "p_floor": self._floor,
        }
        return await self._rpc.call_as(Page, "export_page", arguments)

    async def record_surebets(self, found: Sequence[dict[str, Any]]) -> None:
        await self._rpc.call("record_surebets", {"p_found": found, "p_interval": self._interval})


async def pages(store: ExportStore) -> AsyncIterator[Page]:
    """Every page; the next is asked for while the last is worked on."""
    waiting = asyncio.create_task(store.page(None))
    try:
        while True:
            page = await waiting
            if page.next:
                waiting = asyncio.create_task(store.page(page.next))
            yield page
            if not page.next:
                return
    finally:
        waiting.cancel()
