"""What the simulated Altenar says is what its scraper understands."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl

import pytest

from scrapers import catalog
from scrapers.odds import Event, MarketKey, Outcome, Sport
from scrapers.platforms import altenar
from scrapers.wire import Response
from simulator.board import Answer, Asked, Board, Line
from simulator.wires import altenar as wire

NOW = datetime(2026, 9, 22, 12, tzinfo=UTC)
KICK_OFF = NOW + timedelta(days=1)

Prices = Mapping[MarketKey, Mapping[Outcome, float]]
PLAIN: Prices = {"h2h": {"home": 1.9, "draw": 3.4, "away": 4.2}}
EARLY: Prices = {**PLAIN, "h2h_2up": {"home": 1.82, "draw": 3.3, "away": 3.95}}
GAME: Prices = {"h2h": {"home": 1.5, "away": 2.6}}


def football(event_id: int, league: str, home: str, away: str, prices: Prices = PLAIN, **more: bool) -> Line:
    starts_at = NOW if more.get("live") else KICK_OFF
    return Line(event_id, event_id, Sport.FOOTBALL, league, home, away, starts_at, prices, **more)


OPEN = (
    football(101, "soccer_brazil_campeonato", "Flamengo", "Grêmio", EARLY),
    football(102, "soccer_epl", "Arsenal", "Chelsea"),
    *(football(200 + number, "soccer_epl", f"Home {number}", f"Away {number}") for number in range(20)),
    Line(103, 103, Sport.BASKETBALL, "basketball_nba", "Celtics", "Pistons", KICK_OFF, GAME, swapped=True),
)
CLOSED = (
    football(104, "soccer_epl", "Everton", "Fulham", suspended=True),
    football(105, "soccer_epl", "Leeds", "Burnley", live=True),
)
UNKNOWN = football(106, "soccer_brazil_mineiro", "Cruzeiro", "América")  # a league that the platform has no number for


def ask(board: Board, path: str, query: Mapping[str, str]) -> Answer:
    return wire.answer(board, Asked("GET", path, query, {}, b""))


def scrape(scraper: str) -> tuple[list[Event], dict[str, int]]:
    book = catalog.get(scraper).at("http://simulator:9000")
    board = Board(book, NOW, tuple(line for line in (*OPEN, *CLOSED, UNKNOWN) if line.sport in book.sports))
    events: list[Event] = []
    skipped: dict[str, int] = {}
    for request in altenar.requests(book, NOW):
        answer = ask(board, request.url.removeprefix(book.api), request.params)
        page = altenar.parse(book, Response(request, answer.status, {}, answer.body))
        events += page.events
        skipped |= page.skipped
    return events, skipped


@pytest.mark.parametrize("scraper", ["estrelabet", "br4bet", "br4bet_nba", "aposta1", "esportivabet"])
def test_a_board_comes_through_whole(scraper: str) -> None:
    events, _ = scrape(scraper)

    expected = [line for line in OPEN if line.sport in catalog.get(scraper).sports]
    assert {event.external_id: seen(event) for event in events} == {
        str(line.event_id): shown(line) for line in expected
    }
    assert all(event.url and event.url.startswith(f"http://simulator:9000/{scraper}/") for event in events)


def test_what_cannot_be_bet_on_is_there_and_left_out() -> None:
    _, skipped = scrape("br4bet")

    assert skipped["suspended"] == 1
    assert skipped["live"] == 1
    assert skipped["boosted market"] > 1


def test_another_brands_name_is_refused() -> None:
    board = Board(catalog.get("estrelabet"), NOW, OPEN)

    assert ask(board, "/api/widget/GetEvents", {"integration": "br4bet"}).status == 400
    assert ask(board, "/api/widget/GetNothing", {"integration": "estrelabet"}).status == 404


def test_the_page_of_a_brand_loads_its_feed_by_script() -> None:
    board = Board(catalog.get("aposta1"), NOW, OPEN)

    page = ask(board, "/esportes", {})

    assert page.content_type.startswith("text/html")
    feed = page.body.decode().partition('["/aposta1')[2].partition('"')[0]
    path, _, query = feed.partition("?")
    assert b"Flamengo" not in page.body
    assert "Flamengo" in ask(board, path, dict(parse_qsl(query))).body.decode()


def seen(event: Event) -> object:
    prices = {market.key: {price.outcome: price.price for price in market.prices} for market in event.markets}
    return event.sport, event.league, event.home, event.away, event.starts_at, prices


def shown(line: Line) -> object:
    line = line.listed()
    return line.sport, line.league, line.home, line.away, line.starts_at, line.markets
