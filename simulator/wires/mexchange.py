"""Mexchange as Betbra serves it: string ids, participants out of order, offers three deep on both sides."""

from collections.abc import Iterable
from datetime import timedelta
from html import escape

import msgspec

from scrapers.odds import OUTCOMES, Outcome, Sport
from scrapers.platforms.mexchange import SPORT_BY_ID, SPORT_SLUGS, TOURNAMENTS, WINNER_MARKET
from simulator.board import NOT_FOUND, Answer, Asked, Board, Line

Json = dict[str, object]

TAGS = {league: tag for tag, league in reversed(TOURNAMENTS.items())}
SPORT_IDS = {sport: number for number, sport in SPORT_BY_ID.items()}
MARKET_NAMES = {"one_x_two": ("Resultado Final", "Match Odds"), "money_line": ("Vencedor", "Moneyline")}
MIRRORED: dict[Outcome, Outcome] = {"home": "away", "draw": "draw", "away": "home"}
TICK = 0.02

PAGE = """<!doctype html>
<html lang="pt-BR"><head><meta charset="utf-8"><title>{title} Exchange</title></head>
<body><main id="eventos">Carregando...</main>
<script>
const base = location.pathname.replace(/\\/?$/, "/");
fetch(base + "api/events?offset=0&per-page=20&sport-ids=15&sort-by=volume&sort-direction=desc")
  .then((answer) => answer.json())
  .then((feed) => {{
    document.getElementById("eventos").textContent = feed.events.map((each) => each.name).join("\\n");
  }});
</script></body></html>
"""


def answer(board: Board, asked: Asked) -> Answer:
    if asked.method != "GET":
        return NOT_FOUND
    if asked.path in ("", "/") or asked.path.startswith("/b/exchange"):
        return Answer(PAGE.format(title=escape(board.book.title)).encode(), "text/html; charset=utf-8")
    if asked.path == "/api/events":
        return events(board, asked)
    for line in board.lines:
        if asked.path == f"/api/events/{line.event_id}":
            return Answer(msgspec.json.encode(event(line)))
    return NOT_FOUND


def events(board: Board, asked: Asked) -> Answer:
    query = asked.query
    lines = [line for line in board.lines if wanted(line, asked)]
    if query.get("sort-by") == "volume":
        lines.sort(key=lambda line: (-volume(line), line.event_id))
    else:
        lines.sort(key=lambda line: (line.starts_at, line.event_id))
    found = [*outrights(lines, query.get("tag-url-names", "")), *(event(line) for line in lines)]
    offset, per_page = whole(query.get("offset"), 0), whole(query.get("per-page"), 20)
    shown = found[offset : offset + per_page]
    return Answer(
        msgspec.json.encode(
            {
                "offset": offset,
                "per-page": per_page,
                "total": len(found),
                "lastUpdated": f"{board.now:%Y-%m-%dT%H:%M:%S.000Z}",
                "events": shown,
            }
        )
    )


def wanted(line: Line, asked: Asked) -> bool:
    query, start = asked.query, line.starts_at.timestamp()
    sports = query.get("sport-ids", "")
    types = query.get("market-types", "")
    return (
        (not sports or SPORT_IDS[line.sport] in sports.split(","))
        and (not types or WINNER_MARKET[line.sport] in types.split(","))
        and {tag for tag in query.get("tag-url-names", "").split(",") if tag} <= set(tags(line))
        and whole(query.get("after"), 0) <= start <= whole(query.get("before"), 2**40)
    )


def whole(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isdecimal() else otherwise


def tags(line: Line) -> tuple[str, str]:
    return SPORT_SLUGS[line.sport], TAGS.get(line.league, line.league.replace("_", "-"))


def volume(line: Line) -> float:
    return round(line.liquidity * (3 + line.event_id % 89), 2)


def outrights(lines: Iterable[Line], asked_tags: str) -> list[Json]:
    """A season's winner hangs among the matches when a league is asked for by its tag."""
    first = next(iter(lines), None)
    if first is None or not asked_tags:
        return []
    sport, league = tags(first)
    winner = {"id": "900000000000001", "name": "Winner", "market-type": "outright", "status": "open", "runners": []}
    return [
        {
            "id": "900000000000000",
            "name": "Campeão da temporada",
            "sport-id": SPORT_IDS[first.sport],
            "start": f"{first.starts_at + timedelta(days=120):%Y-%m-%dT%H:%M:%S.000Z}",
            "status": "open",
            "in-running-flag": False,
            "event-participants": None,
            "meta-tags": meta_tags(sport, league),
            "markets": [winner],
        }
    ]


def meta_tags(sport: str, league: str) -> list[Json]:
    return [
        {"id": "410468520880009", "name": "Live Betting", "type": "OTHER", "url-name": "live-betting"},
        {"id": "1", "name": sport.title(), "type": "SPORT", "url-name": sport},
        {"id": "2", "name": league.replace("-", " ").title(), "type": "COMPETITION", "url-name": league},
    ]


def event(line: Line) -> Json:
    first, second = (line.away, line.home) if line.swapped else (line.home, line.away)
    basketball = line.sport == Sport.BASKETBALL
    numbers = ("2", "1") if basketball else ("1", "2")  # American order: the host is the second
    sides = [
        participant(line, 2, numbers[1], second),
        participant(line, 1, numbers[0], first),
    ]
    return {
        "id": str(line.event_id),
        "name": f"{second} em {first}" if basketball else f"{first} vs {second}",
        "sport-id": SPORT_IDS[line.sport],
        "start": f"{line.starts_at:%Y-%m-%dT%H:%M:%S.000Z}",
        "status": "open",
        "in-running-flag": line.live,
        "allow-live-betting": True,
        "category-id": None,
        "volume": volume(line),
        "event-participants": sides,
        "meta-tags": meta_tags(*tags(line)),
        "markets": [total_market(line), winner_market(line, first, second)],
    }


def participant(line: Line, place: int, number: str, name: str) -> Json:
    return {
        "id": f"{line.event_id}0{place}",
        "event-id": str(line.event_id),
        "number": number,
        "participant-name": name,
        "participant-name-original": name,
    }


def winner_market(line: Line, first: str, second: str) -> Json:
    prices = line.markets.get("h2h", {})
    named: dict[Outcome, tuple[str, str]] = {
        "home": (f"{line.event_id}01", first),
        "draw": ("0", "Empate"),
        "away": (f"{line.event_id}02", second),
    }
    runners: list[Json] = [
        {
            "id": f"{line.event_id}1{place}",
            "event-id": str(line.event_id),
            "event-participant-id": named[outcome][0],
            "name": named[outcome][1],
            "status": "open",
            "withdrawn": False,
            "volume": volume(line),
            "last-matched-odds": None,
            "prices": offers(prices.get(MIRRORED[outcome] if line.swapped else outcome), line.liquidity),
        }
        for place, outcome in enumerate(OUTCOMES[line.sport])
    ]
    return market(line, "1", WINNER_MARKET[line.sport], runners)


def total_market(line: Line) -> Json:
    runners: list[Json] = [
        {"id": f"{line.event_id}2{place}", "name": name, "status": "open", "prices": offers(1.95, line.liquidity)}
        for place, name in enumerate(("Mais 2.5", "Menos 2.5"))
    ]
    return market(line, "2", "total", runners)


def market(line: Line, place: str, kind: str, runners: list[Json]) -> Json:
    name, original = MARKET_NAMES.get(kind, ("Total", "Total"))
    return {
        "id": f"{line.event_id}{place}",
        "event-id": str(line.event_id),
        "name": name,
        "name-original": original,
        "market-type": kind,
        "type": "multirunner" if len(runners) > 2 else "binary",
        "status": "suspended" if line.suspended else "open",
        "in-running-flag": line.live,
        "live": line.live,
        "volume": volume(line),
        "runners": runners[::-1],
    }


def offers(best: float | None, liquidity: float) -> list[Json]:
    """Backs fall and lays rise from the best; a runner that nobody offers has an empty list."""
    if best is None:
        return []
    backs = [("back", best if depth == 0 else round(best * (1 - TICK * depth), 2)) for depth in range(3)]
    lays = [("lay", round(best * (1 + TICK * (depth + 1)), 2)) for depth in range(3)]
    return [
        {
            "available-amount": liquidity if odds == best else round(liquidity * odds, 5),
            "currency": "BRL",
            "decimal-odds": odds,
            "odds": odds,
            "odds-type": "DECIMAL",
            "exchange-type": "back-lay",
            "side": side,
        }
        for side, odds in [*backs, *lays]
        if odds > 1
    ]
