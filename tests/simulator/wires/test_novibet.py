from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from scrapers import catalog
from scrapers.odds import Event, MarketKey, Outcome, Page, Sport
from scrapers.platforms import novibet
from scrapers.wire import Request, Response
from simulator.board import Asked, Board, Line
from simulator.wires.novibet import answer

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
BOOK = catalog.get("novibet").at("http://simulator:9000")

H2H: Mapping[MarketKey, Mapping[Outcome, float]] = {"h2h": {"home": 2.1, "draw": 3.3, "away": 3.6}}
BOTH: Mapping[MarketKey, Mapping[Outcome, float]] = {**H2H, "h2h_2up": {"home": 2.0, "draw": 3.2, "away": 3.4}}
NBA: Mapping[MarketKey, Mapping[Outcome, float]] = {"h2h": {"home": 1.6, "away": 2.4}}


def line(number: int, league: str, markets: Mapping[MarketKey, Mapping[Outcome, float]], **state: bool) -> Line:
    sport = Sport.BASKETBALL if league == "basketball_nba" else Sport.FOOTBALL
    starts_at = NOW + timedelta(hours=number)
    return Line(
        number, 40_000_000 + number, sport, league, f"Casa {number}", f"Fora {number}", starts_at, markets, **state
    )


OPEN = (
    line(1, "soccer_brazil_campeonato", BOTH),
    line(2, "soccer_epl", H2H),
    line(3, "basketball_nba", NBA),
)
CLOSED = (
    line(4, "soccer_epl", H2H, suspended=True),
    line(5, "soccer_epl", H2H, live=True),
)
BOARD = Board(BOOK, NOW, (*OPEN, *CLOSED))


def ask(request: Request, board: Board = BOARD) -> Response:
    path = request.url.removeprefix(BOOK.api)
    answered = answer(board, Asked(request.method, path, request.params, request.headers, b""))
    return Response(request, answered.status, {"content-type": answered.content_type}, answered.body)


def cycle() -> list[Page]:
    return [novibet.parse(BOOK, ask(request)) for request in novibet.requests(BOOK, NOW)]


def shown(event: Event) -> tuple[object, ...]:
    markets = {market.key: {price.outcome: price.price for price in market.prices} for market in event.markets}
    return event.external_id, event.sport, event.league, event.home, event.away, event.starts_at, markets


def test_board_comes_out_as_it_went_in() -> None:
    events = [shown(event) for page in cycle() for event in page.events]

    assert sorted(events) == sorted(
        (str(line.event_id), line.sport, line.league, line.home, line.away, line.starts_at, line.markets)
        for line in OPEN
    )


def test_closed_lines_are_left_out_with_their_reason() -> None:
    (epl,) = [page for page in cycle() if page.skipped and page.events and page.events[0].league == "soccer_epl"]

    assert epl.skipped == {"suspended": 1, "live": 1, "virtual": 1}


def test_gateway_wants_its_headers() -> None:
    request = novibet.requests(BOOK, NOW)[0]

    assert ask(Request(request.url, request.params)).status == 500


def test_unknown_competition_has_nothing_on_offer() -> None:
    request = novibet.requests(BOOK, NOW)[0]
    response = ask(Request(request.url.replace(request.note, "1"), request.params, headers=request.headers))

    assert response.status == 622
    assert novibet.parse(BOOK, response).skipped == {"nothing on offer": 1}


def test_other_paths_are_not_there() -> None:
    assert ask(Request(f"{BOOK.api}/spt/feed/navigation/menu/4324")).status == 404
