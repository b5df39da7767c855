"""The published file: odds.json as types, from which its JSON Schema is made.

`events` has the nesting of the-odds-api v4, so that its clients read it unchanged; what is ours comes as added keys.
"""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

VERSION = 1
SCHEMA_ID = "odds.schema.json"

Time = Annotated[str, Meta(description="UTC, ISO 8601, whole seconds", pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]
Decimal = Annotated[float, Meta(description="decimal odds", gt=1)]
Money = Annotated[float, Meta(description="BRL", ge=0)]
Age = Annotated[int, Meta(description="seconds before `generated_at`", ge=0)]
Key = Annotated[str, Meta(description="of a bookmaker", min_length=1)]
Market = Annotated[
    str,
    Meta(
        description="h2h, or h2h_2up: home and away are paid early at two goals ahead, its draw is a plain one",
        pattern="^h2h(_2up)?$",
    ),
]
Side = Annotated[str, Meta(description="home, draw or away", pattern="^(home|draw|away)$")]


class Shape(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Keys that are unknown are left out, never 0."""


class BookmakerStatus(Shape):
    key: Key
    title: str
    status: Annotated[str, Meta(description="of its scraper: ok, warning, error, waiting or unknown")]
    age_seconds: Age | None = None
    last_update: Time | None = None
    commission: (
        Annotated[float, Meta(description="share of the winnings that an exchange keeps", gt=0, lt=1)] | None
    ) = None


class Outcome(Shape):
    name: Annotated[str, Meta(description="the team, or Draw")]
    price: Decimal
    opening: Annotated[float, Meta(description="the first price that this book gave", gt=1)] | None = None
    liquidity: Annotated[float, Meta(description="BRL that an exchange takes at this price", ge=0)] | None = None


class PricedMarket(Shape):
    key: Market
    last_update: Annotated[
        Time, Meta(description="when the answer was read in which the book last showed these prices")
    ]
    changed_at: Annotated[Time, Meta(description="when one of them last moved")]
    outcomes: list[Outcome]


class EventBookmaker(Shape):
    key: Key
    title: str
    last_update: Time
    sid: Annotated[str, Meta(description="the book's own id of the event")]
    markets: list[PricedMarket]
    link: Annotated[str, Meta(description="the event on the book's site")] | None = None


class Best(Shape):
    price: Decimal
    bookmaker: Key
    net_price: Annotated[float, Meta(description="after commission; where there is none, left out", gt=1)] | None = None


class Event(Shape):
    id: str
    sport_key: str
    sport_title: str
    commence_time: Time
    home_team: str
    away_team: str
    bookmakers: list[EventBookmaker]
    best: Annotated[
        dict[Market, dict[Side, Best]],
        Meta(description="by market and outcome, net of commission, of the prices that can be bet on"),
    ]


class SurebetLeg(Shape):
    outcome: Side
    name: str
    market: Market
    bookmaker: Key
    price: Decimal
    stake: Money
    stake_percent: Annotated[float, Meta(gt=0, lt=100)]
    payout: Annotated[Money, Meta(description="BRL, net of commission")]
    age_seconds: Age
    net_price: Annotated[float, Meta(gt=1)] | None = None
    link: str | None = None


class SurebetShown(Shape):
    event_id: str
    home_team: str
    away_team: str
    commence_time: Time
    market: Annotated[Market, Meta(description="h2h_2up when its home or away leg pays early: it can pay twice")]
    implied_sum: Annotated[float, Meta(gt=0, lt=1)]
    profit_percent: Annotated[float, Meta(description="of the total stake, in the worst case, after rounding", ge=0)]
    profit: Money
    total_stake: Money
    oldest_odds_age_seconds: Age
    suspicious: bool
    warnings: list[Annotated[str, Meta(pattern="^(profit_too_high|prices_disagree|limited_liquidity)$")]]
    legs: Annotated[list[SurebetLeg], Meta(min_length=2, max_length=3)]


class Envelope(Shape, omit_defaults=False):
    version: Annotated[int, Meta(ge=VERSION, le=VERSION)]
    generated_at: Time
    bookmakers: list[BookmakerStatus]
    events: list[Event]
    surebets: list[SurebetShown]


def schema() -> dict[str, Any]:
    made = msgspec.json.schema(Envelope, ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "odds.json of oddsfleet",
        **made,
    }
