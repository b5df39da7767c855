"""Stake Brazil's API as its readers describe it (no answer was ever recorded), and a page whose script loads a list."""

import re
from collections.abc import Iterator
from dataclasses import replace

import msgspec

from scrapers.odds import MarketKey, Outcome, Sport
from scrapers.platforms.stake import BASE, TOURNAMENTS
from simulator.board import NOT_FOUND, Answer, Asked, Board, Line
from simulator.chance import chance

MATCHES = re.compile(rf"{BASE}/tournament/(\d+)/live-upcoming/?")
ALL_ODDS = re.compile(rf"{BASE}/events/(\d+)/odds/?")
COLUMNS: dict[Outcome, int] = {"home": 0, "draw": 1, "away": 2}
TOTALS_MARKET = "1001159926"

PAGE = b"""<!doctype html><html lang="pt-BR"><head><meta charset="utf-8"><title>Stake Esportes</title></head>
<body><main id="app">Carregando...</main><script>
const root = location.pathname.split(/\\/(?:pt-br|esportes|sports)\\b/)[0].replace(/\\/$/, "");
fetch(root + "/api/v1/br/pt-br/tournament/1000094569/live-upcoming")
  .then(answer => answer.json())
  .then(json => { document.getElementById("app").textContent = json.events.map(match => match.id).join(); });
</script></body></html>"""


def answer(board: Board, asked: Asked) -> Answer:
    board = replace(board, lines=tuple(line.listed() for line in board.lines))
    if asked.path in ("", "/") or asked.path.startswith(("/pt-br", "/esportes", "/sports")):
        return Answer(PAGE, content_type="text/html; charset=utf-8")
    if found := MATCHES.fullmatch(asked.path):
        if found[1] not in TOURNAMENTS:
            return NOT_FOUND
        lines = [line for line in board.lines if line.league == TOURNAMENTS[found[1]]]
        return _json({"events": [_event(line) for line in lines], "tournamentId": int(found[1])})
    if asked.path.rstrip("/") == f"{BASE}/events/odds":
        wanted = set(asked.query.get("events", "").split(","))
        return _json(
            {"odds": [odd for line in board.lines if str(line.event_id) in wanted for odd in _main(board, line)]}
        )
    if found := ALL_ODDS.fullmatch(asked.path):
        lines = [line for line in board.lines if str(line.event_id) == found[1]]
        return _json({"odds": list(_all(board, lines[0]))}) if lines else NOT_FOUND
    return NOT_FOUND


def _event(line: Line) -> dict[str, object]:
    return {
        "id": line.event_id,
        "dateStart": f"{line.starts_at:%Y-%m-%dT%H:%M:%SZ}",
        "teams": {"home": line.home, "away": line.away},
        "isLive": line.live,
        "liveData": {"score": {"home": 0, "away": 1}} if line.live else None,
        "marketsCount": 120,
        "streaming": None,
    }


def _main(board: Board, line: Line) -> Iterator[dict[str, object]]:
    """The answer for many matches: of basketball without its moneyline, and without early payout."""
    if line.sport is Sport.FOOTBALL:
        yield from _market(board, line, "h2h")
    yield from _totals(line)


def _all(board: Board, line: Line) -> Iterator[dict[str, object]]:
    for key in line.markets:
        yield from _market(board, line, key)
    yield from _totals(line)


def _market(board: Board, line: Line, key: MarketKey) -> Iterator[dict[str, object]]:
    name = "moneyline" if line.sport is Sport.BASKETBALL else key
    number = board.book.params[name].split(",")[0]
    names = {"home": line.home, "draw": "Empate", "away": line.away}
    older = chance("columns", line.event_id) < 0.3  # two-way markets were seen with the away side in either column
    for outcome, price in line.markets[key].items():
        column = 1 if line.sport is Sport.BASKETBALL and outcome == "away" and not older else COLUMNS[outcome]
        odd = _odd(line, number, column, names[outcome], price)
        if line.suspended:
            odd |= {"frozen": True} if line.event_id % 2 else {"oddValues": {"decimal": 0}, "oddValue": 0}
        yield odd


def _totals(line: Line) -> Iterator[dict[str, object]]:
    for column, name in enumerate(("Mais de 2.5", "Menos de 2.5")):
        yield _odd(line, TOTALS_MARKET, column, name, 1.9)


def _odd(line: Line, market: str, column: int, name: str, price: float) -> dict[str, object]:
    return {
        "id": f"{line.event_id}-{market}-{column}",
        "eventId": line.event_id,
        "marketId": market,
        "columnId": column,
        "name": name,
        "oddValues": {"decimal": price, "american": None, "fractional": None},
        "oddValue": price,
        "frozen": False,
        "line": None,
    }


def _json(value: object) -> Answer:
    return Answer(msgspec.json.encode(value))
