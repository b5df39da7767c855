"""What every parser returns, whatever the bookmaker sent.

`Page.add` is the only way in: it turns what a site claims into a clean event or a counted reason for leaving it out,
so that no parser has to distrust names, prices or dates by itself.
"""

import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Literal

import msgspec

from scrapers import leagues
from scrapers.names.fold import fold
from scrapers.wire import Request

Outcome = Literal["home", "draw", "away"]
MarketKey = Literal["h2h", "h2h_2up"]

NAME_LIMIT = 80
URL_LIMIT = 500
PRICE_LIMIT = 10_000.0
AMOUNT_LIMIT = 1e11


class Sport(StrEnum):
    FOOTBALL = "football"
    BASKETBALL = "basketball"


OUTCOMES: Mapping[Sport, tuple[Outcome, ...]] = {
    Sport.FOOTBALL: ("home", "draw", "away"),
    Sport.BASKETBALL: ("home", "away"),
}


class Price(msgspec.Struct, frozen=True):
    outcome: Outcome
    price: float
    liquidity: float | None = None  # what an exchange would take at this price, in BRL


class Market(msgspec.Struct, frozen=True):
    key: MarketKey
    prices: tuple[Price, ...]


class Event(msgspec.Struct, frozen=True):
    """One match as one bookmaker shows it."""

    external_id: str
    sport: Sport
    league: str | None  # a key of scrapers/leagues.py; None when we do not collect this league
    league_name: str  # as the bookmaker writes it, or its number
    home: str
    away: str
    starts_at: datetime  # UTC
    url: str | None
    markets: tuple[Market, ...]

    @property
    def price_count(self) -> int:
        return sum(len(market.prices) for market in self.markets)


# What parsers hand in per market: a price, or (price, liquidity) from an exchange. Anything else is left out.
Offered = Mapping[Outcome, object]


class Page:
    """What one answer gave: events, what was left out and why, and requests that must follow."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.skipped: dict[str, int] = {}
        self.follow: list[Request] = []

    def skip(self, reason: str) -> None:
        self.skipped[reason] = self.skipped.get(reason, 0) + 1

    def add(
        self,
        *,
        external_id: object,
        sport: str,
        league: str | None,
        league_name: object,
        home: object,
        away: object,
        starts_at: datetime | None,
        url: str | None,
        markets: Mapping[MarketKey, Offered],
    ) -> None:
        identity, home_name, away_name = clean_text(external_id), clean_text(home), clean_text(away)
        if not identity or not home_name or not away_name or fold(home_name) == fold(away_name):
            return self.skip("unreadable event")
        if starts_at is None or starts_at.tzinfo is None:
            return self.skip("unreadable kick-off")
        played = Sport(sport)
        kept = tuple(market for key, offered in markets.items() if (market := complete_market(key, offered, played)))
        if not kept:
            return self.skip("no complete market")
        self.events.append(
            Event(
                external_id=identity,
                sport=played,
                league=league if leagues.get(league) else None,
                league_name=clean_text(league_name),
                home=home_name,
                away=away_name,
                starts_at=starts_at.astimezone(UTC),
                url=clean_url(url),
                markets=kept,
            )
        )
        return None


def complete_market(key: MarketKey, offered: Offered, sport: Sport) -> Market | None:
    """A market counts only with all its outcomes priced: a missing leg would fake a surebet."""
    prices = []
    for outcome in OUTCOMES[sport]:
        value = offered.get(outcome)
        price, liquidity = value if isinstance(value, tuple) else (value, None)
        decimal = clean_price(price)
        if decimal is None:
            return None
        prices.append(Price(outcome, decimal, clean_amount(liquidity)))
    return Market(key, tuple(prices))


def clean_price(value: object) -> float | None:
    """A decimal price that can be bet on, or None. An unknown price is never 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1.0 < value <= PRICE_LIMIT:
        return None
    price = round(float(value), 4)
    return price if price > 1.0 else None


def clean_amount(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= AMOUNT_LIMIT:
        return None
    return round(float(value), 2)


def clean_url(value: str | None) -> str | None:
    """A link that a page may show; an odd one costs the link, not the event."""
    if not value or len(value) > URL_LIMIT or not value.startswith(("https://", "http://")):
        return None
    return value if value.isprintable() and " " not in value else None


def clean_text(value: object) -> str:
    """Text as a person would read it: no control or invisible characters, single spaces, bounded length."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return ""
    visible = "".join(" " if unicodedata.category(char)[0] in "CZ" else char for char in value[: NAME_LIMIT * 4])
    return " ".join(unicodedata.normalize("NFC", visible).split())[:NAME_LIMIT].rstrip()
