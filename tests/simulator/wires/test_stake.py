"""A board served as Stake serves it, read by the scraper."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from scrapers import catalog
from scrapers.odds import Event, MarketKey, Outcome, Sport
from scrapers.platforms import stake
from scrapers.wire import Request, Response
from simulator.board import Asked, Board, Line
from simulator.wires import stake as wire

NOW = datetime(2026, 10, 3, 12, 0, tzinfo=UTC)
ORIGIN = "http://simulator:9000/stake"
BOOK = catalog.get("stake").at("http://simulator:9000")
FOOTBALL: Mapping[Outcome, float] = {"home": 1.95, "draw": 3.4, "away": 4.1}
EARLY: Mapping[Outcome, float] = {"home": 1.87, "draw": 3.4, "away": 3.9}
BASKETBALL: Mapping[Outcome, float] = {"home": 1.5, "away": 2.6}


def line(
    event_id: int,
    league: str,
    home: str,
    away: str,
    markets: Mapping[MarketKey, Mapping[Outcome, float]],
    *,
    suspended: bool = False,
    live: bool = False,
    swapped: bool = False,
) -> Line:
    sport = Sport.BASKETBALL if league == "basketball_nba" else Sport.FOOTBALL
    starts_at = NOW + timedelta(hours=-1 if live else event_id % 50 + 1)
    return Line(event_id, event_id, sport, league, home, away, starts_at, markets, suspended, live, swapped)


OPEN = (
    line(10000001, "soccer_brazil_campeonato", "Atlético-MG", "Flamengo", {"h2h": FOOTBALL, "h2h_2up": EARLY}),
    line(10000002, "soccer_brazil_campeonato", "São Paulo", "Grêmio", {"h2h": {**FOOTBALL, "home": 2.2}}),
    line(10000003, "soccer_epl", "Arsenal", "Everton", {"h2h": {**FOOTBALL, "draw": 3.55}}),
    line(10000004, "basketball_nba", "Los Angeles Lakers", "Boston Celtics", {"h2h": BASKETBALL}),
    line(10000005, "basketball_nba", "Chicago Bulls", "Miami Heat", {"h2h": {"home": 2.1, "away": 1.74}}, swapped=True),
    line(10000006, "basketball_nba", "Denver Nuggets", "Utah Jazz", {"h2h": {"home": 1.2, "away": 4.6}}),
)
CLOSED = (
    line(10000011, "soccer_brazil_campeonato", "Bahia", "Vitória", {"h2h": FOOTBALL}, suspended=True),
    line(10000012, "soccer_epl", "Chelsea", "Fulham", {"h2h": FOOTBALL}, suspended=True),
    line(10000013, "soccer_brazil_campeonato", "Santos", "Palmeiras", {"h2h": FOOTBALL}, live=True),
    line(10000014, "basketball_nba", "Phoenix Suns", "Dallas Mavericks", {"h2h": BASKETBALL}, suspended=True),
)
BOARD = Board(BOOK, NOW, OPEN + CLOSED)


def served(request: Request, board: Board = BOARD) -> Response:
    path = request.url.removeprefix(ORIGIN)
    answer = wire.answer(board, Asked(request.method, path, request.params, request.headers, b""))
    assert answer.status == 200, request
    return Response(request, answer.status, {"content-type": answer.content_type}, answer.body)


def collect(board: Board = BOARD) -> list[Event]:
    """One cycle, as the runner makes it."""
    waiting, events = list(stake.requests(board.book, NOW)), []
    while waiting:
        page = stake.parse(board.book, served(waiting.pop(0), board))
        events += page.events
        waiting += page.follow
    return events


def seen(event: Event) -> tuple[object, ...]:
    markets = {market.key: {price.outcome: price.price for price in market.prices} for market in event.markets}
    return event.external_id, event.league, event.home, event.away, event.starts_at, markets


def shown(line: Line, *keys: MarketKey) -> tuple[object, ...]:
    line = line.listed()
    markets = {key: dict(line.markets[key]) for key in keys if key in line.markets}
    return str(line.event_id), line.league, line.home, line.away, line.starts_at, markets


def test_the_scraper_finds_what_the_board_shows() -> None:
    events = sorted(map(seen, collect()))

    assert events == [shown(line, "h2h") for line in OPEN]


def test_early_payout_is_seen_match_by_match() -> None:
    book = replace(BOOK, params={**BOOK.params, "match_pages": "20"})

    events = sorted(map(seen, collect(Board(book, NOW, OPEN + CLOSED))))

    assert events == [shown(line, "h2h", "h2h_2up") for line in OPEN]


def test_the_page_of_the_site_loads_its_data_under_the_same_prefix() -> None:
    page = wire.answer(BOARD, Asked("GET", "/", {}, {}, b""))

    assert page.content_type.startswith("text/html")
    assert b'fetch(root + "/api/v1/br/pt-br/tournament/' in page.body


def test_unknown_paths_and_matches_are_not_found() -> None:
    for path in ("/tournament/1/live-upcoming", "/events/1/odds", "/events/1"):
        assert wire.answer(BOARD, Asked("GET", f"/api/v1/br/pt-br{path}", {}, {}, b"")).status == 404
