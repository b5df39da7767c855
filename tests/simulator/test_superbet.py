"""What the simulated Superbet shows is what the parser finds."""

from datetime import datetime, timedelta

import msgspec
import pytest
from hypothesis import given

from scrapers import catalog
from scrapers.odds import Event, Sport
from scrapers.platforms import superbet as platform
from scrapers.wire import Request, Response
from simulator import model
from simulator.board import Asked, Board, Line
from simulator.wires import superbet as wire
from tests.simulator.worlds import NOW, SATURDAY, few, instants

BOOK = catalog.get("superbet")
BY_DATE = "/v2/pt-BR/events/by-date"


def ask(board: Board, request: Request) -> Response:
    asked = Asked(request.method, request.url.removeprefix(BOOK.api), request.params, request.headers, b"")
    answer = wire.answer(board, asked)
    return Response(request, answer.status, {"content-type": answer.content_type}, answer.body)


def scraped(board: Board, now: datetime) -> list[Event]:
    requests = platform.requests(BOOK, now)
    return [event for request in requests for event in platform.parse(BOOK, ask(board, request)).events]


def expected(line: Line) -> tuple[object, ...]:
    shown = line.listed()
    league = shown.league if shown.league in platform.TOURNAMENTS.values() else None
    return str(shown.event_id), shown.sport, league, shown.home, shown.away, shown.starts_at, shown.markets["h2h"]


def found(event: Event) -> tuple[object, ...]:
    (market,) = event.markets
    prices = {price.outcome: price.price for price in market.prices}
    return event.external_id, event.sport, event.league, event.home, event.away, event.starts_at, prices


@few
@given(instants)
def test_round_trip(now: datetime) -> None:
    board = model.board(BOOK, now)
    events = scraped(board, now)
    noise = {str(9_000_000 + index) for index in range(len(wire.NOISE))}
    collected = {event.external_id: found(event) for event in events if event.external_id not in noise}
    assert collected == {str(line.event_id): expected(line) for line in board.lines if model.is_open(line)}
    assert {event.league for event in events if event.external_id in noise} == {None}


def rows(**query: str) -> list[dict[str, object]]:
    board = model.board(BOOK, SATURDAY)
    days = {"startDate": "2026-11-21 00:00:00", "endDate": "2026-11-30 00:00:00"}
    answer = wire.answer(board, Asked("GET", BY_DATE, {**days, **query}, {}, b""))
    events: list[dict[str, object]] = msgspec.json.decode(answer.body)["data"]
    return events


def test_filters() -> None:
    assert {row["sportId"] for row in rows(sportId="4")} == {4}
    assert {row["tournamentId"] for row in rows(sportId="5", tournamentIds="106,98")} == {106, 98}
    assert all(str(row["utcDate"]) < "2026-11-22" for row in rows(endDate="2026-11-22 00:00:00"))
    assert rows(tournamentIds="424242") == []


def test_request_is_echoed_in_utc() -> None:
    query = {"startDate": "2026-11-21 00:00:00", "endDate": "2026-11-22 00:00:00", "sportId": "5"}
    answer = wire.answer(model.board(BOOK, SATURDAY), Asked("GET", BY_DATE, query, {}, b""))
    echo = msgspec.json.decode(answer.body)["dataIn"]
    assert echo == {
        "lang": "pt-BR",
        "startDate": "2026-11-21T00:00:00Z",
        "endDate": "2026-11-22T00:00:00Z",
        "offerState": "prematch",
        "sportId": 5,
    }


def test_live_matches_are_in_the_live_list_only() -> None:
    live = {line.event_id for line in model.board(BOOK, SATURDAY).lines if line.live}
    assert live
    assert {row["eventId"] for row in rows(offerState="live")} == live
    assert not live & {row["eventId"] for row in rows()}


def test_every_way_of_being_closed_is_skipped() -> None:
    suspended = [
        line
        for step in range(40)
        for line in model.board(BOOK, NOW + timedelta(minutes=2 * step)).lines
        if line.suspended
    ]
    answer = wire.answer(
        Board(BOOK, NOW, tuple(suspended)), Asked("GET", BY_DATE, {"endDate": "2026-11-30 00:00:00"}, {}, b"")
    )
    ids = {line.event_id for line in suspended}
    ways = {
        (row["offerStateStatus"]["1"], row["odds"] and row["odds"][0]["status"])
        for row in msgspec.json.decode(answer.body)["data"]
        if row["eventId"] in ids
    }
    assert ways == {("blocked", "active"), ("active", "block"), ("active", None)}


def test_a_board_with_no_lines_is_an_empty_list() -> None:
    assert scraped(Board(BOOK, NOW, ()), NOW) == []


@pytest.mark.parametrize("query", [{"startDate": "soon"}, {"endDate": ""}, {"offerState": "maybe"}])
def test_bad_questions_get_error_true(query: dict[str, str]) -> None:
    asked = Asked("GET", BY_DATE, {"endDate": "2026-11-30 00:00:00", **query}, {}, b"")
    assert msgspec.json.decode(wire.answer(model.board(BOOK, NOW), asked).body)["error"] is True


def test_one_match_has_more_markets() -> None:
    line = next(line for line in model.board(BOOK, NOW).lines if line.sport is Sport.BASKETBALL and model.is_open(line))
    answer = wire.answer(model.board(BOOK, NOW), Asked("GET", f"/v2/pt-BR/events/{line.event_id}", {}, {}, b""))
    (event,) = msgspec.json.decode(answer.body)["data"]
    assert {odd["marketId"] for odd in event["odds"]} > {759, 777}


def test_struct_and_unknown_pages() -> None:
    board = model.board(BOOK, NOW)
    struct = msgspec.json.decode(wire.answer(board, Asked("GET", "/v2/pt-BR/struct", {}, {}, b"")).body)
    assert {"id": "106", "localNames": {"pt-BR": "Premier League"}} in struct["data"]["tournaments"]
    assert wire.answer(board, Asked("GET", "/v2/pt-BR/events/1", {}, {}, b"")).status == 404
    assert wire.answer(board, Asked("GET", "/elsewhere", {}, {}, b"")).status == 404
