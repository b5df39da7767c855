"""Superbet's offer API: one list per sport, with the main market of every match in it.

A brand needs only its `api` and `site`. The list names tournaments by number; names would come from `/struct` (2.4 MB).
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from scrapers.catalog import Bookmaker
from scrapers.errors import Changed
from scrapers.odds import Offered, Outcome, Page
from scrapers.wire import EVIDENCE_BYTES, Request, Response, read_json, try_decode, utc, utc_millis

DAYS_AHEAD = 8
SPORT_IDS = {"football": "5", "basketball": "4"}
SPORTS = {5: "football", 4: "basketball"}
SPORT_SLUGS = {5: "futebol", 4: "basquete"}
WINNER_MARKET = {5: 547, 4: 759}  # 777 is basketball without overtime, with a draw
OUTCOME_BY_CODE: dict[str, Outcome] = {"1": "home", "0": "draw", "2": "away"}

TOURNAMENTS = {
    "1698": "soccer_brazil_campeonato",
    "1697": "soccer_brazil_serie_b",
    "20934": "soccer_brazil_paulista",
    "21132": "soccer_brazil_carioca",
    "389": "soccer_conmebol_copa_libertadores",
    "1390": "soccer_conmebol_copa_libertadores",  # the knock-out stage has a number of its own
    "106": "soccer_epl",
    "27": "soccer_efl_champ",
    "107": "soccer_fa_cup",
    "90": "soccer_england_efl_cup",
    "98": "soccer_spain_la_liga",
    "26": "soccer_spain_copa_del_rey",
    "104": "soccer_italy_serie_a",
    "245": "soccer_germany_bundesliga",
    "100": "soccer_france_ligue_one",
    "256": "soccer_netherlands_eredivisie",
    "80794": "soccer_uefa_champs_league",
    "688": "soccer_uefa_europa_league",
    "56652": "soccer_uefa_europa_conference_league",
    "164": "basketball_nba",
}


class Odd(msgspec.Struct, rename="camel"):
    market_id: int
    code: str | None = None
    price: object = None
    status: str | None = None


class Match(msgspec.Struct, rename="camel"):
    event_id: int
    sport_id: int
    tournament_id: int
    match_name: str
    utc_date: str | None = None
    unix_date_millis: int | None = None
    match_date: str | None = None
    offer_state_status: dict[str, str] | None = None
    odds: list[Odd] | None = None


class Answer(msgspec.Struct):
    error: bool
    data: list[msgspec.Raw] | None = None


def requests(book: Bookmaker, now: datetime) -> Sequence[Request]:
    start = now.replace(minute=0, second=0, microsecond=0)
    return [
        Request(
            url=f"{book.api}/v2/pt-BR/events/by-date",
            params={
                "offerState": "prematch",
                "sportId": SPORT_IDS[sport],
                "startDate": f"{start:%Y-%m-%d %H:%M:%S}",
                "endDate": f"{start + timedelta(days=DAYS_AHEAD):%Y-%m-%d %H:%M:%S}",
            },
            headers={"accept": "application/json", "origin": book.site, "referer": f"{book.site}/"},
        )
        for sport in book.sports
    ]


def parse(book: Bookmaker, response: Response) -> Page:
    answer = read_json(response, Answer)
    if answer.error or answer.data is None:
        raise Changed("superbet answers `error: true`", response.body[:EVIDENCE_BYTES])
    page = Page()
    unreadable = 0
    for raw in answer.data:
        match = try_decode(raw, Match)
        if match is None:
            unreadable += 1
            page.skip("unreadable event")
        else:
            read_match(book, match, page)
    if unreadable * 2 > len(answer.data):
        raise Changed(f"{unreadable} of {len(answer.data)} events are unreadable", response.body[:EVIDENCE_BYTES])
    return page


def read_match(book: Bookmaker, match: Match, page: Page) -> None:
    if match.sport_id not in WINNER_MARKET:  # virtual and e-sports use real team names
        return page.skip("other sport")
    if (match.offer_state_status or {}).get("1", "active") != "active":
        return page.skip("suspended")
    home, _, away = match.match_name.partition("·")
    if not away:
        home, _, away = match.match_name.partition(" - ")
    offered: Offered = {
        OUTCOME_BY_CODE[odd.code]: odd.price
        for odd in match.odds or ()
        if odd.market_id == WINNER_MARKET[match.sport_id] and odd.status == "active" and odd.code in OUTCOME_BY_CODE
    }
    slug = re.sub(r"[^a-z0-9]+", "-", f"{home}-x-{away}".lower()).strip("-")
    return page.add(
        external_id=match.event_id,
        sport=SPORTS[match.sport_id],
        league=TOURNAMENTS.get(str(match.tournament_id)),
        league_name=match.tournament_id,
        home=home,
        away=away,
        starts_at=utc(match.utc_date) or utc_millis(match.unix_date_millis) or utc(match.match_date),
        url=f"{book.site}/odds/{SPORT_SLUGS[match.sport_id]}/{slug}-{match.event_id}",
        markets={"h2h": offered},
    )
