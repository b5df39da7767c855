"""Novibet's feed: one view per competition, asked for by its number, with the main markets of every match in it.

A brand needs its `api` and `site` (the same host), and in `params` what its gateway is told about the visitor:
`application` ("NoviBR") and `country` ("BR"). Without the `x-gw-*` headers the feed answers 500 whatever is asked.
Status 622 means that a competition has nothing on offer now. Numbers of competitions change with the seasons.
In American sports the visitor is `competitor1` (two sources of three; check it against a second book).
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from scrapers import leagues
from scrapers.catalog import Bookmaker
from scrapers.errors import Changed
from scrapers.odds import MarketKey, Offered, Outcome, Page
from scrapers.wire import EVIDENCE_BYTES, Request, Response, read_json, try_decode, utc

NOTHING_ON_OFFER = 622

LEAGUES = {
    "5922756": "soccer_brazil_campeonato",
    "4381204": "soccer_brazil_paulista",
    "5909300": "soccer_epl",
    "4373638": "soccer_fa_cup",
    "4373738": "soccer_england_efl_cup",
    "5910661": "soccer_spain_la_liga",
    "4375979": "soccer_spain_copa_del_rey",
    "5910485": "soccer_italy_serie_a",
    "5910745": "soccer_germany_bundesliga",
    "5910637": "soccer_france_ligue_one",
    "5910927": "soccer_netherlands_eredivisie",
    "6508093": "soccer_uefa_champs_league",
    "6505458": "soccer_uefa_europa_league",
    "6505560": "soccer_uefa_europa_conference_league",
    "6680221": "basketball_nba",
}

WINNER_MARKETS = {"SOCCER_MATCH_RESULT": "football", "BASKETBALL_MATCH_RESULT_NODRAW": "basketball"}
HOME_FIRST: Mapping[str, Outcome] = {"1": "home", "X": "draw", "2": "away"}
AWAY_FIRST: Mapping[str, Outcome] = {"1": "away", "2": "home"}
EARLY_PAYOUT = {"SOCCER_2_GOALS_AHEAD_EARLY_PAYOUT", "BASKETBALL_20_PLUS_POINTS_EARLY_PAYOUT"}
ZERO_MARGIN = {"ODDS_KEY_0"}
SIMULATED = re.compile(r"\b(SRL|e-?sports)\b", re.IGNORECASE)
SAFE_PATH = re.compile(r"[\w-]+(/[\w-]+)*", re.ASCII)


class BetItem(msgspec.Struct, rename="camel"):
    code: str | None = None
    price: float | None = None
    is_available: bool | None = None


class Market(msgspec.Struct, rename="camel"):
    market_id: int | str | None = None
    bet_type_sysname: str | None = None
    bet_items: list[BetItem | None] | None = None


class Tag(msgspec.Struct, rename="camel"):
    market_id: int | str | None = None
    tag: str | None = None


class Captions(msgspec.Struct):
    competitor1: str | None = None
    competitor2: str | None = None


class LiveData(msgspec.Struct, rename="camel"):
    is_live: bool | None = None


class Match(msgspec.Struct, rename="camel"):
    event_bet_context_id: int | None = None
    bet_context_id: int | None = None  # what the overview calls it
    additional_captions: Captions | None = None
    start_date: str | None = None
    path: str | None = None
    is_live: bool | None = None
    live_data: LiveData | None = None
    markets: list[Market] | None = None
    market_tags: list[Tag] | None = None


class Competition(msgspec.Struct):
    caption: str | None = None
    events: list[msgspec.Raw] | None = None


class BetView(msgspec.Struct):
    items: list[msgspec.Raw] | None = None
    competitions: list[Competition] | None = None


class View(msgspec.Struct, rename="camel"):
    market_view_group_id: int | str | None = None
    bet_views: list[BetView] | None = None


def requests(book: Bookmaker, now: datetime) -> Sequence[Request]:
    country = book.params["country"]
    headers = {
        "accept": "application/json, text/plain, */*",
        "referer": f"{book.site}/",
        "x-gw-application-name": book.params["application"],
        "x-gw-channel": "WebPC",
        "x-gw-client-layout": "Desktop",
        "x-gw-client-timezone": "America/Sao_Paulo",
        "x-gw-cms-key": f"_{country}",
        "x-gw-country-sysname": country,
        "x-gw-currency-sysname": "BRL",
        "x-gw-domain-key": f"_{country}",
        "x-gw-language-sysname": "pt-BR",
        "x-gw-odds-representation": "Decimal",
    }
    params = {
        "lang": "pt-BR",
        "timeZ": "E. South America Standard Time",
        "oddsR": "1",
        "usrGrp": country,
        "timestamp": str(int(now.timestamp() * 1000)),  # without it a cache answers, up to 5 minutes old
    }
    return [
        Request(f"{book.api}/spt/feed/marketviews/location/v2/4324/{group}/", params, headers=headers, note=group)
        for sport in book.sports
        for group in leagues.chosen(LEAGUES, sport)
    ]


def parse(book: Bookmaker, response: Response) -> Page:
    page = Page()
    if response.status == NOTHING_ON_OFFER:
        page.skip("nothing on offer")
        return page
    count = unreadable = 0
    for group, name, raw in matches(response):
        count += 1
        match = try_decode(raw, Match)
        if match is None:
            unreadable += 1
            page.skip("unreadable event")
        else:
            read_match(book, match, group, name, page)
    if unreadable * 2 > count:
        raise Changed(f"{unreadable} of {count} events are unreadable", response.body[:EVIDENCE_BYTES])
    return page


def matches(response: Response) -> list[tuple[str, str, msgspec.Raw]]:
    """Every match with the group and the name of its competition, from either layout."""
    found: list[tuple[str, str, msgspec.Raw]] = []
    for view in read_json(response, list[View]):
        if view.bet_views is None:
            raise Changed("a view without `betViews`", response.body[:EVIDENCE_BYTES])
        group = response.request.note or str(view.market_view_group_id)
        for shown in view.bet_views:
            found += [(group, group, raw) for raw in shown.items or ()]
            competitions = shown.competitions or ()
            for competition in competitions:
                # Several competitions under one number: it is no longer the league that was asked for.
                own = group if len(competitions) == 1 else ""
                found += [(own, competition.caption or own, raw) for raw in competition.events or ()]
    return found


def read_match(book: Bookmaker, match: Match, group: str, name: str, page: Page) -> None:
    if match.is_live or (match.live_data and match.live_data.is_live):
        return page.skip("live")
    captions = match.additional_captions or Captions()
    first, second = captions.competitor1 or "", captions.competitor2 or ""
    if SIMULATED.search(f"{first} {second}"):
        return page.skip("virtual")
    sport, markets = winner_markets(match)
    if sport is None:
        return page.skip("no match winner")
    if not any(markets.values()):
        return page.skip("suspended")
    identity = match.event_bet_context_id or match.bet_context_id
    path = match.path or ""
    return page.add(
        external_id=identity,
        sport=sport,
        league=LEAGUES.get(group),
        league_name=name,
        home=second if sport == "basketball" else first,
        away=first if sport == "basketball" else second,
        starts_at=utc(match.start_date),
        url=f"{book.site}/apostas-esportivas/{path}/e{identity}" if SAFE_PATH.fullmatch(path) else None,
        markets=markets,
    )


def winner_markets(match: Match) -> tuple[str | None, dict[MarketKey, Offered]]:
    """The match winner, plain and with early payout: they come under one name and differ by their tags."""
    tags: dict[int | str | None, set[str]] = {}
    for tagged in match.market_tags or ():
        tags.setdefault(tagged.market_id, set()).add(tagged.tag or "")
    sport: str | None = None
    plain: list[Offered] = []
    zero_margin: list[Offered] = []
    early: list[Offered] = []
    for market in match.markets or ():
        played = WINNER_MARKETS.get(market.bet_type_sysname or "")
        if played is None or sport not in (None, played):
            continue
        sport = played
        own = tags.get(market.market_id, set())
        if own & EARLY_PAYOUT:
            early.append(prices(market, sport))
        elif not own:
            plain.append(prices(market, sport))
        elif own == ZERO_MARGIN:
            zero_margin.append(prices(market, sport))
    markets: dict[MarketKey, Offered] = {}
    # Where the zero-margin line is on sale, it is usually the only one without early payout.
    if plain or zero_margin:
        markets["h2h"] = (plain or zero_margin)[0]
    if early:
        markets["h2h_2up"] = early[0]
    return sport, markets


def prices(market: Market, sport: str) -> Offered:
    sides = AWAY_FIRST if sport == "basketball" else HOME_FIRST
    return {
        outcome: item.price
        for item in market.bet_items or ()
        if item and item.is_available is not False and (outcome := sides.get(item.code or ""))
    }
