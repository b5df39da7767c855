from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from scrapers import catalog
from scrapers.catalog import Bookmaker
from scrapers.odds import Event, MarketKey, Outcome, Page, Sport
from scrapers.platforms import betnacional
from scrapers.wire import Request, Response
from simulator.board import Asked, Board, Line
from simulator.wires.betnacional import answer

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
RAMP = catalog.get("betnacional").at("http://simulator:9000")
OLD = replace(RAMP, params={"hours": "72"})

H2H: Mapping[MarketKey, Mapping[Outcome, float]] = {"h2h": {"home": 2.1, "draw": 3.0, "away": 3.6}}
NBA: Mapping[MarketKey, Mapping[Outcome, float]] = {"h2h": {"home": 1.056, "away": 8.0}}


def line(number: int, league: str, markets: Mapping[MarketKey, Mapping[Outcome, float]], **state: bool) -> Line:
    sport = Sport.BASKETBALL if league == "basketball_nba" else Sport.FOOTBALL
    starts_at = NOW + timedelta(hours=number)
    return Line(
        number, 916_000_000 + number, sport, league, f"Casa {number}", f"Fora {number}", starts_at, markets, **state
    )


OPEN = (
    line(1, "soccer_brazil_campeonato", H2H),
    line(2, "soccer_epl", H2H),
    line(3, "basketball_nba", NBA),
)
CLOSED = (
    line(4, "soccer_epl", H2H, suspended=True),
    line(5, "soccer_epl", H2H, live=True),
)
TOO_FAR = line(80, "soccer_epl", H2H)


def ask(book: Bookmaker, request: Request) -> Response:
    board = Board(book, NOW, (*OPEN, *CLOSED, TOO_FAR))
    path = request.url.removeprefix(book.api)
    answered = answer(board, Asked(request.method, path, request.params, request.headers, b""))
    return Response(request, answered.status, {"content-type": answered.content_type}, answered.body)


def cycle(book: Bookmaker) -> list[Page]:
    return [betnacional.parse(book, ask(book, request)) for request in betnacional.requests(book, NOW)]


def shown(event: Event) -> tuple[object, ...]:
    markets = {market.key: {price.outcome: price.price for price in market.prices} for market in event.markets}
    return event.external_id, event.sport, event.league, event.home, event.away, event.starts_at, markets


@pytest.mark.parametrize("book", [RAMP, OLD], ids=["ramp", "old"])
def test_board_comes_out_as_it_went_in(book: Bookmaker) -> None:
    events = [shown(event) for page in cycle(book) for event in page.events if event.league]

    assert sorted(events) == sorted(
        (str(line.event_id), line.sport, line.league, line.home, line.away, line.starts_at, line.markets)
        for line in OPEN
    )


@pytest.mark.parametrize("book", [RAMP, OLD], ids=["ramp", "old"])
def test_closed_lines_are_left_out_with_their_reason(book: Bookmaker) -> None:
    football, basketball = cycle(book)

    assert football.skipped == {"suspended": 1, "live": 1}
    assert basketball.skipped == {}


def test_womens_league_is_not_taken_for_the_mens() -> None:
    (women,) = [event for event in cycle(RAMP)[0].events if event.home == "Flamengo (F)"]

    assert women.league is None


def test_without_a_window_only_the_next_hours_are_listed() -> None:
    (request, _) = betnacional.requests(replace(RAMP, params={"hours": ""}), NOW)
    far = line(20, "soccer_epl", H2H)
    answered = answer(
        Board(RAMP, NOW, (*OPEN, far)), Asked("GET", request.url.removeprefix(RAMP.api), request.params, {}, b"")
    )

    assert str(far.event_id).encode() not in answered.body


def test_other_paths_are_not_there() -> None:
    assert ask(RAMP, Request(f"{RAMP.api}/api/event-odds/1")).status == 404
