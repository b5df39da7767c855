"""NSX's "bet6" odds list (Betnacional): one flat row per outcome, grouped here by event.

Two generations of rows: the old feed numbers markets and outcomes as Betradar does; the `ramp` feed gives each market a
private number, so that its name decides, and names the outcome after the team. Times are Brasília's, without a zone.
A brand needs `api` and `site`, and in `params`: `provider` ("ramp"; none for the old feed) and `hours` (to look ahead).
No football answer of the `ramp` feed was ever recorded: a list without any market that we know is `Changed`.
"""

import unicodedata
from collections.abc import Sequence
from datetime import datetime

import msgspec

from scrapers.catalog import Bookmaker
from scrapers.errors import Changed
from scrapers.odds import Offered, Outcome, Page
from scrapers.wire import EVIDENCE_BYTES, Request, Response, read_json, try_decode, utc

SPORT_IDS = {"football": "1", "basketball": "2"}
SPORTS = {1: "football", 2: "basketball"}
MARKET_IDS = {"football": 1, "basketball": 219}
PRIVATE_MARKETS_FROM = 10_000  # Betradar's own numbers stay below

OUTCOME_IDS: dict[str, dict[str, Outcome]] = {
    "football": {"1": "home", "2": "draw", "3": "away"},
    "basketball": {"4": "home", "5": "away"},
}
MARKET_NAMES = {
    "football": {
        "resultado da partida",
        "resultado final",
        "vencedor da partida",
        "vence a partida",
        "aposta 3-way na partida",
    },
    "basketball": {"vence a partida", "vencedor da partida", "vencedor", "vencedor (incluindo prorrogacao)"},
}

TOURNAMENTS = {
    "325": "soccer_brazil_campeonato",
    "390": "soccer_brazil_serie_b",
    "373": "soccer_brazil_copa_do_brasil",
    "372": "soccer_brazil_paulista",
    "384": "soccer_conmebol_copa_libertadores",
    "480": "soccer_conmebol_copa_sudamericana",
    "17": "soccer_epl",
    "18": "soccer_efl_champ",
    "19": "soccer_fa_cup",
    "21": "soccer_england_efl_cup",
    "8": "soccer_spain_la_liga",
    "329": "soccer_spain_copa_del_rey",
    "23": "soccer_italy_serie_a",
    "328": "soccer_italy_coppa_italia",
    "35": "soccer_germany_bundesliga",
    "217": "soccer_germany_dfb_pokal",
    "34": "soccer_france_ligue_one",
    "37": "soccer_netherlands_eredivisie",
    "238": "soccer_portugal_primeira_liga",
    "7": "soccer_uefa_champs_league",
    "679": "soccer_uefa_europa_league",
    "34480": "soccer_uefa_europa_conference_league",
    "132": "basketball_nba",
}
# The `ramp` feed's numbers are unknown. With the country, unless no other country has a league of that name.
TOURNAMENT_NAMES = {
    "brasileirao serie a": "soccer_brazil_campeonato",
    "brasil - brasileirao serie a": "soccer_brazil_campeonato",
    "brasileirao serie b": "soccer_brazil_serie_b",
    "brasil - brasileirao serie b": "soccer_brazil_serie_b",
    "copa do brasil": "soccer_brazil_copa_do_brasil",
    "brasil - copa do brasil": "soccer_brazil_copa_do_brasil",
    "copa libertadores": "soccer_conmebol_copa_libertadores",
    "conmebol libertadores": "soccer_conmebol_copa_libertadores",
    "copa sul-americana": "soccer_conmebol_copa_sudamericana",
    "conmebol sul-americana": "soccer_conmebol_copa_sudamericana",
    "inglaterra - premier league": "soccer_epl",
    "inglaterra - championship": "soccer_efl_champ",
    "inglaterra - fa cup": "soccer_fa_cup",
    "inglaterra - efl cup": "soccer_england_efl_cup",
    "laliga": "soccer_spain_la_liga",
    "espanha - laliga": "soccer_spain_la_liga",
    "espanha - la liga": "soccer_spain_la_liga",
    "espanha - copa do rei": "soccer_spain_copa_del_rey",
    "italia - serie a": "soccer_italy_serie_a",
    "italia - copa da italia": "soccer_italy_coppa_italia",
    "alemanha - bundesliga": "soccer_germany_bundesliga",
    "alemanha - copa da alemanha": "soccer_germany_dfb_pokal",
    "franca - ligue 1": "soccer_france_ligue_one",
    "eredivisie": "soccer_netherlands_eredivisie",
    "holanda - eredivisie": "soccer_netherlands_eredivisie",
    "portugal - primeira liga": "soccer_portugal_primeira_liga",
    "uefa champions league": "soccer_uefa_champs_league",
    "uefa europa league": "soccer_uefa_europa_league",
    "uefa conference league": "soccer_uefa_europa_conference_league",
    "nba": "basketball_nba",
}


class Row(msgspec.Struct):
    event_id: int
    sport_id: int
    home: str
    away: str
    market_id: int
    date_start: str | None = None
    tournament_id: int | str | None = None
    tournament_name: str | None = None
    category_name: str | None = None
    market_name: str | None = None
    outcome_id: int | str | None = None
    outcome_name: str | None = None
    odd: float | str | None = None  # text in some answers
    is_live: int | bool | None = None
    event_status_id: int | None = None
    market_status_id: int | None = None
    selection_active: bool | int | None = None

    @property
    def is_private(self) -> bool:
        return self.market_id >= PRIVATE_MARKETS_FROM

    @property
    def is_open(self) -> bool:
        return self.selection_active not in (False, 0) and self.market_status_id in (None, 1)


class Answer(msgspec.Struct):
    odds: list[msgspec.Raw]


def requests(book: Bookmaker, now: datetime) -> Sequence[Request]:
    provider = {"provider": book.params["provider"]} if book.params.get("provider") else {}
    return [
        Request(
            url=f"{book.api}/api/odds/1/events-by-seasons",
            params={
                "sport_id": SPORT_IDS[sport],
                "category_id": "0",
                "tournament_id": "",
                "markets": str(MARKET_IDS[sport]),
                "filter_time_event": book.params["hours"],
                **provider,
            },
            headers={"accept": "application/json", "origin": book.site, "referer": f"{book.site}/"},
        )
        for sport in book.sports
    ]


def parse(book: Bookmaker, response: Response) -> Page:
    answer = read_json(response, Answer)
    page = Page()
    events: dict[int, list[Row]] = {}
    unreadable = 0
    for raw in answer.odds:
        row = try_decode(raw, Row)
        if row is None:
            unreadable += 1
            page.skip("unreadable row")
        else:
            events.setdefault(row.event_id, []).append(row)
    if unreadable * 2 > len(answer.odds):
        raise Changed(f"{unreadable} of {len(answer.odds)} rows are unreadable", response.body[:EVIDENCE_BYTES])
    for rows in events.values():
        read_event(book, rows, page)
    if events and page.skipped.get("no match winner") == len(events):
        names = sorted({row.market_name or str(row.market_id) for rows in events.values() for row in rows})
        raise Changed(f"no market is the one asked for, but: {', '.join(names[:5])}", response.body[:EVIDENCE_BYTES])
    return page


def read_event(book: Bookmaker, rows: list[Row], page: Page) -> None:
    event = rows[0]
    sport = SPORTS.get(event.sport_id)
    if sport is None:
        return page.skip("other sport")
    if any(row.is_live in (True, 1) or row.event_status_id not in (None, 0) for row in rows):
        return page.skip("live")
    # Basketball with a draw is regular time only.
    drawn = {row.market_id for row in rows if sport == "basketball" and outcome(row, sport) == "draw"}
    winner = next((row.market_id for row in rows if is_winner(row, sport) and row.market_id not in drawn), None)
    if winner is None:
        return page.skip("no match winner")
    rows = [row for row in rows if row.market_id == winner]
    if not all(row.is_open for row in rows):
        return page.skip("suspended")
    offered: Offered = {name: decimal(row.odd) for row in rows if (name := outcome(row, sport))}
    return page.add(
        external_id=event.event_id,
        sport=sport,
        league=league_of(event),
        league_name=event.tournament_name or event.tournament_id,
        home=event.home,
        away=event.away,
        starts_at=utc(f"{event.date_start}-03:00") or utc(event.date_start),
        url=f"{book.site}/event/{event.sport_id}/0/{event.event_id}",
        markets={"h2h": offered},
    )


def is_winner(row: Row, sport: str) -> bool:
    if row.is_private:
        return fold(row.market_name) in MARKET_NAMES[sport]
    return row.market_id == MARKET_IDS[sport]


def outcome(row: Row, sport: str) -> Outcome | None:
    if not row.is_private:
        return OUTCOME_IDS[sport].get(str(row.outcome_id))
    named = fold(row.outcome_name)
    if named == "empate":
        return "draw"
    if named == fold(row.home):
        return "home"
    return "away" if named == fold(row.away) else None


def league_of(row: Row) -> str | None:
    if not row.is_private:
        return TOURNAMENTS.get(str(row.tournament_id))
    name = fold(row.tournament_name)
    return TOURNAMENT_NAMES.get(name) or TOURNAMENT_NAMES.get(f"{fold(row.category_name)} - {name}")


def decimal(value: float | str | None) -> float | None:
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return None


def fold(text: str | None) -> str:
    """Lower case without accents, for comparing what the site itself writes twice."""
    letters = unicodedata.normalize("NFKD", (text or "").casefold())
    return " ".join("".join(char for char in letters if not unicodedata.combining(char)).split())
