"""Betano's JSON as recorded on sister sites: lists per league, one match, and a page whose script loads a list."""

import re
from collections.abc import Iterable
from dataclasses import replace

import msgspec

from scrapers import leagues
from scrapers.odds import Outcome, Sport
from scrapers.platforms.betano import LEAGUES
from simulator.board import NOT_FOUND, Answer, Asked, Board, Line
from simulator.chance import chance, pick

LISTS = re.compile(r"/api/sports/(FOOT|BASK)/hot/trending/leagues/(\w+)/events/?")
MATCH = re.compile(r"/api/odds/[\w-]+/(\d+)/?")
LEAGUE_IDS = {ours: theirs for theirs, ours in LEAGUES.items()}
SPORT_IDS = {Sport.FOOTBALL: "FOOT", Sport.BASKETBALL: "BASK"}
NBA_LEAGUE = "17106"  # its matches carry the league; lists are asked for by group, 441g
COLUMNS: dict[Outcome, tuple[int, str, str]] = {"home": (0, "1", ""), "draw": (1, "X", "Empate"), "away": (2, "2", "")}

PAGE = b"""<!doctype html><html lang="pt-BR"><head><meta charset="utf-8"><title>Apostas Futebol | Betano</title></head>
<body><main id="app">Carregando...</main><script>
const root = location.pathname.split("/sport/")[0].replace(/\\/$/, "");
fetch(root + "/api/league/hot/upcoming/?leagueId=10016&req=s,stnf,c,mb")
  .then(answer => answer.json())
  .then(json => { document.getElementById("app").textContent = json.data.events.map(match => match.name).join(); });
</script></body></html>"""


def answer(board: Board, asked: Asked) -> Answer:
    board = replace(board, lines=tuple(line.listed() for line in board.lines))
    if asked.path in ("", "/") or asked.path.startswith("/sport/"):
        return Answer(PAGE, content_type="text/html; charset=utf-8")
    if asked.path.rstrip("/") == "/api/league/hot/upcoming":
        return _list(board, Sport.FOOTBALL, asked.query.get("leagueId", ""))
    if found := LISTS.fullmatch(asked.path):
        return _list(board, Sport.FOOTBALL if found[1] == "FOOT" else Sport.BASKETBALL, found[2])
    if found := MATCH.fullmatch(asked.path):
        lines = [line for line in board.lines if str(line.event_id) == found[1]]
        if lines:
            tabs = [{"id": "0", "name": "Populares", "selected": True, "type": "popular"}]
            return _json({"data": {"event": _event(lines[0], boosted="beside"), "markets": tabs}, "status": 200})
    return NOT_FOUND


def _list(board: Board, sport: Sport, league: str) -> Answer:
    key = LEAGUES.get(league)
    lines = sorted(
        (line for line in board.lines if line.sport is sport and line.league == key), key=lambda line: line.starts_at
    )
    boosted = next((line.event_id for line in lines if _is_boosted(line)), None)
    events = [
        _event(line, boosted="instead" if line.event_id == boosted else pick(("", "beside"), "boost", line.event_id))
        for line in lines
    ]
    if lines and sport is Sport.FOOTBALL:
        events.append(_esports(lines[-1], key or ""))
    return _json({"data": {"events": events, "leagueId": league, "marketTabs": []}, "status": 200})


def _is_boosted(line: Line) -> bool:
    """Lists show the boosted price of some matches in place of the plain one."""
    return line.sport is Sport.FOOTBALL and not line.live and not line.suspended and "h2h_2up" in line.markets


def _event(line: Line, boosted: str = "") -> dict[str, object]:
    league = leagues.get(line.league)
    title = league.title if league else line.league
    slug = re.sub(r"[^a-z0-9]+", "-", f"{line.home}-{line.away}".lower()).strip("-") or "jogo"
    teams = {"home": str(_team(line.home)), "away": str(_team(line.away))}
    event: dict[str, object] = {
        "sportId": SPORT_IDS[line.sport],
        "shortName": f"{line.home} - {line.away}",
        "totalMarketsAvailable": 400,
        "betRadarId": 60_000_000 + line.event_id % 9_000_000,
        "notes": "",
        "tvChannel": "",
        "regionName": pick(("Brasil", "Inglaterra", "Europa"), "region", line.league),
        "regionId": "11458",
        "leagueDescription": title,
        "leagueId": NBA_LEAGUE if line.sport is Sport.BASKETBALL else LEAGUE_IDS.get(line.league, "0"),
        "leagueName": title,
        "willGoLive": True,
        "id": str(line.event_id),
        "name": f"{line.home} - {line.away}",
        "startTime": int(line.starts_at.timestamp() * 1000),
        "url": f"/{'live' if line.live else 'odds'}/{slug}/{line.event_id}/",
        "markets": [],
        "participants": [
            {"name": line.home, "color": "", "id": teams["home"]},
            {"name": line.away, "color": "", "id": teams["away"]},
        ],
    }
    if line.live:
        event["liveNow"] = True
    if line.sport is Sport.BASKETBALL and chance("six-pack", line.event_id) < 0.7:
        rows = [{"id": teams["home"], "name": line.home}, {"id": teams["away"], "name": line.away}]
        event["sixPackBlocks"] = [{"header": [], "rows": rows, "columns": _offers(line, teams, boosted, six_pack=True)}]
    elif not (line.suspended and line.event_id % 2):
        event["markets"] = _offers(line, teams, boosted)
    return event


def _offers(line: Line, teams: dict[str, str], boosted: str, *, six_pack: bool = False) -> list[dict[str, object]]:
    football = line.sport is Sport.FOOTBALL
    plain = _winner(line, teams, "MRES" if football else "H2HT", 1 if football else 155, 0.0, six_pack=six_pack)
    higher = _winner(line, teams, "MR12" if football else "H2H1", 2850, 0.15, six_pack=six_pack)
    totals = _offer(line.event_id * 10 + 7, "HCTG" if football else "FTPO", 13, "Total", [])
    totals["selections"] = [
        {"id": "1", "name": "Mais de 2.5", "price": 1.9, "handicap": 2.5, "columnIndex": 0},
        {"id": "2", "name": "Menos de 2.5", "price": 1.9, "handicap": 2.5, "columnIndex": 1},
    ]
    shown = {"": [plain], "beside": [higher, plain], "instead": [higher]}[boosted]
    return [*shown, totals]


def _winner(
    line: Line, teams: dict[str, str], kind: str, number: int, bonus: float, *, six_pack: bool
) -> dict[str, object]:
    names = {"home": line.home, "away": line.away}
    selections = []
    for outcome, price in line.markets["h2h"].items():
        column, label, full = COLUMNS[outcome]
        selection: dict[str, object] = {
            "id": f"{line.event_id}{column}{number}",
            "name": label if line.sport is Sport.FOOTBALL else names[outcome],
            "fullName": names.get(outcome, full),
            "price": round(price + bonus, 2),
            "handicap": 0.0,
            "betRef": f"{line.event_id}{column}{number}",
            "columnIndex": 0 if six_pack else column if line.sport is Sport.FOOTBALL else column // 2,
        }
        if outcome in teams:
            selection["teamId"] = teams[outcome]
        if line.suspended:  # no flag was ever seen: the price is missing
            del selection["price"]
        selections.append(selection)
    if six_pack and chance("away first", line.event_id) < 0.2:
        selections.reverse()
    return _offer(line.event_id * 10 + number % 7, kind, number, "Resultado Final", selections)


def _offer(identity: int, kind: str, number: int, name: str, selections: Iterable[object]) -> dict[str, object]:
    return {
        "id": str(identity),
        "name": name,
        "type": kind,
        "typeId": number,
        "handicap": 0.0,
        "displayOrder": 0,
        "selections": list(selections),
        "scorerSelections": [],
    }


def _esports(line: Line, key: str) -> dict[str, object]:
    """Players with the names of real clubs, in a league of their own."""
    event = _event(line)
    name = f"{line.home} (Kray) (Esports) - {line.away} (JKey) (Esports)"
    event |= {"id": f"99{line.event_id}", "name": name, "leagueId": "210001", "leagueName": "12 minutos de jogo"}
    return event | {"leagueDescription": f"Esoccer {key}", "participants": None, "liveNow": None, "url": "/odds/x/1/"}


def _team(name: str) -> int:
    return 1_000_000 + int(chance("team", name) * 900_000)


def _json(value: object) -> Answer:
    return Answer(msgspec.json.encode(value))
