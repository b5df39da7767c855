from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from scrapers import catalog
from scrapers.catalog import Bookmaker
from scrapers.odds import Event, MarketKey, Outcome, Page, Sport
from scrapers.platforms import entain
from scrapers.wire import Request, Response
from simulator.board import Asked, Board, Line
from simulator.wires.entain import answer

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
BOOK = catalog.get("sportingbet").at("http://simulator:9000")

H2H: Mapping[MarketKey, Mapping[Outcome, float]] = {"h2h": {"home": 2.1, "draw": 3.3, "away": 3.6}}
BOTH: Mapping[MarketKey, Mapping[Outcome, float]] = {**H2H, "h2h_2up": {"home": 2.0, "draw": 3.2, "away": 3.4}}
NBA: Mapping[MarketKey, Mapping[Outcome, float]] = {"h2h": {"home": 1.6, "away": 2.4}}


def line(number: int, league: str, markets: Mapping[MarketKey, Mapping[Outcome, float]], **state: bool) -> Line:
    sport = Sport.BASKETBALL if league == "basketball_nba" else Sport.FOOTBALL
    starts_at = NOW + timedelta(hours=number % 150)
    return Line(
        number, 7_000_000 + number, sport, league, f"Casa {number}", f"Fora {number}", starts_at, markets, **state
    )


OPEN = (
    line(1, "soccer_brazil_campeonato", BOTH),
    line(2, "soccer_epl", H2H),
    line(3, "soccer_conmebol_copa_libertadores", H2H),  # known by its name only
    line(4, "basketball_nba", NBA),  # V2
    line(5, "basketball_nba", NBA),  # V1
)
CLOSED = (
    line(6, "soccer_epl", H2H, suspended=True),
    line(7, "soccer_epl", H2H, live=True),
    line(8, "basketball_nba", NBA, suspended=True),
    line(9, "basketball_nba", NBA, suspended=True),
)


def cycle(book: Bookmaker, lines: Sequence[Line]) -> tuple[list[Page], int]:
    """All pages of a cycle, and how many requests it took."""
    board = Board(book, NOW, tuple(lines))
    waiting, pages = list(entain.requests(book, NOW)), []
    asked = 0
    while waiting:
        request = waiting.pop(0)
        pages.append(entain.parse(book, ask(board, request)))
        waiting += pages[-1].follow
        asked += 1
    return pages, asked


def ask(board: Board, request: Request) -> Response:
    path = request.url.removeprefix(board.book.api)
    answered = answer(board, Asked(request.method, path, request.params, request.headers, b""))
    return Response(request, answered.status, {"content-type": answered.content_type}, answered.body)


def shown(event: Event) -> tuple[object, ...]:
    markets = {market.key: {price.outcome: price.price for price in market.prices} for market in event.markets}
    return event.external_id, event.sport, event.league, event.home, event.away, event.starts_at, markets


def expected(line: Line) -> tuple[object, ...]:
    identity = str(line.event_id) if line.sport is Sport.BASKETBALL else f"2:{line.event_id}"
    return identity, line.sport, line.league, line.home, line.away, line.starts_at, line.markets


def test_board_comes_out_as_it_went_in() -> None:
    pages, asked = cycle(BOOK, (*OPEN, *CLOSED))

    assert sorted(shown(event) for page in pages for event in page.events) == sorted(map(expected, OPEN))
    assert asked == 2


def test_closed_lines_are_left_out_with_their_reason() -> None:
    (football, basketball), _ = cycle(BOOK, (*OPEN, *CLOSED))

    assert football.skipped == {"suspended": 1, "live": 1, "boosted": 1}
    assert basketball.skipped == {"suspended": 2}


def test_long_list_comes_in_pages() -> None:
    lines = [line(number, "soccer_epl", H2H) for number in range(1, 1000)]

    pages, asked = cycle(BOOK, lines)

    assert len({event.external_id for page in pages for event in page.events}) == len(lines)
    assert asked == 3 + 1  # football in pages of 400, basketball


def test_access_id_can_be_read_from_the_site() -> None:
    book = replace(BOOK, params={})

    pages, asked = cycle(book, OPEN)

    assert sum(len(page.events) for page in pages) == len(OPEN)
    assert asked == 3


def test_wrong_access_id_is_refused() -> None:
    (request, _) = entain.requests(replace(BOOK, params={"access_id": "old"}), NOW)

    assert ask(Board(BOOK, NOW, OPEN), request).status == 400


def test_other_paths_are_not_there() -> None:
    assert ask(Board(BOOK, NOW, OPEN), Request(f"{BOOK.api}/cds-api/bettingoffer/counts")).status == 404
