"""Stake Brazil's sports API: the next matches of a tournament, then the main market of all of them in one call.

No recorded answer was ever found: names of fields are those that two independent readers use, and market numbers
change, so they stand in the brand's row. A brand needs `api`, `site`, a browser (the API refuses other clients) and
`params`: `h2h` and `moneyline` (market numbers of football and basketball, best first, comma separated), `h2h_2up`
(early payout) and `match_pages` (default 0): how many football matches per tournament are asked for one by one, the
only way to see early payout. Basketball is always asked for match by match, at most `BASKETBALL_MATCHES`.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from scrapers import leagues
from scrapers.catalog import Bookmaker
from scrapers.errors import Blocked, Changed
from scrapers.odds import Offered, Outcome, Page, clean_text
from scrapers.wire import EVIDENCE_BYTES, Request, Response, decode, read_json, try_decode, utc

BASE = "/api/v1/br/pt-br"
BATCH = 40
BASKETBALL_MATCHES = 10
# Moneylines were seen with the away side in column 1 and, earlier, in column 2.
COLUMNS: Mapping[str, Mapping[int, Outcome]] = {
    "football": {0: "home", 1: "draw", 2: "away"},
    "basketball": {0: "home", 1: "away", 2: "away"},
}

TOURNAMENTS = {
    "1000094569": "soccer_brazil_campeonato",
    "1000094970": "soccer_brazil_paulista",
    "1000094985": "soccer_epl",
    "1000094984": "soccer_fa_cup",
    "1000094986": "soccer_england_efl_cup",
    "1000095049": "soccer_spain_la_liga",
    "1000095050": "soccer_spain_copa_del_rey",
    "1000095001": "soccer_italy_serie_a",
    "1000094994": "soccer_germany_bundesliga",
    "1000094991": "soccer_france_ligue_one",
    "1000094980": "soccer_netherlands_eredivisie",
    "1000093381": "soccer_uefa_champs_league",
    "2000051195": "soccer_uefa_europa_league",
    "2000130522": "soccer_uefa_europa_conference_league",
    "1000093652": "basketball_nba",
}


class Teams(msgspec.Struct):
    home: str
    away: str


class Match(msgspec.Struct, rename="camel"):
    id: str | int
    teams: Teams
    date_start: str | None = None
    is_live: bool | None = None


class Matches(msgspec.Struct):
    events: list[msgspec.Raw]


class Values(msgspec.Struct):
    decimal: float | str | None = None


class Odd(msgspec.Struct, rename="camel"):
    market_id: str | int
    event_id: str | int | None = None
    column_id: int | None = None
    name: str | None = None
    odd_values: Values | None = None
    odd_value: float | str | None = None
    frozen: bool | None = None
    is_frozen: bool | None = None


class Odds(msgspec.Struct):
    odds: list[msgspec.Raw]


class Asked(msgspec.Struct):
    """Carried in `Request.note`: what an answer with prices does not repeat."""

    tournament: str
    matches: dict[str, tuple[str, str, str | None]] = {}  # id to home, away and kick-off


def requests(book: Bookmaker, now: datetime) -> Sequence[Request]:
    return [
        ask(book, f"/tournament/{theirs}/live-upcoming", {}, theirs)
        for sport in book.sports
        for theirs in leagues.chosen(TOURNAMENTS, sport)
    ]


def ask(book: Bookmaker, path: str, params: dict[str, str], note: str) -> Request:
    headers = {"accept": "application/json", "accept-language": "pt-BR", "referer": f"{book.site}/"}
    return Request(f"{book.api}{BASE}{path}", params, headers=headers, note=note)


def parse(book: Bookmaker, response: Response) -> Page:
    if response.body.lstrip()[:1] == b"<" and b"Attention Required" in response.body:
        raise Blocked("stake shows a challenge page instead of data")
    note = response.request.note
    if note.startswith("{"):
        return read_odds(book, response, decode(note.encode(), Asked))
    return read_matches(book, response, note)


def read_matches(book: Bookmaker, response: Response, tournament: str) -> Page:
    page = Page()
    raws = read_json(response, Matches).events
    matches = []
    for raw in raws:
        match = try_decode(raw, Match)
        if match is None or not re.fullmatch(r"[0-9A-Za-z_-]+", str(match.id)):
            page.skip("unreadable event")
        elif match.is_live:
            page.skip("live")
        else:
            matches.append(match)
    refuse_if_mostly_unreadable(page.skipped.get("unreadable event", 0), len(raws), response)
    matches.sort(key=lambda match: match.date_start or "")
    wanted = book.params.get("match_pages", "")
    alone = int(wanted) if wanted.isdecimal() else 0
    if sport_of(tournament) == "basketball":  # the answer for many does not carry its moneyline
        matches, alone = matches[:BASKETBALL_MATCHES], BASKETBALL_MATCHES
    for match in matches[:alone]:
        page.follow.append(ask(book, f"/events/{match.id}/odds", {}, carry(tournament, [match])))
    together = matches[alone:]
    for start in range(0, len(together), BATCH):
        batch = together[start : start + BATCH]
        ids = ",".join(str(match.id) for match in batch)
        page.follow.append(ask(book, "/events/odds", {"events": ids}, carry(tournament, batch)))
    return page


def carry(tournament: str, matches: Sequence[Match]) -> str:
    known = {str(match.id): (match.teams.home, match.teams.away, match.date_start) for match in matches}
    return msgspec.json.encode(Asked(tournament, known)).decode()


def read_odds(book: Bookmaker, response: Response, asked: Asked) -> Page:
    sport = sport_of(asked.tournament)
    by_event: dict[str, list[Odd]] = {event: [] for event in asked.matches}
    alone = next(iter(asked.matches)) if len(asked.matches) == 1 else ""
    raws = read_json(response, Odds).odds
    odds = [odd for raw in raws if (odd := try_decode(raw, Odd))]
    refuse_if_mostly_unreadable(len(raws) - len(odds), len(raws), response)
    for odd in odds:
        by_event.get(alone if odd.event_id is None else str(odd.event_id), []).append(odd)
    plain = "moneyline" if sport == "basketball" else "h2h"
    known = set(numbers(book, plain) + numbers(book, "h2h_2up"))
    seen = sorted({str(odd.market_id) for odd in odds})
    if seen and not known.intersection(seen):
        # Without this a new numbering would look like a day without odds.
        message = f"stake's {sport} winner market has a new number: none of {sorted(known)} among {seen[:20]}"
        raise Changed(message, response.body[:EVIDENCE_BYTES])
    page = Page()
    for event, (home, away, starts) in asked.matches.items():
        rows = by_event[event]
        page.add(
            external_id=event,
            sport=sport,
            league=TOURNAMENTS.get(asked.tournament),
            league_name=asked.tournament,
            home=home,
            away=away,
            starts_at=utc(starts),
            url=f"{book.site}/esportes/{event}",
            markets={
                "h2h": first_complete(rows, numbers(book, plain), sport, home, away),
                "h2h_2up": first_complete(rows, numbers(book, "h2h_2up"), sport, home, away),
            },
        )
    return page


def first_complete(rows: Sequence[Odd], wanted: Sequence[str], sport: str, home: str, away: str) -> Offered:
    sides = set(COLUMNS[sport].values())
    for number in wanted:
        offered = read_market([row for row in rows if str(row.market_id) == number], sport, home, away)
        if sides <= {side for side, price in offered.items() if price is not None}:
            return offered
    return {}


def read_market(rows: Sequence[Odd], sport: str, home: str, away: str) -> Offered:
    """Prices by side. Empty when two rows claim the same side: a guess could swap the teams."""
    teams: dict[str, Outcome] = {clean_text(home): "home", clean_text(away): "away"}
    prices: dict[Outcome, object] = {}
    for row in rows:
        side = teams.get(clean_text(row.name)) or COLUMNS[sport].get(-1 if row.column_id is None else row.column_id)
        if side is None or side in prices:
            return {}
        prices[side] = None if row.frozen or row.is_frozen else price_of(row)
    return prices


def price_of(row: Odd) -> float | None:
    """Suspended prices are 0."""
    value = row.odd_values.decimal if row.odd_values and row.odd_values.decimal is not None else row.odd_value
    try:
        price = float(value) if value is not None else 0.0
    except ValueError:
        return None
    return price if price > 1 else None


def numbers(book: Bookmaker, market: str) -> list[str]:
    return [number.strip() for number in book.params.get(market, "").split(",") if number.strip()]


def sport_of(tournament: str) -> str:
    league = leagues.get(TOURNAMENTS.get(tournament))
    return league.sport if league else "football"


def refuse_if_mostly_unreadable(unreadable: int, total: int, response: Response) -> None:
    if unreadable * 2 > total:
        raise Changed(f"{unreadable} of {total} elements are unreadable", response.body[:EVIDENCE_BYTES])
