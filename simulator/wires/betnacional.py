"""NSX's odds list: one row per outcome, in the `ramp` generation when it is asked for and the older one when not."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, timezone

import msgspec

from scrapers import leagues
from scrapers.odds import Outcome, Sport
from scrapers.platforms.betnacional import MARKET_IDS, TOURNAMENT_NAMES, TOURNAMENTS
from simulator.board import NOT_FOUND, Answer, Asked, Board, Line

BRASILIA = timezone(timedelta(hours=-3))
SHORT_WINDOW = timedelta(hours=12)  # what the site shows when no window is asked for
SPORT_IDS = {Sport.FOOTBALL: 1, Sport.BASKETBALL: 2}
TOURNAMENT_IDS = {ours: int(theirs) for theirs, ours in TOURNAMENTS.items()}
NAMES = {ours: name.title() for name, ours in reversed(TOURNAMENT_NAMES.items())}
OUTCOME_IDS: Mapping[Sport, Mapping[Outcome, str]] = {
    Sport.FOOTBALL: {"home": "1", "draw": "2", "away": "3"},
    Sport.BASKETBALL: {"home": "4", "away": "5"},
}
MARKET_NAMES = {Sport.FOOTBALL: "Resultado da partida", Sport.BASKETBALL: "Vence a partida"}
CODES: Mapping[Outcome, str] = {"home": "{$competitor1}", "draw": "draw", "away": "{$competitor2}"}

Row = dict[str, object]


def answer(board: Board, asked: Asked) -> Answer:
    if asked.path.rstrip("/") != "/api/odds/1/events-by-seasons":
        return NOT_FOUND
    ramp = asked.query.get("provider") == "ramp"
    rows = [row for line in board.lines if _is_wanted(board, asked, line) for row in _rows(line, ramp)]
    if rows and asked.query.get("sport_id") == "1" and not asked.query.get("tournament_id"):
        rows += _women(board, ramp)
    return Answer(msgspec.json.encode({"odds": rows}))


def _is_wanted(board: Board, asked: Asked, line: Line) -> bool:
    hours = asked.query.get("filter_time_event", "")
    window = timedelta(hours=int(hours)) if hours.isascii() and hours.isdigit() else SHORT_WINDOW
    tournament = asked.query.get("tournament_id") or str(TOURNAMENT_IDS.get(line.league))
    return (
        asked.query.get("sport_id") == str(SPORT_IDS[line.sport])
        and asked.query.get("markets") == str(MARKET_IDS[line.sport])
        and tournament == str(TOURNAMENT_IDS.get(line.league))
        and line.starts_at <= board.now + window
    )


def _rows(line: Line, ramp: bool) -> Iterator[Row]:
    names: Mapping[Outcome, str] = {"home": line.home, "draw": "Empate", "away": line.away}
    market = 99_000_000 + line.event_id % 999_983 if ramp else MARKET_IDS[line.sport]
    known = leagues.get(line.league)
    for position, (way, price) in enumerate(line.markets["h2h"].items()):
        outcome = (
            str(2_900_000_000 + line.event_id * 3 % 9_999_991 + position) if ramp else OUTCOME_IDS[line.sport][way]
        )
        row: Row = {
            "id": f"{line.event_id}_{market}_{outcome}_",
            "sport_id": SPORT_IDS[line.sport],
            "event_id": line.event_id,
            "season_id": 128_461,
            "category_id": 13,
            "category_name": "",
            "tournament_id": None if ramp else TOURNAMENT_IDS.get(line.league),
            "tournament_name": NAMES.get(line.league) or (known.title if known else line.league),
            "home": line.home,
            "away": f"{line.away} ",  # the site does not trim
            "date_start": f"{line.starts_at.astimezone(BRASILIA):%Y-%m-%d %H:%M:%S}",
            "market_id": market,
            "market_name": MARKET_NAMES[line.sport],
            "outcome_name": names[way],
            "outcome_code": names[way] if ramp else CODES[way],
            "odd": int(price) if price.is_integer() else price,
            "specifier": None,
            "is_live": int(line.live),
            "event_status_id": int(line.live),
        }
        if ramp:
            yield row | {"dataviz_id": str(60_000_000 + line.fixture), "selection_active": not line.suspended}
        else:
            yield row | {"outcome_id": outcome, "market_status_id": -1 if line.suspended else 1}


def _women(board: Board, ramp: bool) -> Iterator[Row]:
    """A league of the same name but for one word."""
    line = Line(
        fixture=0,
        event_id=999_000_001,
        sport=Sport.FOOTBALL,
        league="Brasileirão Série A Feminino",
        home="Flamengo (F)",
        away="Corinthians (F)",
        starts_at=_hour(board.now) + timedelta(hours=6),
        markets={"h2h": {"home": 2.6, "draw": 3.2, "away": 2.5}},
    )
    yield from _rows(line, ramp)


def _hour(time: datetime) -> datetime:
    return time.replace(minute=0, second=0, microsecond=0)
