"""Tradeball's guest list: a day of football per answer, running matches among the rest, prices as text or numbers."""

from collections.abc import Mapping
from datetime import timedelta

import msgspec

from scrapers.odds import Outcome, Sport
from scrapers.platforms.tradeball import TOURNAMENTS, clock
from simulator.board import NOT_FOUND, Answer, Asked, Board, Line

NAMES = {league: name for name, league in reversed(TOURNAMENTS.items())}
MIRRORED: dict[Outcome, Outcome] = {"home": "away", "draw": "draw", "away": "home"}
GUEST_MARKET = 2


class Filter(msgspec.Struct, rename="camel"):
    market_id: int
    date: str | None = None


def answer(board: Board, asked: Asked) -> Answer:
    if asked.path == "/api/feedDball/list":
        return Answer(b'{"message":"Unauthenticated."}', status=401)
    if asked.method != "GET" or asked.path != "/api/feedDballGuest/list":
        return NOT_FOUND
    try:
        chosen = msgspec.json.decode(asked.query.get("filter", ""), type=Filter)
    except msgspec.DecodeError:
        return Answer(b'{"message":"The given data was invalid."}', status=422)
    lines = [line for line in board.lines if line.sport == Sport.FOOTBALL and chosen.market_id == GUEST_MARKET]
    rows = [row(board, line) for line in sorted(lines, key=lambda line: -line.event_id)]
    rows = [each for each in rows if not chosen.date or str(each["dg"]).startswith(chosen.date)]
    start, limit = (whole(asked.query.get(name), otherwise) for name, otherwise in (("start", 0), ("limit", 20)))
    if not rows:
        return Answer(b'{"total":0}')
    return Answer(msgspec.json.encode({"total": len(rows), "init": rows[start : start + limit], "dictionaries": None}))


def whole(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isdecimal() else otherwise


def row(board: Board, line: Line) -> dict[str, object]:
    home, away = (line.away, line.home) if line.swapped else (line.home, line.away)
    kick_off = line.starts_at.astimezone(clock(board.book))
    return {
        "id": f"{line.event_id}-1",
        "ceId": str(line.event_id),
        "clId": 1 + len(line.league) % 40,
        "clName": NAMES.get(line.league, line.league.replace("_", " ").title()),
        "iso3": None,
        "cthName": home,
        "ctaName": away,
        "dg": f"{kick_off:%Y-%m-%d %H:%M:%S}",
        "created_at": f"{kick_off - timedelta(days=6):%Y-%m-%d %H:%M:%S}",
        "wldHm": price(line, "home"),
        "wldDm": price(line, "draw"),
        "wldAm": price(line, "away"),
        "ouOm": "1.95",
        "ouUm": None,
    }


def price(line: Line, outcome: Outcome) -> str | float:
    """0 is "not offered", and all there is to see of a suspension."""
    prices: Mapping[Outcome, float] = {} if line.suspended else line.markets.get("h2h", {})
    value = prices.get(MIRRORED[outcome] if line.swapped else outcome, 0.0)
    return f"{value:.2f}" if line.event_id % 2 and round(value, 2) == value else value
