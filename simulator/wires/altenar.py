"""Altenar's widget API as recorded: `GetEvents` with its tables joined by id, and the page of a brand that loads it."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from html import escape
from urllib.parse import urlencode

import msgspec

from scrapers import leagues
from scrapers.odds import MarketKey, Outcome, Sport
from scrapers.platforms.altenar import CHAMPS
from simulator.board import NOT_FOUND, Answer, Asked, Board, Line
from simulator.chance import chance

PAGES = frozenset({"", "/esportes", "/sports", "/pt/sports", "/aposta-esportiva"})
SPORT_IDS = {Sport.FOOTBALL: 66, Sport.BASKETBALL: 67}
SPORT_NAMES = {66: "Futebol", 67: "Basquete"}
CATEGORIES = {
    "BR": (593, "Brasil"),
    "GB": (497, "Inglaterra"),
    "ES": (501, "Espanha"),
    "IT": (502, "Itália"),
    "DE": (506, "Alemanha"),
    "FR": (503, "França"),
    "US": (522, "EUA"),
    "INT": (1134, "Internacional"),
}
CHAMP_IDS = {ours: int(theirs) for theirs, ours in CHAMPS.items()}
ODD_TYPES: Mapping[Outcome, int] = {"home": 1, "draw": 2, "away": 3}
WINNER = {Sport.FOOTBALL: (1, 70472), Sport.BASKETBALL: (219, 70792)}
WINNER_NAMES: Mapping[tuple[Sport, MarketKey], str] = {
    (Sport.FOOTBALL, "h2h"): "Vencedor do encontro",
    (Sport.FOOTBALL, "h2h_2up"): "Vencedor do encontro - Pagamento Antecipado",
    (Sport.BASKETBALL, "h2h"): "Vencedor (incluindo Prorrogação)",
}

Row = dict[str, object]


def answer(board: Board, asked: Asked) -> Answer:
    path = asked.path.rstrip("/")
    if path in PAGES:
        return _page(board)
    if path != "/api/widget/GetEvents":
        return NOT_FOUND
    if asked.query.get("integration") != board.book.params["integration"]:
        return Answer(b'{"error":"Bad Request"}', status=400)
    sport, champs = asked.query.get("sportId", "0"), asked.query.get("champIds", "")
    tables = Tables()
    for line in board.lines:
        champ = str(CHAMP_IDS.get(line.league, 0))
        if sport in ("0", str(SPORT_IDS[line.sport])) and champ != "0" and (not champs or champ in champs.split(",")):
            tables.add(line.listed())
    return Answer(msgspec.json.encode(tables.everything()))


class Tables:
    """The answer as it grows: every table by id."""

    def __init__(self) -> None:
        self.events: dict[int, Row] = {}
        self.markets: dict[int, Row] = {}
        self.odds: dict[int, Row] = {}
        self.competitors: dict[int, Row] = {}
        self.champs: dict[int, Row] = {}
        self.categories: dict[int, Row] = {}

    def everything(self) -> Row:
        sports = sorted({event["sportId"] for event in self.events.values()}, key=str)
        return {
            "dates": sorted({str(event["startDate"])[:10] + "T03:00:00Z" for event in self.events.values()}),
            "availableChamps": [],
            "availableCategories": [],
            "topSports": [],
            "headers": [{"typeId": 1, "oddTypeIds": [1, 2, 3]}, {"typeId": 219, "oddTypeIds": [1, 3]}],
            "page": 0,
            "pageCount": 0,
            "markets": list(self.markets.values()),
            "odds": list(self.odds.values()),
            "events": list(self.events.values()),
            "sports": [{"typeId": 1, "id": id_, "name": SPORT_NAMES.get(int(str(id_)), "")} for id_ in sports],
            "categories": list(self.categories.values()),
            "champs": list(self.champs.values()),
            "competitors": list(self.competitors.values()),
        }

    def add(self, line: Line) -> None:
        league = leagues.get(line.league)
        category, country = CATEGORIES.get(league.country if league else "", (1133, "Europa"))
        champ = CHAMP_IDS[line.league]
        self.champs[champ] = {"hasLiveEvents": line.live, "id": champ, "name": league.title if league else ""}
        self.categories[category] = {"iso": "", "hasLiveEvents": line.live, "id": category, "name": country}
        teams = [self._team(name) for name in (line.home, line.away)]
        event: Row = {
            "marketIds": self._markets(line, teams),
            "isBooked": True,
            "isParlay": False,
            "offers": [{"type": 0, "parameter": 2}, {"type": 6}] if "h2h_2up" in line.markets else [{"type": 6}],
            "code": None if chance("code", line.event_id) < 0.1 else line.event_id % 10_000,
            "hasStream": False,
            "extId": f"fp32_ar:match:{line.event_id % 900_000}",
            "sc": 1270,
            "mc": 56,
            "rc": False,
            "pId": 32,
            "et": 0,
            "hasStats": line.sport is Sport.FOOTBALL,
            "competitorIds": teams,
            "sportId": SPORT_IDS[line.sport],
            "catId": category,
            "champId": champ,
            "status": 1 if line.live else 0,
            "startDate": _iso(line.starts_at),
            "id": line.event_id,
            "name": f"{line.home} vs. {line.away}",
        }
        if line.live:
            event |= {"liveTime": "1º tempo", "ls": "31'", "score": [1, 0]}
        self.events[line.event_id] = event

    def _team(self, name: str) -> int:
        id_ = 40_000 + int(chance("team", name) * 3_000_000)
        self.competitors[id_] = {"hasConfigJersey": True, "id": id_, "name": name}
        return id_

    def _markets(self, line: Line, teams: list[int]) -> list[int]:
        """Main markets in the order of the site: a boosted 1X2, where there is one, stands before the plain one."""
        type_id, sport_market = WINNER[line.sport]
        ids = []
        plain = line.markets["h2h"]
        if line.sport is Sport.FOOTBALL and chance("boosted", line.event_id) < 0.3:
            boosted = {outcome: round(price * 1.08, 4) for outcome, price in plain.items()}
            ids.append(self._winner(line, teams, 0, "Vencedor do encontro - Super Odds", boosted))
        for index, (key, prices) in enumerate(line.markets.items(), start=1):
            if name := WINNER_NAMES.get((line.sport, key)):
                ids.append(self._winner(line, teams, index, name, prices))
        for market_id in ids:
            self.markets[market_id] |= {"typeId": type_id, "sportMarketId": sport_market}
        if line.sport is Sport.BASKETBALL:  # regular time with a draw has the number of football's 1X2
            even = {"home": plain["home"] + 0.08, "draw": 14.0, "away": plain["away"] + 0.08}
            ids.append(self._winner(line, teams, 7, "1x2", {way: even[way] for way in ODD_TYPES}))
            self.markets[ids[-1]] |= {"typeId": 1, "sportMarketId": 70780}
        return [*ids, self._total(line)]

    def _winner(self, line: Line, teams: list[int], index: int, name: str, prices: Mapping[Outcome, float]) -> int:
        market_id = 1_000_000_000 + line.event_id * 10 + index
        about: dict[Outcome, tuple[str, int | None]] = {
            "home": (line.home, teams[0]),
            "draw": ("Empate", None),
            "away": (line.away, teams[1]),
        }
        odd_ids = []
        for outcome, price in prices.items():
            label, team = about[outcome]
            odd_ids.append(market_id * 10 + (9 - ODD_TYPES[outcome]))
            odd: Row = {"typeId": ODD_TYPES[outcome], "price": price, "isMB": False, "oddStatus": _odd_status(line)}
            if line.live:
                odd["price"] = 0
            elif outcome == "home" and chance("boost", line.event_id) < 0.1:
                odd |= {"boostInfo": {"price": round(price * 1.5, 2), "isWelcome": False}, "priceType": 3}
            if team is not None:
                odd["competitorId"] = team
            self.odds[odd_ids[-1]] = odd | {"isDBB": True, "id": odd_ids[-1], "name": label}
        self.markets[market_id] = {"oddIds": odd_ids, "id": market_id, "name": name}
        return market_id

    def _total(self, line: Line) -> int:
        market_id = 1_000_000_000 + line.event_id * 10 + 9
        odds = {market_id * 10 + 1: (12, "Mais de 2.5", 1.9524), market_id * 10 + 2: (13, "Menos de 2.5", 1.7408)}
        for odd_id, (type_id, name, price) in odds.items():
            self.odds[odd_id] = {
                "typeId": type_id,
                "price": price,
                "isMB": True,
                "oddStatus": _odd_status(line),
                "id": odd_id,
                "name": name,
            }
        self.markets[market_id] = {
            "oddIds": list(odds),
            "typeId": 18 if line.sport is Sport.FOOTBALL else 225,
            "sportMarketId": 70520,
            "sv": "2.5",
            "sn": "2.5",
            "id": market_id,
            "name": "Total",
        }
        return market_id


def _odd_status(line: Line) -> int:
    return 7 if line.live else int(line.suspended)


def _page(board: Board) -> Answer:
    """A page that is empty until its script has fetched the feed, as the real ones are."""
    feeds = [_feed(board, Sport(sport)) for sport in board.book.sports]
    script = f"""
const feeds = {msgspec.json.encode(feeds).decode()};
for (const feed of feeds) {{
  fetch(feed, {{headers: {{accept: "application/json"}}}})
    .then(answer => answer.json())
    .then(answer => {{
      for (const event of answer.events) {{
        const row = document.createElement("li");
        row.textContent = event.name;
        document.getElementById("events").append(row);
      }}
    }});
}}
"""
    page = f"""<!doctype html>
<html lang="pt-BR">
<head><meta charset="utf-8"><title>{escape(board.book.title)}</title></head>
<body><ul id="events"></ul><script>{script}</script></body>
</html>
"""
    return Answer(page.encode(), content_type="text/html; charset=utf-8")


def _feed(board: Board, sport: Sport) -> str:
    query = {
        "culture": "pt-BR",
        "timezoneOffset": "180",
        "integration": board.book.params["integration"],
        "deviceType": "1",
        "numFormat": "en-GB",
        "countryCode": "BR",
        "eventCount": "0",
        "sportId": str(SPORT_IDS[sport]),
        "champIds": ",".join(_champs(sport)),
    }
    return f"/{board.book.name}/api/widget/GetEvents?{urlencode(query)}"


def _champs(sport: Sport) -> Iterable[str]:
    return leagues.chosen(CHAMPS, sport)


def _iso(time: datetime) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%SZ}"
