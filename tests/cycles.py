"""Cycles for tests, as a scraper would have made them."""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from scrapers.odds import MarketKey, Outcome, Page
from store.cycle import Cycle, stored_event

TOMORROW = (datetime.now(UTC) + timedelta(days=1)).replace(hour=19, minute=0, second=0, microsecond=0)
EVEN: Mapping[Outcome, float] = {"home": 2.5, "draw": 3.2, "away": 2.9}


def page_event(
    number: int,
    prices: Mapping[Outcome, float] = EVEN,
    *,
    home: str = "",
    away: str = "",
    starts_at: datetime = TOMORROW,
    market: MarketKey = "h2h",
    prefix: str = "",
) -> Any:  # noqa: ANN401
    page = Page()
    page.add(
        external_id=number,
        sport="football",
        league="soccer_epl",
        league_name="Premier League",
        home=home or made_up_name(f"{prefix} home {number}"),
        away=away or made_up_name(f"{prefix} away {number}"),
        starts_at=starts_at,
        url=f"https://example.com/{number}",
        markets={market: prices},
    )
    (event,) = page.events
    return event


def made_up_name(seed: str) -> str:
    """A name like no other, so that matching has no reason to find two of them alike."""
    letters = hashlib.sha256(seed.encode()).hexdigest().translate(str.maketrans("0123456789", "ghijklmnop"))
    return f"{letters[:9]} {letters[9:16]}".title()


def cycle(scraper: str, *events: Any, **changes: Any) -> Cycle:  # noqa: ANN401
    now = datetime.now(UTC)
    values: dict[str, Any] = {
        "scraper": scraper,
        "epoch": 1,
        "number": 1,
        "started_at": now - timedelta(seconds=1),
        "finished_at": now,
        "duration_ms": 1000,
        "expected_interval": 30.0,
        "outcome": "ok" if events else "empty",
        "error": None,
        "complete": bool(events),
        "collected": sum(event.price_count for event in events),
        "events": tuple(stored_event(event) for event in events),
        "extra": {},
    }
    return Cycle(**(values | changes))
