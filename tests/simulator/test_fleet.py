"""Every bookmaker of the catalog against its own simulated site: right prices, or a named error, never wrong ones."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

import msgspec
import pytest

from scrapers import catalog, platforms
from scrapers.catalog import Bookmaker
from scrapers.errors import Changed
from scrapers.odds import Event
from scrapers.wire import Request, Response
from simulator import model, wires
from simulator.board import Asked, Board
from simulator.sites import spoilt
from simulator.spoil import FIRST_HOSTILE_ID
from tests.simulator.worlds import NOW

BOOKS = [replace(book, params={**book.params, "key": "k"}).at("http://simulator:9000") for book in catalog.BOOKMAKERS]
each_book = pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.name)


def scrape(board: Board, now: datetime, kind: str = "") -> Iterator[Event]:
    platform = platforms.load(board.book.platform)
    waiting = list(platform.requests(board.book, now))
    while waiting:
        request = waiting.pop()
        answer = spoilt(kind, board, asked(board.book, request), wires.load(board.book.platform))
        headers = {"content-type": answer.content_type}
        page = platform.parse(board.book, Response(request, answer.status, headers, answer.body))
        yield from page.events
        waiting += page.follow


def asked(book: Bookmaker, request: Request) -> Asked:
    body = b"" if request.json is None else msgspec.json.encode(request.json)
    headers = {name.lower(): value for name, value in request.headers.items()}
    return Asked(request.method, request.url.removeprefix(book.api), request.params, headers, body)


def number(event: Event) -> int:
    """The site's number of a match; some parsers put its kind before it."""
    return int(event.external_id.rpartition(":")[2])


@each_book
@pytest.mark.parametrize("hours", [0, 11, 76])
def test_what_is_found_is_what_is_shown(book: Bookmaker, hours: int) -> None:
    now = NOW + timedelta(hours=hours)
    board = model.board(book, now)
    shown = {line.event_id: line.listed() for line in board.lines}
    events = [event for event in scrape(board, now) if number(event) in shown]
    assert events
    for event in events:
        line = shown[number(event)]
        assert model.is_open(line)
        assert (event.home, event.away, event.starts_at) == (line.home, line.away, line.starts_at)
        assert event.league in {line.league, None}
        for market in event.markets:
            assert {price.outcome: price.price for price in market.prices} == line.markets[market.key]


@each_book
def test_an_empty_site_gives_nothing(book: Bookmaker) -> None:
    board = model.board(book, NOW)
    try:
        assert list(scrape(board, NOW, "empty")) == []
    except Changed as error:
        assert "no football at all" in str(error)  # noqa: PT017 - the platform may know that this cannot be


@each_book
def test_a_rewritten_site_gives_nothing(book: Bookmaker) -> None:
    board = model.board(book, NOW)
    try:
        assert list(scrape(board, NOW, "malformed")) == []
    except Changed as error:
        assert error.evidence  # noqa: PT017


@each_book
def test_hostile_content_costs_no_good_match_its_price(book: Bookmaker) -> None:
    board = model.board(book, NOW)
    shown = {line.event_id: line.listed() for line in board.lines}
    events = list(scrape(board, NOW, "hostile"))
    assert any(number(event) in shown for event in events)
    for event in events:
        assert event.home.isprintable()
        prices = {price.outcome: price.price for price in event.markets[0].prices}
        if line := shown.get(number(event)):
            assert prices == line.markets[event.markets[0].key]
        elif FIRST_HOSTILE_ID <= number(event) < FIRST_HOSTILE_ID + 200:
            assert all(1 < price < 100 for price in prices.values())
