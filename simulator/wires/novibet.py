"""Novibet's location feed: one competition per request, with its matches under `betViews[].items[]`."""

import re
from collections.abc import Mapping
from datetime import datetime

import msgspec

from scrapers.odds import Outcome, Sport
from scrapers.platforms.novibet import LEAGUES, NOTHING_ON_OFFER
from simulator.board import NOT_FOUND, Answer, Asked, Board, Line

LOCATION = re.compile(r"/spt/feed/marketviews/location/v2/4324/(\d+)/?")
REQUIRED = ("x-gw-application-name", "x-gw-cms-key", "x-gw-country-sysname", "x-gw-domain-key")
ROOTS = {Sport.FOOTBALL: (4372606, "SOCCER"), Sport.BASKETBALL: (4372609, "BASKETBALL")}
WINNER = {Sport.FOOTBALL: "SOCCER_MATCH_RESULT", Sport.BASKETBALL: "BASKETBALL_MATCH_RESULT_NODRAW"}
EARLY = {
    Sport.FOOTBALL: "SOCCER_2_GOALS_AHEAD_EARLY_PAYOUT",
    Sport.BASKETBALL: "BASKETBALL_20_PLUS_POINTS_EARLY_PAYOUT",
}
CODES: Mapping[Sport, tuple[tuple[str, Outcome], ...]] = {
    Sport.FOOTBALL: (("1", "home"), ("X", "draw"), ("2", "away")),
    Sport.BASKETBALL: (("1", "away"), ("2", "home")),  # the visitor comes first
}

Row = dict[str, object]


def answer(board: Board, asked: Asked) -> Answer:
    path = LOCATION.fullmatch(asked.path)
    if path is None:
        return NOT_FOUND
    if any(name not in asked.headers for name in REQUIRED):
        message = "Object reference not set to an instance of an object."
        return Answer(msgspec.json.encode({"code": 5000, "message": message}), status=500)
    league = LEAGUES.get(path[1])
    if league is None:
        return Answer(msgspec.json.encode({"code": NOTHING_ON_OFFER}), status=NOTHING_ON_OFFER)
    lines = [line for line in board.lines if line.league == league]
    items = [_item(line) for line in lines]
    if lines and lines[0].sport is Sport.FOOTBALL:
        items.append(_simulated(lines[0], board.now))
    return Answer(
        msgspec.json.encode(
            [
                {
                    "marketViewId": int(path[1]) + 1_000_000,
                    "marketViewGroupId": int(path[1]),
                    "rootMarketViewGroupId": ROOTS[lines[0].sport][0] if lines else None,
                    "path": league.replace("_", "-"),
                    "prebuiltTickets": [],
                    "betViews": [{"betViewSysname": "MAIN", "competitions": None, "items": items}],
                }
            ]
        )
    )


def _item(line: Line) -> Row:
    first, second = (line.home, line.away) if line.sport is Sport.FOOTBALL else (line.away, line.home)
    early = "h2h_2up" in line.markets
    number = line.event_id * 10
    markets = [_market(number + 1, line, line.markets["h2h"]), _total(number + 3, line)]
    tags: list[Row] = []
    if early:  # then both lines have a tag
        markets.insert(0, _market(number + 2, line, line.markets["h2h_2up"]))
        tags = [
            {"marketId": number + 2, "tag": EARLY[line.sport]},
            {"marketId": number + 1, "tag": "ODDS_KEY_0"},
        ]
    return {
        "eventBetContextId": line.event_id,
        "additionalCaptions": {"type": 1, "competitor1": first, "competitor2": second, "competitor1ImageId": None},
        "startDate": _iso(line.starts_at),
        "path": "matches/" + re.sub(r"[^a-z0-9]+", "-", f"{first}-{second}".lower()).strip("-"),
        "isLive": line.live,
        "liveData": {"isLive": True, "homeGoals": 1} if line.live else None,
        "hasBetBuilder": True,
        "marketTags": tags,
        "markets": markets,
    }


def _market(number: int, line: Line, prices: Mapping[Outcome, float]) -> Row:
    items: list[Row | None] = [
        {
            "id": str(number * 10 + position),
            "code": code,
            "caption": code,
            "price": prices[outcome],
            "oddsText": f"{prices[outcome]:.2f}",
            "isAvailable": not line.suspended,
        }
        for position, (code, outcome) in enumerate(CODES[line.sport])
    ]
    return {"marketId": number, "betTypeSysname": WINNER[line.sport], "betItems": [*items, None]}


def _total(number: int, line: Line) -> Row:
    return {
        "marketId": number,
        "betTypeSysname": f"{ROOTS[line.sport][1]}_UNDER_OVER",
        "betItems": [
            {"id": f"{number}0", "code": "O", "price": 1.87, "oddsText": "1.87", "isAvailable": True},
            {"id": f"{number}1", "code": "U", "price": 1.93, "oddsText": "1.93", "isAvailable": True},
        ],
    }


def _simulated(line: Line, now: datetime) -> Row:
    """A match between machines under the names of real teams."""
    number = line.event_id + 500_000_000
    return {
        "eventBetContextId": number,
        "additionalCaptions": {"competitor1": f"{line.home} SRL", "competitor2": f"{line.away} SRL"},
        "startDate": _iso(now),
        "path": None,
        "isLive": False,
        "marketTags": None,
        "markets": [_market(number * 10, line, line.markets["h2h"])],
    }


def _iso(time: datetime) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%S}+00:00"
