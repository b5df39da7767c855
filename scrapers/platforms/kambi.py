"""Kambi's offering API: a list view per sport or league with the main offer of every match. Prices are thousandths.

A brand row gives `params["offering"]`, its name on the platform. The plain 1X2 and the one that pays at two goals ahead
are two offers, asked for apart: the same event comes in both answers, each with its own market.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from scrapers.catalog import Bookmaker
from scrapers.errors import Changed
from scrapers.odds import MarketKey, Outcome, Page
from scrapers.wire import EVIDENCE_BYTES, Request, Response, read_json, try_decode, utc

EARLY_PAYOUT = "early payout"  # note of the request for the offers of this category
EARLY_PAYOUT_CATEGORY = "10028163"

# By criterion: "Result at end of Quarter 4", with a draw, has the same offer type as the moneyline.
MARKETS: Mapping[str, Mapping[int | str, MarketKey]] = {
    "football": {
        1001159858: "h2h",
        2100089307: "h2h_2up",
        "Full Time": "h2h",
        "Full Time - 2UP": "h2h_2up",
    },
    "basketball": {1001159732: "h2h", "Moneyline - Including Overtime": "h2h"},
}
OUTCOMES: Mapping[str, Outcome] = {"OT_ONE": "home", "OT_CROSS": "draw", "OT_TWO": "away"}

LEAGUES = {
    "football/brazil/brasileirao_serie_a": "soccer_brazil_campeonato",
    "football/brazil/brasileirao_serie_b": "soccer_brazil_serie_b",
    "football/brazil/copa_do_brasil": "soccer_brazil_copa_do_brasil",
    "football/brazil/paulista_a1": "soccer_brazil_paulista",
    "football/copa_libertadores": "soccer_conmebol_copa_libertadores",
    "football/copa_sudamericana": "soccer_conmebol_copa_sudamericana",
    "football/england/premier_league": "soccer_epl",
    "football/england/the_championship": "soccer_efl_champ",
    "football/england/fa_cup": "soccer_fa_cup",
    "football/england/efl_cup": "soccer_england_efl_cup",
    "football/spain/la_liga": "soccer_spain_la_liga",
    "football/spain/copa_del_rey": "soccer_spain_copa_del_rey",
    "football/italy/serie_a": "soccer_italy_serie_a",
    "football/italy/coppa_italia": "soccer_italy_coppa_italia",
    "football/germany/bundesliga": "soccer_germany_bundesliga",
    "football/germany/dfb_pokal": "soccer_germany_dfb_pokal",
    "football/france/ligue_1": "soccer_france_ligue_one",
    "football/netherlands/eredivisie": "soccer_netherlands_eredivisie",
    "football/portugal/primeira_liga": "soccer_portugal_primeira_liga",
    "football/champions_league": "soccer_uefa_champs_league",
    "football/europa_league": "soccer_uefa_europa_league",
    "football/conference_league": "soccer_uefa_europa_conference_league",
    "basketball/nba": "basketball_nba",
}
PAGE_WORDS = {  # the site's addresses are Portuguese, the API's keys English
    "football": "futebol",
    "basketball": "basquete",
    "brazil": "brasil",
    "england": "inglaterra",
    "spain": "espanha",
    "italy": "italia",
    "germany": "alemanha",
    "france": "franca",
    "netherlands": "holanda",
}


class Criterion(msgspec.Struct, rename="camel"):
    id: int | None = None
    english_label: str | None = None


class Selection(msgspec.Struct):
    type: str = ""
    odds: int | None = None
    status: str = "OPEN"


class Offer(msgspec.Struct, rename="camel"):
    criterion: Criterion
    outcomes: list[Selection] = []
    suspended: bool | None = None
    event_id: int | None = None

    def closed(self) -> bool:
        return bool(self.suspended) or any(selection.status != "OPEN" for selection in self.outcomes)


class Group(msgspec.Struct, rename="camel"):
    term_key: str


class Event(msgspec.Struct, rename="camel"):
    id: int
    name: str = ""
    home_name: str | None = None
    away_name: str | None = None
    start: str | None = None
    group: str | None = None
    path: list[Group] | None = None
    sport: str | None = None
    state: str | None = None
    tags: list[str] | None = None


class Item(msgspec.Struct, rename="camel"):
    """An entry of a list view."""

    event: Event
    bet_offers: list[msgspec.Raw] | None = None
    live_data: object = None


class Answer(msgspec.Struct, rename="camel"):
    events: list[msgspec.Raw]
    bet_offers: list[msgspec.Raw] | None = None  # of bare events, in the answer about single events


def requests(book: Bookmaker, now: datetime) -> Sequence[Request]:
    """Few, and whole sports rather than leagues: a handful of quick calls can bring 429 for half an hour."""
    asked = []
    if "football" in book.sports:
        asked.append(request(book, "football", note="football"))
    if "basketball" in book.sports:
        asked.append(request(book, "basketball/nba", note="basketball"))
    if "football" in book.sports:  # last: a block here costs the least
        asked.append(request(book, "football", note=EARLY_PAYOUT, category=EARLY_PAYOUT_CATEGORY))
    return asked


def request(book: Bookmaker, path: str, note: str, **more: str) -> Request:
    return Request(
        url=f"{book.api}/offering/v2018/{book.params['offering']}/listView/{path}.json",
        params={"lang": "pt_BR", "market": "BR", "client_id": "200", "channel_id": "1", "useCombined": "true", **more},
        headers={"accept": "application/json", "origin": book.site, "referer": f"{book.site}/"},
        note=note,
    )


def parse(book: Bookmaker, response: Response) -> Page:
    answer = read_json(response, Answer)
    loose: dict[int | None, list[Offer]] = {}
    for offer in readable(answer.bet_offers):
        loose.setdefault(offer.event_id, []).append(offer)
    page = Page()
    unreadable = 0
    for raw in answer.events:
        item = try_decode(raw, Item)
        if item:
            event, offers = item.event, readable(item.bet_offers)
            event.state = "STARTED" if item.live_data else event.state
            read_event(book, event, offers, page, asked=response.request.note)
        elif bare := try_decode(raw, Event):
            read_event(book, bare, loose.get(bare.id, []), page, asked=response.request.note)
        else:
            unreadable += 1
            page.skip("unreadable event")
    if unreadable * 2 > len(answer.events):
        raise Changed(f"{unreadable} of {len(answer.events)} events are unreadable", response.body[:EVIDENCE_BYTES])
    return page


def readable(offers: Sequence[msgspec.Raw] | None) -> list[Offer]:
    return [offer for raw in offers or () if (offer := try_decode(raw, Offer))]


def read_event(book: Bookmaker, event: Event, offers: Sequence[Offer], page: Page, asked: str) -> None:
    sport = event.sport.lower() if event.sport else asked.replace(EARLY_PAYOUT, "football")
    if sport not in MARKETS or sport not in book.sports:
        return page.skip("other sport")
    if event.tags is not None and "MATCH" not in event.tags:
        return page.skip("not a match")
    if event.state not in (None, "NOT_STARTED"):
        return page.skip("live")
    markets: dict[MarketKey, dict[Outcome, float | None]] = {}
    closed = False
    for offer in offers:
        key = MARKETS[sport].get(offer.criterion.id or offer.criterion.english_label or "")
        if key is None or (asked == EARLY_PAYOUT and key != "h2h_2up"):
            continue
        if offer.closed():
            closed = True
        else:
            markets.setdefault(key, prices(offer))
    if not markets and (closed or asked == EARLY_PAYOUT):
        return page.skip("suspended" if closed else "no early payout")
    home, _, away = event.name.partition(" - ")
    home, away = event.home_name or home, event.away_name or away
    path = [group.term_key for group in event.path or ()]
    return page.add(
        external_id=event.id,
        sport=sport,
        league=LEAGUES.get("/".join(path)),
        league_name=event.group,
        home=home,
        away=away,
        starts_at=utc(event.start),
        url=link(book, path, home, away, event.id),
        markets=markets,
    )


def prices(offer: Offer) -> dict[Outcome, float | None]:
    return {
        OUTCOMES[selection.type]: selection.odds / 1000 if selection.odds and abs(selection.odds) < 10**12 else None
        for selection in offer.outcomes
        if selection.type in OUTCOMES
    }


def link(book: Bookmaker, path: Sequence[str], home: str, away: str, event_id: int) -> str | None:
    if not path:
        return None
    folders = "/".join(PAGE_WORDS.get(key, key).replace("_", "-") for key in path)
    return f"{book.site}/esportes/{folders}/{slug(home)}---{slug(away)}/{event_id}"


def slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
