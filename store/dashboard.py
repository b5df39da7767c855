"""What the status page reads. Times are seconds since 1970 by the database's clock; the unknown is None, never 0."""

import re
from datetime import datetime

import httpx
import msgspec

from store.rpc import Rpc, StoreDown

HOURS = 6  # of cycles, on the page of one scraper
INCIDENTS = 100
ENDED, MATCHES = 15, 40
PUBLISHED = "storage/v1/object/public/odds/odds.json"
GENERATED_AT = re.compile(rb'"generated_at":"([^"]{10,40})"')


class Point(msgspec.Struct, frozen=True, array_like=True, gc=False):
    minutes_ago: int
    odds: int


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A scraper, or a service that is none, as the status view has it."""

    name: str
    title: str
    kind: str = "scraper"
    status: str  # ok, warning, error, waiting, unknown
    outcome: str | None = None
    error: str | None = None
    collected: int | None = None
    inserted: int | None = None
    cycles: int = 0
    failures: int = 0
    duration_ms: int | None = None
    interval: float = 30.0
    epoch: int = 0
    heartbeat_at: float | None = None
    success_at: float | None = None
    cause: str | None = None
    restarts_used: int | None = None
    restart_budget: int | None = None
    circuit: str = "closed"
    desired: str = "run"
    unit: str | None = None  # the container it runs in, which many share in sequence
    spark: tuple[Point, ...] = ()


class WatchdogRow(msgspec.Struct, frozen=True):
    beat_at: float
    shadow: bool = False


class IncidentRow(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    subject: str
    cause: str
    detail: str = ""
    restarts: int = 0
    budget: str | None = None
    opened_at: float
    healthy_at: float | None = None
    closed_at: float | None = None
    grouped: bool = False
    timeline: tuple[dict[str, object], ...] = ()
    evidence: dict[str, object] = {}


class State(msgspec.Struct, frozen=True, kw_only=True):
    now: float
    odds_last_minute: int = 0
    surebets: int = 0
    watchdog: WatchdogRow | None = None
    rows: tuple[Row, ...] = ()
    incidents: tuple[IncidentRow, ...] = ()


class CyclePoint(msgspec.Struct, frozen=True, array_like=True, gc=False):
    finished_at: float
    collected: int
    inserted: int
    duration_ms: int
    outcome: str


class RestartRow(msgspec.Struct, frozen=True):
    at: float
    made_by: str
    cause: str
    charged: bool
    state: str
    note: str | None = None


class ScraperDetail(msgspec.Struct, frozen=True):
    cycles: tuple[CyclePoint, ...] = ()
    incidents: tuple[IncidentRow, ...] = ()
    restarts: tuple[RestartRow, ...] = ()
    extra: dict[str, object] = {}


class LegRow(msgspec.Struct, frozen=True, kw_only=True):
    outcome: str
    market: str
    bookmaker: str
    price: float
    stake: float
    payout: float
    title: str | None = None
    seen_at: float | None = None


class SurebetRow(msgspec.Struct, frozen=True, kw_only=True):
    match_id: int
    home: str
    away: str
    league: str
    starts_at: float
    profit: float
    best_profit: float
    suspicious: bool
    first_seen: float
    last_seen: float
    legs: tuple[LegRow, ...]


class EndedSurebet(msgspec.Struct, frozen=True):
    match_id: int
    home: str
    away: str
    best_profit: float
    suspicious: bool
    first_seen: float
    ended_at: float


class MatchRow(msgspec.Struct, frozen=True):
    match_id: int
    home: str
    away: str
    league: str
    starts_at: float
    books: int = 0


class Surebets(msgspec.Struct, frozen=True):
    open: tuple[SurebetRow, ...] = ()
    ended: tuple[EndedSurebet, ...] = ()
    matches: tuple[MatchRow, ...] = ()


class Move(msgspec.Struct, frozen=True, array_like=True):
    at: datetime
    price: float | None  # None: taken away


class LineRow(msgspec.Struct, frozen=True):
    bookmaker: str
    market: str
    outcome: str
    prices: tuple[Move, ...]
    opening: float | None = None


class MatchDetail(msgspec.Struct, frozen=True):
    match_id: int
    home: str
    away: str
    league: str
    starts_at: float
    lines: tuple[LineRow, ...] = ()


class DashboardStore:
    """Raises `StoreDown` while the database is away."""

    def __init__(self, rpc: Rpc) -> None:
        self._rpc = rpc
        # Certificates are 5 MB in memory, and the embedded Supabase has none.
        transport = httpx.AsyncHTTPTransport(verify=rpc.url.startswith("https:"))
        self._storage = httpx.AsyncClient(transport=transport, timeout=4.0)

    async def close(self) -> None:
        await self._storage.aclose()

    async def state(self) -> State:
        return await self._rpc.call_as(State, "dashboard_state", {})

    async def scraper(self, name: str, unit: str) -> ScraperDetail | None:
        arguments = {"p_name": name, "p_unit": unit, "p_hours": HOURS}
        # mypy has no name for "the type of a union", which is what msgspec takes.
        return await self._rpc.call_as(ScraperDetail | None, "dashboard_scraper", arguments)  # type: ignore[arg-type]

    async def incidents(self) -> tuple[IncidentRow, ...]:
        return await self._rpc.call_as(tuple[IncidentRow, ...], "dashboard_incidents", {"p_limit": INCIDENTS})

    async def surebets(self) -> Surebets:
        return await self._rpc.call_as(Surebets, "dashboard_surebets", {"p_ended": ENDED, "p_matches": MATCHES})

    async def match(self, number: int) -> MatchDetail | None:
        return await self._rpc.call_as(MatchDetail | None, "dashboard_match", {"p_match": number})  # type: ignore[arg-type]

    async def published_at(self) -> datetime:
        """When the odds.json that everybody reads was made. Only its beginning is fetched."""
        url = f"{self._rpc.url}/{PUBLISHED}"
        try:
            async with self._storage.stream("GET", url) as answer:
                begin = b""
                if answer.is_success:
                    async for piece in answer.aiter_bytes():
                        begin = piece[:500]
                        break
        except httpx.TransportError as error:
            said = str(error) or type(error).__name__
            raise StoreDown(f"Storage at {self._rpc.url} cannot be reached: {said}") from error
        if not answer.is_success:
            raise StoreDown(f"Storage has no odds.json ({answer.status_code}): see the log of json-generator")
        if not (found := GENERATED_AT.search(begin)):
            raise StoreDown("what Storage has as odds.json is not ours")
        return datetime.fromisoformat(found[1].decode())
