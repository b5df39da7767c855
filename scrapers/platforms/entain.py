"""Entain's "CDS" offer API (bwin, Sportingbet): pages of fixtures per sport, with the main markets in them.

Two shapes in one answer: V2 (id "2:123", markets in `optionMarkets`, told apart by parameters) and V1 (id of digits,
markets in `games`, told apart by name). A brand needs `api` and `site` (one host); `params["access_id"]` is a constant
that the site hands to every visitor: without it a cycle reads it from `clientconfig` first, at one request more.
The shape of NBA moneylines here is not verified; a fixture that shows none is counted as "no match winner".
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from scrapers.catalog import Bookmaker
from scrapers.errors import Changed
from scrapers.odds import MarketKey, Offered, Page
from scrapers.platforms.entain_fixture import Fixture, Named, find_teams, find_winner_markets, fold, prices
from scrapers.wire import EVIDENCE_BYTES, Request, Response, read_json, try_decode, utc

DAYS_AHEAD = 8
TAKE = 400
MOST_FIXTURES = 2000
SPORT_IDS = {"football": "4", "basketball": "7"}
SPORTS: dict[object, str] = {4: "football", 7: "basketball"}

COMPETITIONS = {
    "102838": "soccer_brazil_campeonato",
    "102361": "soccer_brazil_serie_b",
    "102723": "soccer_brazil_copa_do_brasil",
    "102148": "soccer_brazil_paulista",
    "102841": "soccer_epl",
    "102802": "soccer_fa_cup",
    "102782": "soccer_england_efl_cup",
    "102829": "soccer_spain_la_liga",
    "102728": "soccer_spain_copa_del_rey",
    "102846": "soccer_italy_serie_a",
    "102842": "soccer_germany_bundesliga",
    "102843": "soccer_france_ligue_one",
    "102847": "soccer_netherlands_eredivisie",
    "102855": "soccer_uefa_champs_league",
    "102856": "soccer_uefa_europa_league",
    "102919": "soccer_uefa_europa_conference_league",
    "6004": "basketball_nba",
}
# For numbers that are unknown or have moved; only names that no other country uses.
COMPETITION_NAMES = {
    "brasileiro serie a": "soccer_brazil_campeonato",
    "brasileiro serie b": "soccer_brazil_serie_b",
    "copa libertadores": "soccer_conmebol_copa_libertadores",
    "copa sul-americana": "soccer_conmebol_copa_sudamericana",
}


class Answer(msgspec.Struct, rename="camel"):
    fixtures: list[msgspec.Raw]
    total_count: int | None = None


class Connection(msgspec.Struct, rename="camel"):
    public_access_id: str


class ClientConfig(msgspec.Struct, rename="camel"):
    ms_connection: Connection


def requests(book: Bookmaker, now: datetime) -> Sequence[Request]:
    horizon = (now + timedelta(days=DAYS_AHEAD)).isoformat(timespec="seconds")
    if access_id := book.params.get("access_id"):
        return lists(book, access_id, horizon)
    return [
        Request(
            url=f"{book.site}/pt-br/api/clientconfig",
            params={"browserUrl": f"{book.site}/pt-br/sports", "x-from-product": "host-app"},
            headers=headers(book) | {"x-bwin-sports-api": "prod"},
            note=horizon,
        )
    ]


def headers(book: Bookmaker) -> dict[str, str]:
    return {
        "accept": "application/json, text/plain, */*",
        "origin": book.site,
        "referer": f"{book.site}/pt-br/sports",
        "x-bwin-browser-url": f"{book.site}/pt-br/sports",
        "x-device-type": "desktop",
        "x-from-product": "host-app",
    }


def lists(book: Bookmaker, access_id: str, horizon: str) -> list[Request]:
    """Whole sports, since the site answers 400 when NBA is asked for by its number; `next_page` stops at `horizon`."""
    return [
        Request(
            url=f"{book.api}/cds-api/bettingoffer/fixtures",
            params={
                "x-bwin-accessid": access_id,
                "lang": "pt-br",
                "country": "BR",
                "userCountry": "BR",
                "fixtureTypes": "Standard",
                "state": "Latest",
                "offerMapping": "Filtered",
                "offerCategories": "Gridable",
                "fixtureCategories": "Gridable,NonGridable,Other",
                "sportIds": SPORT_IDS[sport],
                "isPriceBoost": "false",
                "statisticsModes": "None",
                "skip": "0",
                "take": str(TAKE),
                "sortBy": "StartDate",
            },
            headers=headers(book),
            note=horizon,
        )
        for sport in book.sports
    ]


def parse(book: Bookmaker, response: Response) -> Page:
    page = Page()
    if response.request.url.endswith("/clientconfig"):
        access_id = read_json(response, ClientConfig).ms_connection.public_access_id
        page.follow += lists(book, access_id, response.request.note)
        return page
    answer = read_json(response, Answer)
    fixtures = [fixture for raw in answer.fixtures if (fixture := try_decode(raw, Fixture))]
    unreadable = len(answer.fixtures) - len(fixtures)
    if unreadable * 2 > len(answer.fixtures):
        raise Changed(f"{unreadable} of {len(answer.fixtures)} fixtures are unreadable", response.body[:EVIDENCE_BYTES])
    for _ in range(unreadable):
        page.skip("unreadable event")
    for fixture in fixtures:
        read_fixture(book, fixture, page)
    if len(answer.fixtures) >= TAKE:
        starts = [start for fixture in fixtures if (start := utc(fixture.start_date))]
        page.follow += next_page(response.request, answer.total_count, min(starts, default=None))
    return page


def next_page(request: Request, total: int | None, earliest: datetime | None) -> list[Request]:
    """Sorted by start, so a page that begins beyond the horizon is the last one worth reading."""
    horizon = utc(request.note)
    skip = int(request.params.get("skip", "0")) + TAKE
    if horizon is None or earliest is None or earliest > horizon:
        return []
    if skip >= (MOST_FIXTURES if total is None else min(total, MOST_FIXTURES)):
        return []
    return [msgspec.structs.replace(request, params={**request.params, "skip": str(skip)})]


def unwanted(fixture: Fixture) -> str | None:
    if fixture.sport and fixture.sport.id not in (None, *SPORTS):
        return "other sport"
    if fixture.is_virtual:
        return "virtual"
    if "price boost" in fixture.text.casefold():  # a copy of the match, with one better price
        return "boosted"
    if fixture.stage not in (None, "PreMatch") or (fixture.scoreboard and fixture.scoreboard.started):
        return "live"
    return None


def read_fixture(book: Bookmaker, fixture: Fixture, page: Page) -> None:
    if reason := unwanted(fixture):
        return page.skip(reason)
    teams = find_teams(fixture)
    if teams is None:
        return page.skip("outright")
    played = SPORTS.get(fixture.sport.id) if fixture.sport else None
    sport, found = find_winner_markets(fixture, [played] if played else SPORT_IDS)
    if not found:
        return page.skip("no match winner")
    markets: dict[MarketKey, Offered] = {key: prices(market, teams) for key, market in found.items()}
    if fixture.is_open_for_betting is False or not any(markets.values()):
        return page.skip("suspended")
    competition = fixture.competition or Named()
    identity = str(fixture.id or "")
    slug = re.sub(r"[^a-z0-9]+", "-", fold(f"{teams.home.text}-{teams.away.text}")).strip("-")
    return page.add(
        external_id=identity,
        sport=sport,
        league=COMPETITIONS.get(str(competition.id)) or COMPETITION_NAMES.get(fold(competition.text)),
        league_name=competition.text or competition.id,
        home=teams.home.text,
        away=teams.away.text,
        starts_at=utc(fixture.start_date),
        url=f"{book.site}/pt-br/sports/eventos/{slug}-{identity}" if re.fullmatch(r"[\d:]+", identity) else None,
        markets=markets,
    )
