"""What one simulated bookmaker shows at one instant: the values that every wire format is made from."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from scrapers.catalog import Bookmaker
from scrapers.odds import MarketKey, Outcome, Sport

MIRROR: Mapping[Outcome, Outcome] = {"home": "away", "draw": "draw", "away": "home"}


@dataclass(frozen=True, slots=True)
class Line:
    """One match at one book. Names are as this book spells them, prices as it asks them, sides as they really are."""

    fixture: int  # the same on every book: the simulator's answer key
    event_id: int  # this book's own
    sport: Sport
    league: str  # a key of scrapers/leagues.py
    home: str
    away: str
    starts_at: datetime
    markets: Mapping[MarketKey, Mapping[Outcome, float]]
    suspended: bool = False
    live: bool = False
    swapped: bool = False  # this book lists the away side first, as if it were at home
    liquidity: float = 500.0  # exchanges: BRL behind each best price

    def listed(self) -> "Line":
        """The line as the book shows it: with the sides and their prices the other way round when it is swapped."""
        if not self.swapped:
            return self
        markets = {key: {MIRROR[way]: price for way, price in prices.items()} for key, prices in self.markets.items()}
        return replace(self, home=self.away, away=self.home, markets=markets)


@dataclass(frozen=True, slots=True)
class Board:
    book: Bookmaker
    now: datetime
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as the wire format sees it, with the bookmaker's prefix already taken off the path."""

    method: str
    path: str  # "/v2/pt-BR/events/by-date"
    query: Mapping[str, str]
    headers: Mapping[str, str]  # lower-case names
    body: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    body: bytes
    content_type: str = "application/json"
    status: int = 200


NOT_FOUND = Answer(b'{"message":"not found"}', status=404)
