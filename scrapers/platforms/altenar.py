"""Altenar's sportsbook widget (biahosted.com): flat tables of events, markets, odds and teams, joined by id.

A brand row gives `params["integration"]`, its name on the platform (each has prices of its own: none stands in for
another), and `params["link"]`, the form of its match pages, filled in with site, id, sport_id, sport, category_id,
champ_id, country, league, home and away. No token is sent: none is needed, and a stale one brings 403.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypeVar

import msgspec

from scrapers import leagues
from scrapers.catalog import Bookmaker
from scrapers.errors import Changed
from scrapers.odds import MarketKey, Outcome, Page
from scrapers.wire import EVIDENCE_BYTES, Request, Response, read_json, try_decode, utc, utc_millis

SPORT_IDS = {"football": 66, "basketball": 67}
SPORTS = {66: "football", 67: "basketball"}  # 145 to 148 are e-sports, with the names of real teams
SPORT_SLUGS = {"football": "futebol", "basketball": "basquete"}
WINNER_MARKET = {"football": 1, "basketball": 219}  # 1 is, in basketball, regular time with a draw
OUTCOMES: Mapping[int, Outcome] = {1: "home", 2: "draw", 3: "away"}

BOOSTED = re.compile(r"aumentad|super-?odd|turbinad|boost")  # a second 1X2 of the same type: only its name differs
EARLY_PAYOUT = re.compile(r"pagamento-antecipado|ganho-antecipado|early-payout|2up")

CHAMPS = {
    "11318": "soccer_brazil_campeonato",
    "11005": "soccer_brazil_serie_b",
    "3436": "soccer_brazil_paulista",
    "3357": "soccer_brazil_carioca",
    "3709": "soccer_conmebol_copa_libertadores",
    "2936": "soccer_epl",
    "2937": "soccer_efl_champ",
    "2935": "soccer_fa_cup",
    "2972": "soccer_england_efl_cup",
    "2941": "soccer_spain_la_liga",
    "2973": "soccer_spain_copa_del_rey",
    "2942": "soccer_italy_serie_a",
    "2950": "soccer_germany_bundesliga",
    "2943": "soccer_france_ligue_one",
    "3065": "soccer_netherlands_eredivisie",
    "3152": "soccer_portugal_primeira_liga",
    "16808": "soccer_uefa_champs_league",
    "16809": "soccer_uefa_europa_league",
    "31608": "soccer_uefa_europa_conference_league",
    "2980": "basketball_nba",
}


class Row(msgspec.Struct, rename="camel"):
    id: int


class Named(Row):
    name: str = ""


class Odd(Row):
    type_id: int
    price: float | None = None  # `boostInfo.price` is the boosted one; it is never read
    odd_status: int | None = None
    competitor_id: int | None = None


class Market(Row):
    type_id: int
    name: str = ""
    odd_ids: list[int] | None = None
    desktop_odd_ids: list[list[int]] | None = None  # columns, in the answer about a single event

    def odds(self) -> list[int]:
        return self.odd_ids or [odd for column in self.desktop_odd_ids or () for odd in column]


class Event(Row):
    name: str = ""
    start_date: str | int | float | None = None
    sport_id: int | None = None
    cat_id: int | None = None
    champ_id: int | None = None
    competitor_ids: list[int] = []
    market_ids: list[int] = []
    status: int | None = None
    et: int | None = None


class Answer(msgspec.Struct):
    events: list[msgspec.Raw] | None = None
    markets: list[msgspec.Raw] | None = None
    odds: list[msgspec.Raw] | None = None
    competitors: list[msgspec.Raw] | None = None
    champs: list[msgspec.Raw] | None = None
    categories: list[msgspec.Raw] | None = None


R = TypeVar("R", bound=Row)


class Tables:
    """An answer's tables by id. Raises `Changed` when most of one cannot be read."""

    def __init__(self, answer: Answer, body: bytes) -> None:
        self.evidence = body[:EVIDENCE_BYTES]
        self.unreadable: dict[str, int] = {}
        self.events = self.table("events", answer.events, Event)
        self.markets = self.table("markets", answer.markets, Market)
        self.odds = self.table("odds", answer.odds, Odd)
        self.teams = self.table("competitors", answer.competitors, Named)
        self.champs = self.table("champs", answer.champs, Named)
        self.categories = self.table("categories", answer.categories, Named)

    def table(self, name: str, rows: list[msgspec.Raw] | None, shape: type[R]) -> dict[int, R]:
        read = [row for raw in rows or () if (row := try_decode(raw, shape))]
        self.unreadable[name] = len(rows or ()) - len(read)
        if rows and self.unreadable[name] * 2 > len(rows):
            raise Changed(f"{self.unreadable[name]} of {len(rows)} {name} are unreadable", self.evidence)
        by_id: dict[int, R] = {}
        for row in read:
            by_id.setdefault(row.id, row)  # bet-builder copies come second, with fewer lines
        return by_id

    def check_references(self) -> None:
        wanted = {market for event in self.events.values() for market in event.market_ids}
        if wanted and wanted.isdisjoint(self.markets):
            raise Changed("the events' markets are not in the answer", self.evidence)
        wanted = {odd for market in self.markets.values() for odd in market.odds()}
        if self.markets and wanted.isdisjoint(self.odds):
            raise Changed("the markets' odds are not in the answer", self.evidence)


def requests(book: Bookmaker, now: datetime) -> Sequence[Request]:
    return [
        Request(
            url=f"{book.api}/api/widget/GetEvents",
            params={
                "culture": "pt-BR",
                "timezoneOffset": "180",  # as JavaScript counts it; kick-offs are UTC whatever it says
                "integration": book.params["integration"],
                "deviceType": "1",
                "numFormat": "en-GB",
                "countryCode": "BR",
                "eventCount": "0",
                "sportId": str(SPORT_IDS[sport]),
                "champIds": ",".join(leagues.chosen(CHAMPS, sport)),
            },
            headers={"accept": "application/json", "origin": book.site, "referer": f"{book.site}/"},
            note=sport,
        )
        for sport in book.sports
    ]


def parse(book: Bookmaker, response: Response) -> Page:
    answer = read_json(response, Answer)
    tables = Tables(answer, response.body)
    if answer.events is None:  # GetEventDetails: the answer is the event
        event = read_json(response, Event)
        event.market_ids, event.competitor_ids = list(tables.markets), list(tables.teams)
        tables.events[event.id] = event
    # Football never stops everywhere at once: this is how a wrong integration name shows.
    if not tables.events and response.request.note == "football":
        raise Changed(f"no football at all for integration {book.params['integration']!r}", tables.evidence)
    tables.check_references()
    page = Page()
    for _ in range(tables.unreadable["events"]):
        page.skip("unreadable event")
    for event in tables.events.values():
        read_event(book, event, tables, page, asked=response.request.note)
    return page


def read_event(book: Bookmaker, event: Event, tables: Tables, page: Page, asked: str) -> None:
    sport = asked if event.sport_id is None else SPORTS.get(event.sport_id, "")
    if sport not in WINNER_MARKET or sport not in book.sports:
        return page.skip("other sport")
    if event.et:
        return page.skip("not a match")
    if event.status:  # 1 live, 5 interrupted
        return page.skip("live")
    sides = dict(zip((1, 3), event.competitor_ids, strict=False))
    markets: dict[MarketKey, dict[Outcome, float | None]] = {}
    closed = False
    for market in (tables.markets[id_] for id_ in event.market_ids if id_ in tables.markets):
        if market.type_id != WINNER_MARKET[sport]:
            continue
        name = slug(market.name)
        if BOOSTED.search(name):
            page.skip("boosted market")
            continue
        odds = [tables.odds[id_] for id_ in market.odds() if id_ in tables.odds]
        if any(odd.competitor_id not in (None, sides.get(odd.type_id, odd.competitor_id)) for odd in odds):
            return page.skip("sides disagree")
        if any(odd.odd_status != 0 for odd in odds):
            closed = True
        else:
            key: MarketKey = "h2h_2up" if EARLY_PAYOUT.search(name) else "h2h"
            markets.setdefault(key, {OUTCOMES[odd.type_id]: odd.price for odd in odds if odd.type_id in OUTCOMES})
    if closed and not markets:
        return page.skip("suspended")
    home, _, away = event.name.replace(" vs ", " vs. ").partition(" vs. ")
    if len(event.competitor_ids) == 2:
        first, second = (name_of(tables.teams, id_) for id_ in event.competitor_ids)
        home, away = first or home, second or away
    league = name_of(tables.champs, event.champ_id)
    parts = {
        "site": book.site,
        "id": event.id,
        "sport_id": SPORT_IDS[sport],
        "sport": SPORT_SLUGS[sport],
        "category_id": event.cat_id,
        "champ_id": event.champ_id,
        "country": slug(name_of(tables.categories, event.cat_id)),
        "league": slug(league),
        "home": slug(home),
        "away": slug(away),
    }
    return page.add(
        external_id=event.id,
        sport=sport,
        league=CHAMPS.get(str(event.champ_id)),
        league_name=league or event.champ_id,
        home=home,
        away=away,
        starts_at=utc(event.start_date) or utc_millis(event.start_date),
        url=link(book.params["link"], parts),
        markets=markets,
    )


def name_of(table: Mapping[int, Named], id_: int | None) -> str:
    row = table.get(id_) if id_ is not None else None
    return row.name if row else ""


def link(form: str, parts: Mapping[str, object]) -> str | None:
    try:
        return form.format_map({name: part for name, part in parts.items() if part})
    except KeyError:  # a part that this answer does not give: no link is better than a broken one
        return None


def slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
