"""What the simulated guest list sends is what the scraper reads back."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest

from scrapers import catalog
from scrapers.odds import Event, MarketKey, Outcome, Price, Sport
from scrapers.platforms import tradeball
from scrapers.wire import Request, Response
from simulator.board import NOT_FOUND, Answer, Asked, Board, Line
from simulator.wires import tradeball as wire

BOOK = catalog.get("tradeball").at("http://simulator:9000")
NOW = datetime(2026, 3, 1, 23, 40, tzinfo=UTC)
HOUR = timedelta(hours=1)
PRICES: Mapping[MarketKey, Mapping[Outcome, float]] = {"h2h": {"home": 1.98, "draw": 3.4, "away": 4.125}}

SERIE_A = Line(1, 501, Sport.FOOTBALL, "soccer_brazil_campeonato", "Flamengo", "Santos", NOW + HOUR, PRICES)
SWAPPED = Line(2, 502, Sport.FOOTBALL, "soccer_epl", "Arsenal", "Leicester", NOW + 60 * HOUR, PRICES, swapped=True)
NBA = Line(3, 503, Sport.BASKETBALL, "basketball_nba", "Boston Celtics", "Miami Heat", NOW + HOUR, PRICES)
SUSPENDED = Line(4, 504, Sport.FOOTBALL, "soccer_epl", "Fulham", "Everton", NOW + HOUR, PRICES, suspended=True)
LIVE = Line(5, 505, Sport.FOOTBALL, "soccer_epl", "Chelsea", "Spurs", NOW - HOUR / 2, PRICES, live=True)
TOO_LATE = Line(6, 506, Sport.FOOTBALL, "soccer_epl", "Wolves", "Leeds", NOW + 24 * 6 * HOUR, PRICES)
LINES = (SERIE_A, SWAPPED, NBA, SUSPENDED, LIVE, TOO_LATE)


def ask(board: Board, request: Request) -> Answer:
    path = request.url.removeprefix(BOOK.api)
    return wire.answer(board, Asked(request.method, path, request.params, request.headers, b""))


def scrape(board: Board) -> tuple[dict[str, Event], dict[str, int]]:
    events: dict[str, Event] = {}
    skipped: dict[str, int] = {}
    pending = list(tradeball.requests(BOOK, board.now))
    while pending:
        request = pending.pop(0)
        answer = ask(board, request)
        page = tradeball.parse(BOOK, Response(request, answer.status, {}, answer.body))
        events.update({event.external_id: event for event in page.events})
        skipped.update({reason: skipped.get(reason, 0) + count for reason, count in page.skipped.items()})
        pending.extend(page.follow)
    return events, skipped


def test_lines_come_out_as_they_went_in() -> None:
    events, skipped = scrape(Board(BOOK, NOW, LINES))

    assert set(events) == {"501", "502"}
    assert skipped == {"no complete market": 1, "live": 1}

    match = events["501"]
    assert (match.home, match.away, match.league) == ("Flamengo", "Santos", "soccer_brazil_campeonato")
    assert match.starts_at == SERIE_A.starts_at
    assert match.markets[0].prices == (Price("home", 1.98), Price("draw", 3.4), Price("away", 4.125))


def test_swapped_line_lists_the_away_side_first_with_its_own_prices() -> None:
    events, _ = scrape(Board(BOOK, NOW, LINES))
    match = events["502"]
    assert (match.home, match.away, match.league) == ("Leicester", "Arsenal", "soccer_epl")
    assert [price.price for price in match.markets[0].prices] == [4.125, 3.4, 1.98]


def test_pages_are_followed() -> None:
    lines = tuple(
        Line(n, n, Sport.FOOTBALL, "soccer_epl", f"Home {n}", f"Away {n}", NOW + HOUR, PRICES) for n in range(1, 251)
    )
    events, _ = scrape(Board(BOOK, NOW, lines))
    assert len(events) == 250


@pytest.mark.parametrize(
    ("path", "status"), [("/api/feedDball/list", 401), ("/api/other", 404), ("/api/feedDballGuest/list", 422)]
)
def test_what_it_does_not_serve(path: str, status: int) -> None:
    answer = ask(Board(BOOK, NOW, LINES), Request(f"{BOOK.api}{path}"))
    assert answer.status == status
    assert (answer == NOT_FOUND) == (status == 404)
