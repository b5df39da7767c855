"""Kambi's offering API as recorded: list views of a sport or a league, with the main offer of every match."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

import msgspec

from scrapers import leagues
from scrapers.odds import Outcome, Sport
from scrapers.platforms.kambi import EARLY_PAYOUT_CATEGORY, LEAGUES
from simulator.board import NOT_FOUND, Answer, Asked, Board, Line
from simulator.chance import chance

PATHS = {ours: theirs for theirs, ours in LEAGUES.items()}
TYPES: Mapping[Outcome, tuple[str, str]] = {
    "away": ("OT_TWO", "2"),
    "home": ("OT_ONE", "1"),
    "draw": ("OT_CROSS", "X"),
}  # in an order that occurs; the site keeps none
FULL_TIME = (1001159858, "Resultado Final", "Full Time")
TWO_GOALS_AHEAD = (2100089307, "Resultado final com ganho antecipado", "Full Time - 2UP")
MONEYLINE = (1001159732, "Vencedor da partida - Incluindo prorrogação", "Moneyline - Including Overtime")
FOURTH_QUARTER = (1001211820, "Resultado do jogo ao final do 4º quarto", "Result at end of Quarter 4")
SPORTS = {"football": "Futebol", "basketball": "Basquete"}

Row = dict[str, object]
Criterion = tuple[int, str, str]


def answer(board: Board, asked: Asked) -> Answer:
    _, _, _, offering, *rest = [*asked.path.split("/"), "", "", ""]  # "", "offering", "v2018", "ktobr", ...
    view = "/".join(part for part in rest if part)
    if not asked.path.startswith("/offering/v2018/") or not view.startswith("listView/") or not view.endswith(".json"):
        return NOT_FOUND
    if offering != board.book.params["offering"]:
        message = f"Unable to resolve customer for extApiEndpoint {offering}"
        return Answer(msgspec.json.encode({"error": {"status": 400, "message": message}}), status=400)
    wanted = view.removeprefix("listView/").removesuffix(".json").removesuffix("/matches")
    keys = [key for key in wanted.split("/") if key != "all"]
    early = asked.query.get("category") == EARLY_PAYOUT_CATEGORY
    items = [*_matches(board, early), *_noise(board, early)]
    chosen = [item for item in items if _path(item)[: len(keys)] == keys]  # a path that is not there: an empty list
    return Answer(msgspec.json.encode({"events": chosen, "terms": [], "activeTermIds": [], "soonMode": "WEEK"}))


def _matches(board: Board, early: bool) -> Iterator[Row]:
    for line in (line.listed() for line in board.lines):
        if line.league not in PATHS or (early and "h2h_2up" not in line.markets):
            continue
        item: Row = {"event": _event(line), "betOffers": list(_offers(line, early))}
        if line.live:
            item["liveData"] = {
                "eventId": line.event_id,
                "score": {"home": "1", "away": "0", "who": "HOME"},
                "matchClock": {"minute": 31, "second": 12, "running": True},
            }
        yield item


def _event(line: Line) -> Row:
    league = leagues.get(line.league)
    title = league.title if league else line.league
    return {
        "id": line.event_id,
        "name": f"{line.home} - {line.away}",
        "nameDelimiter": "-",
        "englishName": f"{line.home} - {line.away}",
        "homeName": line.home,
        "awayName": line.away,
        "start": _iso(line.starts_at),
        "originalStartTime": None,
        "group": title,
        "groupId": 1_000_000_000 + int(chance("group", line.league) * 10**8),
        "path": _groups(PATHS[line.league].split("/"), title),
        "nonLiveBoCount": 23,
        "liveBoCount": 12 if line.live else None,
        "sport": line.sport.upper(),
        "tags": ["OFFERED_LIVE", "BET_BUILDER", "MATCH"],
        "state": "STARTED" if line.live else "NOT_STARTED",
        "groupSortOrder": 3_999_000_000_000_000_000,
        "prematchEnd": _iso(line.starts_at),
    }


def _groups(keys: Sequence[str], title: str) -> list[Row]:
    return [
        {
            "id": 1_000_000_000 + int(chance("group", *keys[: index + 1]) * 10**8),
            "name": title if index == len(keys) - 1 else SPORTS.get(key, key.title()),
            "englishName": key.replace("_", " ").title(),
            "termKey": key,
        }
        for index, key in enumerate(keys)
    ]


def _offers(line: Line, early: bool) -> Iterator[Row]:
    if early:
        yield _offer(line, TWO_GOALS_AHEAD, line.markets["h2h_2up"], 3)
    elif line.sport is Sport.FOOTBALL:
        yield _offer(line, FULL_TIME, line.markets["h2h"], 1)
    else:  # both have the offer type "Match", and the one without overtime may come first
        regular = {**{way: price + 0.02 for way, price in line.markets["h2h"].items()}, "draw": 29.0}
        yield _offer(line, FOURTH_QUARTER, {way: regular[way] for way in TYPES}, 2)
        yield _offer(line, MONEYLINE, line.markets["h2h"], 1)


def _offer(line: Line, criterion: Criterion, prices: Mapping[Outcome, float], index: int) -> Row:
    id_, label, english = criterion
    offer_id = 2_000_000_000 + line.event_id * 10 + index
    names = {"home": line.home, "away": line.away}
    offer: Row = {
        "id": offer_id,
        "closed": _iso(line.starts_at),
        "criterion": {"id": id_, "label": label, "englishLabel": english, "order": [], "lifetime": "FULL_TIME"},
        "betOfferType": {"id": 2, "name": "Jogo", "englishName": "Match"},
        "eventId": line.event_id,
        "outcomes": [
            {
                "id": offer_id * 10 + order,
                "label": short if line.sport is Sport.FOOTBALL else names.get(way, short),
                "englishLabel": short,
                "odds": None if line.suspended and way == "home" else round(prices[way] * 1000),
                "line": None,
                "participant": names.get(way),
                "type": kind,
                "betOfferId": offer_id,
                "changedDate": _iso(line.starts_at - timedelta(hours=30)),
                "status": "SUSPENDED" if line.suspended else "OPEN",
                "cashOutStatus": "ENABLED",
                "displayOrder": order,
            }
            for order, (way, (kind, short)) in enumerate(TYPES.items())
            if way in prices
        ],
        "tags": ["OFFERED_PREMATCH", "OFFERED_LIVE", "BET_BUILDER", "MAIN"],
        "cashOutStatus": "ENABLED",
    }
    if line.suspended:
        offer["suspended"] = True
    return offer


def _noise(board: Board, early: bool) -> Iterator[Row]:
    """An outright, which is an event too, with offers of its own and no two sides."""
    if early or not board.lines:
        return
    for index, (path, title) in enumerate((("football/champions_league", "Champions"), ("basketball/nba", "NBA"))):
        event_id = 900_000_000 + index
        yield {
            "event": {
                "id": event_id,
                "name": f"{title} - Vencedor",
                "homeName": f"{title} - Vencedor",
                "start": _iso(board.now + timedelta(days=200)),
                "group": title,
                "path": _groups(path.split("/"), title),
                "sport": path.split("/")[0].upper(),
                "tags": ["COMPETITION"],
                "state": "NOT_STARTED",
            },
            "betOffers": [
                {
                    "id": event_id * 10,
                    "criterion": {"id": 1001221607, "label": "Vencedor", "englishLabel": "To Win"},
                    "betOfferType": {"id": 4, "name": "Vencedor", "englishName": "Winner"},
                    "eventId": event_id,
                    "outcomes": [
                        {"id": 1, "label": "Real Madrid", "odds": 7500, "type": "OT_UNTYPED", "status": "OPEN"}
                    ],
                }
            ],
        }


def _path(item: Row) -> list[str]:
    event = item["event"]
    groups = event["path"] if isinstance(event, dict) else []
    return [group["termKey"] for group in groups]


def _iso(time: datetime) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%SZ}"
