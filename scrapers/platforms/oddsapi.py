"""odds-api.io, a third-party feed: the matches that one bookmaker prices, then their odds for ten matches a call.

A brand needs `api`, `site` (links are rewritten to it), `key_env` and `params`: `bookmaker` (its name in the feed, case
matters) and `key`, which the runner fills in from the variable `key_env`; `days` (default 8) looks less far ahead, for
a plan with few calls an hour. Whether the feed's prices are those of the Brazilian site is unknown. The key travels in
the query: do not log or record `apiKey`.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from scrapers import leagues
from scrapers.catalog import Bookmaker
from scrapers.errors import Changed, Waiting
from scrapers.odds import Offered, Outcome, Page
from scrapers.wire import EVIDENCE_BYTES, Request, Response, decode, try_decode, utc

DAYS_AHEAD = 8
BATCH = 10  # the feed's own limit
WINNER_MARKETS = ("ML", "1X2", "Match Result", "Moneyline")
OUTCOMES: dict[str, tuple[Outcome, ...]] = {"football": ("home", "draw", "away"), "basketball": ("home", "away")}

LEAGUES = {
    "brazil-brasileiro-serie-a": "soccer_brazil_campeonato",
    "brazil-serie-a": "soccer_brazil_campeonato",
    "brazil-brasileiro-serie-b": "soccer_brazil_serie_b",
    "brazil-serie-b": "soccer_brazil_serie_b",
    "brazil-copa-do-brasil": "soccer_brazil_copa_do_brasil",
    "brazil-paulista-serie-a1": "soccer_brazil_paulista",
    "brazil-paulista": "soccer_brazil_paulista",
    "brazil-mineiro": "soccer_brazil_mineiro",
    "international-clubs-copa-libertadores": "soccer_conmebol_copa_libertadores",
    "international-clubs-copa-sudamericana": "soccer_conmebol_copa_sudamericana",
    "england-premier-league": "soccer_epl",
    "england-championship": "soccer_efl_champ",
    "england-fa-cup": "soccer_fa_cup",
    "england-efl-cup": "soccer_england_efl_cup",
    "spain-laliga": "soccer_spain_la_liga",
    "spain-la-liga": "soccer_spain_la_liga",
    "spain-copa-del-rey": "soccer_spain_copa_del_rey",
    "italy-serie-a": "soccer_italy_serie_a",
    "italy-coppa-italia": "soccer_italy_coppa_italia",
    "germany-bundesliga": "soccer_germany_bundesliga",
    "germany-dfb-pokal": "soccer_germany_dfb_pokal",
    "france-ligue-1": "soccer_france_ligue_one",
    "netherlands-eredivisie": "soccer_netherlands_eredivisie",
    "portugal-liga-portugal": "soccer_portugal_primeira_liga",
    "international-clubs-uefa-champions-league": "soccer_uefa_champs_league",
    "international-clubs-uefa-europa-league": "soccer_uefa_europa_league",
    "international-clubs-uefa-conference-league": "soccer_uefa_europa_conference_league",
    "usa-nba": "basketball_nba",
    "nba": "basketball_nba",
}


class Named(msgspec.Struct):
    slug: str
    name: str | None = None


class Line(msgspec.Struct):
    home: float | str | None = None
    draw: float | str | None = None
    away: float | str | None = None


class Offer(msgspec.Struct):
    name: str
    odds: list[Line] | None = None


class Match(msgspec.Struct):
    id: int | str
    league: Named
    home: str | None = None
    away: str | None = None
    date: str | None = None
    status: str | None = None
    urls: dict[str, str | None] | None = None
    # Other markets have other shapes: each is read by itself.
    bookmakers: dict[str, list[msgspec.Raw] | None] | None = None


class Wrapped(msgspec.Struct):
    data: list[msgspec.Raw] | None = None
    items: list[msgspec.Raw] | None = None
    error: str | None = None


def requests(book: Bookmaker, now: datetime) -> Sequence[Request]:
    if not book.params.get("key"):
        raise Waiting(f"no key: set {book.key_env or 'the key of the feed'} to collect {book.title}")
    start = now.replace(second=0, microsecond=0)
    days = book.params.get("days", "")
    end = start + timedelta(days=int(days) if days.isdecimal() else DAYS_AHEAD)
    return [
        ask(
            book,
            "events",
            {
                "sport": sport,
                "bookmaker": bookmaker(book),
                "from": f"{start:%Y-%m-%dT%H:%M:%SZ}",
                "to": f"{end:%Y-%m-%dT%H:%M:%SZ}",
            },
            "events",
        )
        for sport in book.sports
    ]


def ask(book: Bookmaker, path: str, params: dict[str, str], note: str) -> Request:
    query = {"apiKey": book.params.get("key", ""), **params}
    return Request(f"{book.api}/v3/{path}", query, headers={"accept": "application/json"}, note=note)


def bookmaker(book: Bookmaker) -> str:
    return book.params.get("bookmaker", book.title)


def parse(book: Bookmaker, response: Response) -> Page:
    raws = read_list(response)
    page = Page()
    wanted: list[str] = []
    unreadable = 0
    for raw in raws:
        match = try_decode(raw, Match)
        if match is None:
            unreadable += 1
            page.skip("unreadable event")
        elif match.status not in (None, "pending"):
            page.skip("live" if match.status == "live" else "over")
        elif response.request.note == "odds":
            read_match(book, match, page)
        elif leagues.get(LEAGUES.get(match.league.slug)):
            wanted.append(str(match.id))
        else:
            page.skip("league not collected")
    if unreadable * 2 > len(raws):
        raise Changed(f"{unreadable} of {len(raws)} events are unreadable", response.body[:EVIDENCE_BYTES])
    for start in range(0, len(wanted), BATCH):
        ids = ",".join(wanted[start : start + BATCH])
        page.follow.append(ask(book, "odds/multi", {"eventIds": ids, "bookmakers": bookmaker(book)}, "odds"))
    return page


def read_list(response: Response) -> list[msgspec.Raw]:
    """Lists were seen bare and wrapped."""
    if response.body.lstrip()[:1] == b"[":
        return decode(response.body, list[msgspec.Raw])
    wrapped = decode(response.body, Wrapped)
    found = wrapped.data if wrapped.data is not None else wrapped.items
    if found is None:
        reason = f"the feed says: {wrapped.error}" if wrapped.error else "the answer holds no list of matches"
        raise Changed(reason, response.body[:EVIDENCE_BYTES])
    return found


def read_match(book: Bookmaker, match: Match, page: Page) -> None:
    league = leagues.get(LEAGUES.get(match.league.slug))
    if league is None:
        return page.skip("league not collected")
    return page.add(
        external_id=match.id,
        sport=league.sport,
        league=league.key,
        league_name=match.league.name or match.league.slug,
        home=match.home,
        away=match.away,
        starts_at=utc(match.date),
        url=link(book, (match.urls or {}).get(bookmaker(book))),
        markets={"h2h": read_winner(book, match, OUTCOMES[league.sport])},
    )


def read_winner(book: Bookmaker, match: Match, outcomes: tuple[Outcome, ...]) -> Offered:
    books = match.bookmakers or {}
    # The feed doubles some bookmakers under a second name, "Bet365 (no latency)".
    raws = books.get(bookmaker(book)) or books.get(f"{bookmaker(book)} (no latency)") or ()
    offers = {offer.name: offer for raw in raws if (offer := try_decode(raw, Offer))}
    for name in WINNER_MARKETS:
        lines = offers[name].odds if name in offers else None
        if lines:
            return {outcome: decimal(getattr(lines[0], outcome)) for outcome in outcomes}
    return {}


def decimal(value: float | str | None) -> float | None:
    try:
        return None if value is None else float(value)
    except ValueError:
        return None


def link(book: Bookmaker, url: str | None) -> str | None:
    """The feed links to the international site; the Brazilian one has the same paths."""
    found = re.fullmatch(r"[^#]+(/#/[!-~]*)", url or "")
    return f"{book.site}{found[1]}" if found else None
