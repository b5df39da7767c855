"""Betano (Kaizen's platform): the site's own JSON, one list of next matches per league, main market included.

A list is `data.events[]`, `data.blocks[].events[]` (calendar and league pages) or `data.event` (one match). A brand
needs `api` (= `site`) and a browser: the site refuses other clients. `params["match_pages"]` (default 0) is how many
matches per list may be asked for one by one when the list shows only the boosted price ("SuperOdds"), which we never
take for the plain one. Early payout comes with the plain market and has no price of its own here.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from scrapers import leagues
from scrapers.catalog import Bookmaker
from scrapers.errors import Blocked, Changed
from scrapers.odds import Offered, Outcome, Page
from scrapers.wire import EVIDENCE_BYTES, Request, Response, read_json, try_decode, utc_millis

PARTS = "s,stnf,c,mb"
SPORTS = {"FOOT": "football", "BASK": "basketball"}
WINNER_MARKET = {"football": "MRES", "basketball": "H2HT"}
BOOSTED_MARKET = {"football": "MR12", "basketball": "H2H1"}
# The Brazilian site prints the draw as X, the Czech one as 0: the column comes first.
OUTCOME_BY_COLUMN: dict[int, Outcome] = {0: "home", 1: "draw", 2: "away"}
OUTCOME_BY_NAME: dict[str, Outcome] = {"1": "home", "X": "draw", "0": "draw", "2": "away"}
VIRTUAL = re.compile(r"\(e-?sports?\)|\be-?(?:soccer|football|basket)|minutos de jogo|\bvirtua|\bcyber", re.IGNORECASE)

LEAGUES = {
    "10016": "soccer_brazil_campeonato",
    "16901": "soccer_brazil_paulista",
    "16880": "soccer_brazil_carioca",
    "200263": "soccer_conmebol_copa_libertadores",
    "1": "soccer_epl",
    "218": "soccer_fa_cup",
    "10215": "soccer_england_efl_cup",
    "5": "soccer_spain_la_liga",
    "10067": "soccer_spain_copa_del_rey",
    "1635": "soccer_italy_serie_a",
    "216": "soccer_germany_bundesliga",
    "215": "soccer_france_ligue_one",
    "17067": "soccer_netherlands_eredivisie",
    "17083": "soccer_portugal_primeira_liga",
    "182748": "soccer_uefa_champs_league",
    "441g": "basketball_nba",  # a group of leagues; 440g is the WNBA
}


class Participant(msgspec.Struct):
    name: str | None = None
    id: str | int | None = None


class Selection(msgspec.Struct, rename="camel"):
    name: str | None = None
    price: float | None = None
    column_index: int | None = None
    team_id: str | int | None = None


class Offer(msgspec.Struct):
    type: str | None = None
    selections: list[Selection] | None = None


class SixPack(msgspec.Struct):
    columns: list[Offer] | None = None


class Match(msgspec.Struct, rename="camel"):
    id: str | int
    sport_id: str
    name: str | None = None
    start_time: float | None = None
    url: str | None = None
    league_id: str | int | None = None
    league_name: str | None = None
    league_description: str | None = None
    region_name: str | None = None
    live_now: bool | None = None
    participants: list[Participant] | None = None
    markets: list[Offer] | None = None
    six_pack_blocks: list[SixPack] | None = None


class Block(msgspec.Struct):
    events: list[msgspec.Raw] | None = None


class Data(msgspec.Struct):
    blocks: list[Block] | None = None
    events: list[msgspec.Raw] | None = None
    event: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class Answer(msgspec.Struct):
    data: Data


def requests(book: Bookmaker, now: datetime) -> Sequence[Request]:
    return [list_request(book, sport, theirs) for sport in book.sports for theirs in leagues.chosen(LEAGUES, sport)]


def list_request(book: Bookmaker, sport: str, league: str) -> Request:
    if sport == "football":
        return ask(book, "/api/league/hot/upcoming/", {"leagueId": league}, league)
    return ask(book, f"/api/sports/BASK/hot/trending/leagues/{league}/events/", {}, league)


def ask(book: Bookmaker, path: str, params: dict[str, str], note: str) -> Request:
    headers = {"accept": "application/json, text/plain, */*", "accept-language": "pt-BR", "referer": f"{book.site}/"}
    return Request(f"{book.api}{path}", {**params, "req": PARTS}, headers=headers, note=note)


def parse(book: Bookmaker, response: Response) -> Page:
    if response.body.lstrip()[:1] == b"<" and b"Splash Screen" in response.body:
        raise Blocked("betano shows its splash page instead of data")
    data = read_json(response, Answer).data
    one_match = data.event is not msgspec.UNSET
    if data.blocks is None and data.events is None and not one_match:
        raise Changed("betano's answer has neither blocks, events nor event", response.body[:EVIDENCE_BYTES])
    raws = [raw for block in data.blocks or () for raw in block.events or ()] + (data.events or [])
    if isinstance(data.event, msgspec.Raw):
        raws.append(data.event)
    page = Page()
    boosted_only: list[Match] = []
    unreadable = 0
    for raw in raws:
        match = try_decode(raw, Match)
        if match is None:
            unreadable += 1
            page.skip("unreadable event")
        else:
            read_match(book, match, response.request.note, page, boosted_only)
    if unreadable * 2 > len(raws):
        raise Changed(f"{unreadable} of {len(raws)} events are unreadable", response.body[:EVIDENCE_BYTES])
    if not one_match:
        page.follow.extend(match_pages(book, boosted_only, response.request.note))
    return page


def match_pages(book: Bookmaker, matches: Sequence[Match], note: str) -> Iterable[Request]:
    """The next few matches that need their own page for the plain price: each costs a request."""
    allowed = book.params.get("match_pages", "")
    soonest = sorted(matches, key=lambda match: match.start_time or 0.0)[: int(allowed) if allowed.isdecimal() else 0]
    return [ask(book, f"/api{path}", {}, note) for match in soonest if (path := link(match)).startswith("/odds/")]


def read_match(book: Bookmaker, match: Match, asked_league: str, page: Page, boosted_only: list[Match]) -> None:
    sport = SPORTS.get(match.sport_id)
    league_name = " - ".join(filter(None, (match.region_name, match.league_description or match.league_name)))
    if sport is None:
        return page.skip("other sport")
    if VIRTUAL.search(f"{league_name} {match.name}"):
        return page.skip("virtual")
    if match.live_now or link(match).startswith("/live/"):
        return page.skip("live")
    sides = [participant.name for participant in match.participants or ()] or (match.name or "").split(" - ")
    if len(sides) != 2:
        return page.skip("not a match of two sides")
    offers = [*(match.markets or ()), *(offer for pack in match.six_pack_blocks or () for offer in pack.columns or ())]
    plain = [offer for offer in offers if offer.type == WINNER_MARKET[sport] and offer.selections]
    if not plain and any(offer.type == BOOSTED_MARKET[sport] for offer in offers):
        boosted_only.append(match)
        return page.skip("only a boosted price")
    home, away = sides
    return page.add(
        external_id=match.id,
        sport=sport,
        league=league_key(match, asked_league),
        league_name=league_name,
        home=home,
        away=away,
        starts_at=utc_millis(match.start_time),
        url=book.site + link(match) if link(match) else None,
        markets={"h2h": read_offer(plain[0], match, sport) if plain else {}},
    )


def league_key(match: Match, asked: str) -> str | None:
    """By the match's own league; a group of leagues, such as the NBA's, has a number that its matches do not carry."""
    return LEAGUES.get(str(match.league_id)) or (LEAGUES.get(asked) if asked.endswith("g") else None)


def link(match: Match) -> str:
    return match.url if match.url and re.fullmatch(r"/[!-~]*", match.url) else ""


def read_offer(offer: Offer, match: Match, sport: str) -> Offered:
    """Prices by side. Empty when two selections claim the same side: a guess could swap the teams."""
    teams: dict[str, Outcome] = {}
    for participant, team_side in zip(match.participants or (), ("home", "away"), strict=False):
        if participant.id is not None:
            teams[str(participant.id)] = "home" if team_side == "home" else "away"
    prices: dict[Outcome, object] = {}
    for position, selection in enumerate(offer.selections or ()):
        side = teams.get(str(selection.team_id))
        if side is None and sport == "football":
            side = OUTCOME_BY_COLUMN.get(-1 if selection.column_index is None else selection.column_index)
            side = side or OUTCOME_BY_NAME.get(selection.name or "")
        elif side is None:  # in a six-pack both selections stand in column 0: only their order is left
            side = ("home", "away")[position] if position < 2 else None
        if side is None or side in prices:
            return {}
        prices[side] = selection.price
    return prices
