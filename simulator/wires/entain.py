"""Entain's "CDS" offer API: fixtures of a sport in pages, football in the V2 shape and NBA in either."""

import base64
from collections.abc import Mapping
from datetime import datetime

import msgspec

from scrapers import leagues
from scrapers.odds import Outcome, Sport
from scrapers.platforms.entain import COMPETITION_NAMES, COMPETITIONS, SPORTS
from simulator.board import NOT_FOUND, Answer, Asked, Board, Line

ACCESS_ID = base64.b64encode(b"simulator").decode()
SPORT_NUMBERS = {name: number for number, name in SPORTS.items()}
NUMBERS = {ours: int(theirs) for theirs, ours in COMPETITIONS.items()}
NAMES = {ours: name.title() for name, ours in COMPETITION_NAMES.items()}

Row = dict[str, object]


def answer(board: Board, asked: Asked) -> Answer:
    if asked.path == "/pt-br/api/clientconfig":
        return _json({"msConnection": {"publicAccessId": _access_id(board)}, "msApp": {"isReleasedVersion": True}})
    if asked.path != "/cds-api/bettingoffer/fixtures":
        return NOT_FOUND
    given = asked.query.get("x-bwin-accessid")
    if given != _access_id(board):
        return _json({"message": "Access id is invalid" if given else "Access id missing"}, status=400)
    sports = asked.query.get("sportIds", "").split(",")
    competitions = [number for number in asked.query.get("competitionIds", "").split(",") if number]
    lines = [
        line
        for line in sorted(board.lines, key=lambda line: line.starts_at)
        if str(SPORT_NUMBERS[line.sport]) in sports
        and (not competitions or str(_competition(line.league)["id"]) in competitions)
    ]
    fixtures = [_fixture(line) for line in lines]
    if asked.query.get("isPriceBoost") != "true" and "4" in sports and lines:
        fixtures.append(_boost(lines[-1]))  # the site lets some through
    skip, take = _number(asked.query.get("skip"), 0), _number(asked.query.get("take"), 50)
    return _json({"fixtures": fixtures[skip : skip + take], "totalCount": len(fixtures), "totalSports": len(sports)})


def _fixture(line: Line) -> Row:
    if line.sport is Sport.BASKETBALL:
        return _v1(line) if line.event_id % 2 else _v2_basketball(line)
    teams = [_participant(line, "home", "HomeTeam"), _participant(line, "away", "AwayTeam")]
    fixture = _common(line, f"2:{line.event_id}", f"{line.home} - {line.away}")
    early = line.markets.get("h2h_2up")
    markets = [
        _goals_3way(line, 2, "Resultado da Partida - VP (+2)", early, MarketSubType="2Up3wayPricing")
        if early
        else None,
        _goals_3way(line, 3, "1º Tempo - Resultado da Partida", line.markets["h2h"], Period="FirstHalf"),
        _goals_3way(line, 1, "Resultado da Partida", line.markets["h2h"]) | {"isMain": not early},
        _goals_3way(line, 4, "Escanteios - Resultado", line.markets["h2h"], Happening="Corner"),
    ]
    return fixture | {"participants": teams, "optionMarkets": [market for market in markets if market], "games": []}


def _v2_basketball(line: Line) -> Row:
    """Teams without types, the visitor first, and outcomes by their place in that order."""
    options = [
        _option(line, "away", line.away, "1", line.markets["h2h"]["away"], participant=None),
        _option(line, "home", line.home, "2", line.markets["h2h"]["home"], participant=None),
    ]
    market = _market(line, 1, "Vencedor", options, MarketType="2way", Period="FullTime", Happening="Point")
    half = _market(line, 2, "1º Tempo - Vencedor", options, MarketType="2way", Period="FirstHalf", Happening="Point")
    teams = [_participant(line, "away", None), _participant(line, "home", None)]
    fixture = _common(line, str(line.event_id), f"{line.away} at {line.home}")
    return fixture | {"participants": teams, "optionMarkets": [half, market], "games": []}


def _v1(line: Line) -> Row:
    teams = [_participant(line, "away", None), _participant(line, "home", None)]
    player = {"name": {"value": "Some Player (SIM)", "short": "S. Player"}, "properties": {"type": "Player"}}
    names = {"away": line.away, "home": line.home}
    prices = line.markets["h2h"]
    handicap = {"away": ("+4,5", 1.91), "home": ("-4,5", 1.91)}
    return _common(line, str(line.event_id), f"{line.away} at {line.home}") | {
        "sourceId": line.event_id,
        "participants": [*teams, player],
        "optionMarkets": [],
        "games": [
            _game(line, 44, "Handicap", [(f"{names[side]} {by}", odds) for side, (by, odds) in handicap.items()]),
            _game(line, 43, "Vencedor", [(names["away"], prices["away"]), (names["home"], prices["home"])]),
        ],
    }


def _common(line: Line, identity: str, name: str) -> Row:
    return {
        "id": identity,
        "name": {"value": name, "sign": "isB4Qw=="},
        "startDate": _iso(line.starts_at),
        "cutOffDate": _iso(line.starts_at),
        "stage": "Live" if line.live else "PreMatch",
        "isOpenForBetting": True,
        "isVirtual": False,
        "fixtureType": "Standard",
        "sport": {"type": "Sport", "id": SPORT_NUMBERS[line.sport], "name": {"value": line.sport.title()}},
        "competition": _competition(line.league),
        "scoreboard": {"started": True, "period": "1T"} if line.live else {"started": False},
        "addons": {"betRadar": 60_000_000 + line.fixture % 9_000_000, "statistics": None},
    }


def _competition(league: str) -> Row:
    known = leagues.get(league)
    unnumbered = 109_000 + sum(map(ord, league)) % 900
    name = NAMES.get(league) or (known.title if known else league)
    return {
        "type": "Competition",
        "id": NUMBERS.get(league, unnumbered),
        "name": {"value": name},
        "parentLeagueId": None,
    }


def _participant(line: Line, side: Outcome, kind: str | None) -> Row:
    name = line.home if side == "home" else line.away
    return {
        "id": _participant_id(line, side),
        "participantId": _participant_id(line, side),
        "name": {"value": name, "short": name[:12]},
        "properties": {"type": kind} if kind else {},
    }


def _participant_id(line: Line, side: Outcome) -> int:
    return line.event_id % 1_000_000 * 2 + (side == "away")


def _goals_3way(line: Line, index: int, name: str, prices: Mapping[Outcome, float], **facts: str) -> Row:
    sides: tuple[tuple[Outcome, str, str], ...] = (
        ("home", line.home, "1"),
        ("draw", "X", "X"),
        ("away", line.away, "2"),
    )
    options = [
        _option(
            line, side, label, source, prices[side], participant=None if side == "draw" else _participant_id(line, side)
        )
        for side, label, source in sides
    ]
    return _market(
        line, index, name, options, **{"MarketType": "3way", "Period": "RegularTime", "Happening": "Goal"} | facts
    )


def _market(line: Line, index: int, name: str, options: list[Row], **facts: str) -> Row:
    return {
        "id": line.event_id * 10 + index,
        "name": {"value": name, "sign": "rX0kZg=="},
        "status": "Suspended" if line.suspended else "Visible",
        "parameters": [{"key": key, "type": "String", "value": value} for key, value in facts.items()],
        "options": options,
    }


def _option(line: Line, side: Outcome, label: str, source: str, price: float, *, participant: int | None) -> Row:
    parameters: Row = {"optionTypes": ["Draw" if side == "draw" else "Win"]}
    if participant is not None:
        parameters["fixtureParticipant"] = participant
    return {
        "id": line.event_id * 100 + len(source) + ord(source[0]),
        "name": {"value": label},
        "sourceName": {"value": source},
        "status": "Visible",
        "boostedPrice": None,
        "price": {"id": line.event_id, "odds": price, "numerator": 1, "denominator": 2, "americanOdds": 100},
        "parameters": parameters,
    }


def _game(line: Line, category: int, name: str, results: list[tuple[str, float]]) -> Row:
    visibility = "Suspended" if line.suspended else "Visible"
    return {
        "id": line.event_id * 10 + category,
        "name": {"value": name},
        "visibility": visibility,
        "categoryId": category,
        "templateCategory": {"name": {"value": name}},
        "results": [
            {"id": line.event_id * 100 + index, "odds": odds, "name": {"value": label}, "visibility": visibility}
            for index, (label, odds) in enumerate(results)
        ],
    }


def _boost(line: Line) -> Row:
    copy = _fixture(line)
    return copy | {
        "id": f"2:{line.event_id + 500_000_000}",
        "name": {"value": f"{line.home} - {line.away} - Super Price Boost"},
    }


def _access_id(board: Board) -> str:
    return board.book.params.get("access_id", ACCESS_ID)


def _number(text: str | None, default: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() else default


def _iso(time: datetime) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%SZ}"


def _json(value: object, status: int = 200) -> Answer:
    return Answer(msgspec.json.encode(value), status=status)
