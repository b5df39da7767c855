"""What the simulated exchange sends is what the scraper reads back."""

from datetime import UTC, datetime, timedelta

import msgspec

from scrapers import catalog
from scrapers.odds import Event, Price, Sport
from scrapers.platforms import mexchange
from scrapers.wire import Request, Response
from simulator.board import NOT_FOUND, Answer, Asked, Board, Line
from simulator.wires import mexchange as wire

BOOK = catalog.get("betbra").at("http://simulator:9000")
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)

SERIE_A = Line(
    fixture=1,
    event_id=501,
    sport=Sport.FOOTBALL,
    league="soccer_brazil_campeonato",
    home="Flamengo",
    away="Santos",
    starts_at=NOW + 5 * HOUR,
    markets={"h2h": {"home": 1.98, "draw": 3.4, "away": 4.1}},
)
SWAPPED = Line(
    fixture=2,
    event_id=502,
    sport=Sport.FOOTBALL,
    league="soccer_epl",
    home="Arsenal",
    away="Leicester",
    starts_at=NOW + 30 * HOUR,
    markets={"h2h": {"home": 1.2, "draw": 7.5, "away": 15.0}},
    swapped=True,
    liquidity=1234.5,
)
NBA = Line(
    fixture=3,
    event_id=503,
    sport=Sport.BASKETBALL,
    league="basketball_nba",
    home="Boston Celtics",
    away="Miami Heat",
    starts_at=NOW + 10 * HOUR,
    markets={"h2h": {"home": 1.01, "away": 17.0}},
)
UNKNOWN_LEAGUE = Line(504, 504, Sport.FOOTBALL, "soccer_brazil_gaucho", "Grêmio", "Inter", NOW + HOUR, SERIE_A.markets)
SUSPENDED = Line(
    505, 505, Sport.FOOTBALL, "soccer_epl", "Fulham", "Everton", NOW + HOUR, SERIE_A.markets, suspended=True
)
LIVE = Line(506, 506, Sport.FOOTBALL, "soccer_epl", "Chelsea", "Spurs", NOW + HOUR, SERIE_A.markets, live=True)
STARTED = Line(507, 507, Sport.FOOTBALL, "soccer_epl", "Wolves", "Leeds", NOW - HOUR, SERIE_A.markets, live=True)
LINES = (SERIE_A, SWAPPED, NBA, UNKNOWN_LEAGUE, SUSPENDED, LIVE, STARTED)


def ask(board: Board, request: Request) -> Answer:
    path = request.url.removeprefix(BOOK.api)
    return wire.answer(board, Asked(request.method, path, request.params, request.headers, b""))


def scrape(board: Board) -> tuple[dict[str, Event], dict[str, int]]:
    events: dict[str, Event] = {}
    skipped: dict[str, int] = {}
    pending = list(mexchange.requests(BOOK, board.now))
    while pending:
        request = pending.pop(0)
        answer = ask(board, request)
        page = mexchange.parse(BOOK, Response(request, answer.status, {}, answer.body))
        events.update({event.external_id: event for event in page.events})
        skipped.update({reason: skipped.get(reason, 0) + count for reason, count in page.skipped.items()})
        pending.extend(page.follow)
    return events, skipped


def test_lines_come_out_as_they_went_in() -> None:
    events, skipped = scrape(Board(BOOK, NOW, LINES))

    assert set(events) == {"501", "502", "503", "504"}
    assert skipped == {"suspended": 1, "live": 1, "no winner market": 1}

    match = events["501"]
    assert (match.home, match.away, match.league) == ("Flamengo", "Santos", "soccer_brazil_campeonato")
    assert match.starts_at == SERIE_A.starts_at
    assert match.markets[0].prices == (Price("home", 1.98, 500.0), Price("draw", 3.4, 500.0), Price("away", 4.1, 500.0))
    assert match.url == "http://simulator:9000/betbra/b/exchange/sport/soccer/event/501/market/5011"

    game = events["503"]
    assert (game.home, game.away, game.league) == ("Boston Celtics", "Miami Heat", "basketball_nba")
    assert game.markets[0].prices == (Price("home", 1.01, 500.0), Price("away", 17.0, 500.0))
    assert events["504"].league is None


def test_swapped_line_lists_the_away_side_first_with_its_own_prices() -> None:
    events, _ = scrape(Board(BOOK, NOW, LINES))
    match = events["502"]
    assert (match.home, match.away, match.league) == ("Leicester", "Arsenal", "soccer_epl")
    assert match.markets[0].prices == (
        Price("home", 15.0, 1234.5),
        Price("draw", 7.5, 1234.5),
        Price("away", 1.2, 1234.5),
    )


def test_pages_are_followed() -> None:
    lines = tuple(
        Line(n, n, Sport.FOOTBALL, "soccer_epl", f"Home {n}", f"Away {n}", NOW + HOUR, SERIE_A.markets)
        for n in range(1000, 1250)
    )
    events, _ = scrape(Board(BOOK, NOW, lines))
    assert len(events) == 250


def test_single_event_page_and_unknown_paths() -> None:
    board = Board(BOOK, NOW, LINES)
    single = ask(board, Request(f"{BOOK.api}/api/events/501"))
    assert msgspec.json.decode(single.body)["name"] == "Flamengo vs Santos"
    page = ask(board, Request(f"{BOOK.site}/"))
    assert page.content_type.startswith("text/html")
    assert b"api/events" in page.body
    assert ask(board, Request(f"{BOOK.api}/api/events/9")) == NOT_FOUND
    assert ask(board, Request(f"{BOOK.api}/api/sports")) == NOT_FOUND
    assert ask(board, Request(f"{BOOK.api}/api/events", method="POST")) == NOT_FOUND
