"""One cycle as it is stored: what was collected, when, and how it went. Written once, whole, or not at all."""

import uuid
from datetime import datetime

import msgspec

from scrapers.names.fold import fold
from scrapers.odds import Event


class StoredPrice(msgspec.Struct, frozen=True, omit_defaults=True):
    market: str
    outcome: str
    price: float
    liquidity: float | None = None


class StoredEvent(msgspec.Struct, frozen=True):
    external_id: str
    sport: str
    league: str
    home: str
    home_folded: str
    away: str
    away_folded: str
    starts_at: datetime
    url: str | None
    odds: tuple[StoredPrice, ...]
    # When its answer was read. A cycle of an older version does not tell: then its end counts.
    fetched_at: datetime | None = None


class CycleHead(msgspec.Struct, frozen=True, kw_only=True):
    cycle_id: str = msgspec.field(default_factory=lambda: str(uuid.uuid4()))
    scraper: str
    epoch: int  # of the process that collected it; 0 if it never reached the database
    number: int
    started_at: datetime
    finished_at: datetime
    duration_ms: int
    expected_interval: float
    outcome: str  # ok, empty, waiting, timeout, internal, or the kind of a ScrapeError
    error: str | None
    complete: bool  # every request was answered: what is missing was taken away by the book
    collected: int
    extra: dict[str, object]


class Cycle(CycleHead, frozen=True, kw_only=True):
    """As it was collected; the spool keeps it so."""

    events: tuple[StoredEvent, ...]


def stored_event(event: Event, fetched_at: datetime | None = None) -> StoredEvent | None:
    """An event in stored form; None when it belongs to no league of ours."""
    if event.league is None:
        return None
    return StoredEvent(
        external_id=event.external_id,
        sport=str(event.sport),
        league=event.league,
        home=event.home,
        home_folded=fold(event.home),
        away=event.away,
        away_folded=fold(event.away),
        starts_at=event.starts_at,
        url=event.url,
        odds=tuple(
            StoredPrice(market.key, price.outcome, price.price, price.liquidity)
            for market in event.markets
            for price in market.prices
        ),
        fetched_at=fetched_at,
    )
