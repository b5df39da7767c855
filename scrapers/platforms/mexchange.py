"""Mexchange, the exchange behind Betbra, Bolsa de Aposta and FulltBet: Matchbook's format, keys with hyphens.

`/api/events` lists matches with their main market; every runner carries its offers, several deep, back and lay.
A brand needs `api` (https://mexchange-api.<domain>) and `site`, and no `params`. Football is asked for as a whole, most
traded first, in pages; basketball by the tag of its league. Only the league tags marked below were seen on the wire.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from urllib.parse import quote

import msgspec

from scrapers.catalog import Bookmaker
from scrapers.errors import Blocked, Changed
from scrapers.odds import Outcome, Page, clean_amount, clean_price, clean_text
from scrapers.wire import EVIDENCE_BYTES, Request, Response, read_json, try_decode, utc

DAYS_AHEAD = 7
PER_PAGE = 100
MAX_PAGES = 8

FILTERS = {
    "football": {"sport-ids": "15", "market-types": "one_x_two", "en-market-names": "Moneyline,Match Odds,Winner"},
    "basketball": {"tag-url-names": "nba,basketball", "en-market-names": "Moneyline"},
}
SPORT_BY_TAG = {"soccer": "football", "basketball": "basketball"}
SPORT_BY_ID = {"15": "football", "4": "basketball"}
SPORT_SLUGS = {"football": "soccer", "basketball": "basketball"}
WINNER_MARKET = {"football": "one_x_two", "basketball": "money_line"}
PART = re.compile(
    r"half|quarter|quarto|interval|1st|2nd|[12] ?[ºo°]", re.IGNORECASE
)  # same market type, part of a match
DRAW_NAMES = ("draw", "empate")  # also "DRAW (Ars/Lei)"

TOURNAMENTS = {
    "english-premier-league": "soccer_epl",
    "italy-serie-a": "soccer_italy_serie_a",
    "spain-la-liga": "soccer_spain_la_liga",
    "germany-bundesliga": "soccer_germany_bundesliga",
    "france-ligue-1": "soccer_france_ligue_one",
    "brazil-serie-a": "soccer_brazil_campeonato",
    "brazil-paulista-a1": "soccer_brazil_paulista",
    "england-fa-cup": "soccer_fa_cup",
    "england-league-cup": "soccer_england_efl_cup",
    "spain-copa-del-rey": "soccer_spain_copa_del_rey",
    "uefa-champions-league": "soccer_uefa_champs_league",
    "nba": "basketball_nba",
    # Not seen, formed like those above: a wrong one matches nothing.
    "brazil-serie-b": "soccer_brazil_serie_b",
    "brazil-copa-do-brasil": "soccer_brazil_copa_do_brasil",
    "copa-libertadores": "soccer_conmebol_copa_libertadores",
    "copa-sudamericana": "soccer_conmebol_copa_sudamericana",
    "england-championship": "soccer_efl_champ",
    "netherlands-eredivisie": "soccer_netherlands_eredivisie",
    "portugal-primeira-liga": "soccer_portugal_primeira_liga",
    "uefa-europa-league": "soccer_uefa_europa_league",
    "uefa-conference-league": "soccer_uefa_europa_conference_league",
}

Id = int | str  # numbers at Matchbook, strings here


class Offer(msgspec.Struct, rename="kebab"):
    side: str | None = None
    odds: object = None
    decimal_odds: object = None
    available_amount: object = None
    currency: str | None = None


class Runner(msgspec.Struct, rename="kebab"):
    name: str | None = None
    event_participant_id: Id | None = None
    status: str | None = None
    withdrawn: bool | None = None
    prices: list[Offer] | None = None


class Market(msgspec.Struct, rename="kebab"):
    id: Id
    event_id: Id | None = None
    name: str | None = None
    name_original: str | None = None
    market_type: str | None = None
    status: str | None = None
    in_running_flag: bool | None = None
    live: bool | None = None
    runners: list[Runner] | None = None


class Participant(msgspec.Struct, rename="kebab"):
    id: Id | None = None
    number: Id | None = None
    participant_name: str | None = None


class Tag(msgspec.Struct, rename="kebab"):
    name: str | None = None
    type: str | None = None
    url_name: str | None = None


class Match(msgspec.Struct, rename="kebab"):
    id: Id
    name: str
    start: str | None = None
    status: str | None = None
    sport_id: Id | None = None
    in_running_flag: bool | None = None
    event_participants: list[Participant] | None = None
    markets: list[Market] | None = None
    meta_tags: list[Tag] | None = None


class Answer(msgspec.Struct, rename="kebab"):
    events: list[msgspec.Raw]
    markets: list[Market] | None = None  # lists of popular events have them apart
    offset: int | None = None
    per_page: int | None = None
    total: int | None = None


def requests(book: Bookmaker, now: datetime) -> Sequence[Request]:
    return [
        Request(
            url=f"{book.api}/api/events",
            params={
                "offset": "0",
                "per-page": str(PER_PAGE),
                "after": str(int(now.timestamp())),
                "before": str(int((now + timedelta(days=DAYS_AHEAD)).timestamp())),
                "sort-by": "volume",
                "sort-direction": "desc",
                **FILTERS[sport],
            },
            headers={
                "accept": "application/json",
                "accept-language": "pt-BR",
                "referer": f"{book.site}/",
                "cookie": "BIAB_LANGUAGE=PT_BR",  # without it the draw and "Away em Home" come in English
            },
        )
        for sport in book.sports
    ]


def parse(book: Bookmaker, response: Response) -> Page:
    if response.body.lstrip()[:1] == b"<":
        raise Blocked("an HTML page instead of the feed: blocked, or not a Brazilian address")
    answer = read_json(response, Answer)
    apart: dict[Id | None, list[Market]] = {}
    for market in answer.markets or ():
        apart.setdefault(market.event_id, []).append(market)
    page = Page()
    for raw in answer.events:
        if match := try_decode(raw, Match):
            read_match(book, match, match.markets or apart.get(match.id, []), page)
        else:
            page.skip("unreadable event")
    unreadable = page.skipped.get("unreadable event", 0)
    if unreadable * 2 > len(answer.events):
        raise Changed(f"{unreadable} of {len(answer.events)} events are unreadable", response.body[:EVIDENCE_BYTES])
    follow_pages(answer, response.request, page)
    return page


def follow_pages(answer: Answer, request: Request, page: Page) -> None:
    """The first page says how many there are, so the rest can be asked for at once."""
    step = answer.per_page or len(answer.events)
    if answer.offset or not answer.events or step <= 0:
        return
    offsets = range(step, answer.total or 0, step)
    for offset in offsets[: MAX_PAGES - 1]:
        page.follow.append(msgspec.structs.replace(request, params={**request.params, "offset": str(offset)}))
    if offsets[MAX_PAGES - 1 :]:
        page.skip("pages beyond the limit")


def read_match(book: Bookmaker, match: Match, markets: list[Market], page: Page) -> None:
    sport = sport_of(match)
    if sport is None:
        return page.skip("other sport")
    winners = [each for each in markets if each.market_type == WINNER_MARKET[sport]]
    found = [each for each in winners if not PART.search(f"{each.name} {each.name_original}")]
    if len(found) != 1:
        return page.skip("several winner markets" if found else "no winner market")  # none: season winners and the like
    market = found[0]
    if match.in_running_flag or market.in_running_flag or market.live:
        return page.skip("live")
    if match.status not in (None, "open") or market.status not in (None, "open"):
        return page.skip("suspended")
    home, away = sides(match, sport)
    league_tag, league_name = competition(match)
    event_id, market_id = (quote(clean_text(each.id), safe="") for each in (match, market))
    return page.add(
        external_id=match.id,
        sport=sport,
        league=TOURNAMENTS.get(league_tag),
        league_name=league_name,
        home=home,
        away=away,
        starts_at=utc(match.start),
        url=f"{book.site}/b/exchange/sport/{SPORT_SLUGS[sport]}/event/{event_id}/market/{market_id}",
        markets={"h2h": dict(best_backs(match, market, home, away))},
    )


def sport_of(match: Match) -> str | None:
    for tag in match.meta_tags or ():
        if tag.type == "SPORT":
            return SPORT_BY_TAG.get(tag.url_name or "")
    return SPORT_BY_ID.get(str(match.sport_id))


def competition(match: Match) -> tuple[str, str]:
    found = [(tag.url_name or "", tag.name or "") for tag in match.meta_tags or () if tag.type == "COMPETITION"]
    return next((each for each in found if each[0] in TOURNAMENTS), found[0] if found else ("", ""))


def sides(match: Match, sport: str) -> tuple[str, str]:
    """Home and away. American sports are written "Away at Home" ("em" in Portuguese); their numbers may all be 0."""
    numbered = {str(each.number): each.participant_name or "" for each in match.event_participants or ()}
    first, second = numbered.get("1", ""), numbered.get("2", "")
    if sport == "basketball":
        away, _, home = match.name.replace(" at ", " em ", 1).partition(" em ")
        return (home, away) if home else (second, first)
    if not first or not second:
        first, _, second = match.name.partition(" vs ")
    return first, second


def best_backs(match: Match, market: Market, home: str, away: str) -> Iterator[tuple[Outcome, object]]:
    by_name: dict[str, Outcome] = {clean_text(home).casefold(): "home", clean_text(away).casefold(): "away"}
    participants = {str(each.id): each.participant_name for each in match.event_participants or () if each.id}
    for runner in market.runners or ():
        if runner.withdrawn or runner.status not in (None, "open"):
            continue
        name = clean_text(participants.get(str(runner.event_participant_id)) or runner.name).casefold()
        outcome = by_name.get(name) or ("draw" if name.startswith(DRAW_NAMES) else None)
        backs = [
            # An amount in another currency would promise money that is not there.
            (price, clean_amount(offer.available_amount) if offer.currency in (None, "BRL") else None)
            for offer in runner.prices or ()
            if offer.side == "back" and (price := clean_price(offer.decimal_odds or offer.odds))
        ]
        if outcome and backs:
            yield outcome, max(backs, key=lambda back: back[0])
