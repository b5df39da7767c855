"""Whatever a site sends, every platform gives a clean page or one of the four errors: never another exception.

Platforms are discovered, and so are the answers that get damaged: all of tests/recorded, and what the simulator's wire
format of the platform sends. The examples come from the code, not from chance, so that two runs are the same run.
"""

import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, TypeAlias, TypeVar

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scrapers import catalog, leagues, platforms
from scrapers.catalog import Bookmaker
from scrapers.errors import Blocked, Changed, Refused, ScrapeError, Unavailable
from scrapers.odds import NAME_LIMIT, OUTCOMES, Event, Outcome, Page, Sport
from scrapers.recording import expectation
from scrapers.wire import EVIDENCE_BYTES, Request, Response
from simulator import wires
from simulator.board import Asked, Board, Line

RECORDED = Path(__file__).parents[2] / "recorded"
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ORIGIN = "http://simulator:9000"
EXAMPLES = 30  # per answer and kind of damage: all of them together stay under 20 seconds
ANSWERS_PER_KIND = 3
CYCLE = 100  # requests
VARIANTS = 4  # of a document per field, at most
FOLLOW_LIMIT = 1000

T = TypeVar("T")
Json: TypeAlias = Any  # whatever `json` reads

PLATFORMS = sorted(
    module.name
    for module in iter_modules(platforms.__path__)
    if hasattr(platforms.load(module.name), "parse")  # a platform may keep a part of itself in a second file
)

steady = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=EXAMPLES,
    suppress_health_check=list(HealthCheck),
)


@dataclass(frozen=True)
class Seed:
    """An answer that a site really gives, to be damaged."""

    name: str
    book: Bookmaker
    request: Request
    body: bytes

    @property
    def document(self) -> Json:
        """None when the answer is no JSON, and only its bytes can be damaged."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None


def recorded() -> Iterator[Seed]:
    for asked in sorted(RECORDED.glob("*/*/request.json")):
        case = asked.parent
        (answer,) = case.glob("response.*")
        request = msgspec.json.decode(asked.read_bytes(), type=Request)
        yield Seed(f"{case.parent.name}/{case.name}", catalog.get(case.parent.name), request, answer.read_bytes())


def line(number: int, league: str, *, suspended: bool = False, swapped: bool = False) -> Line:
    sport = Sport.BASKETBALL if league.startswith("basketball") else Sport.FOOTBALL
    h2h: Mapping[Outcome, float] = dict(zip(OUTCOMES[sport], (1.85, 3.5, 4.2), strict=False))
    return Line(
        fixture=number,
        event_id=7000 + number,
        sport=sport,
        league=league,
        home=f"Atlético {number}",
        away=f"São José {number}",
        starts_at=NOW + timedelta(hours=number),
        markets={"h2h": h2h, "h2h_2up": h2h},
        suspended=suspended,
        swapped=swapped,
    )


LINES = (
    *(line(number, "soccer_brazil_campeonato") for number in range(1, 4)),
    *(line(number, "soccer_epl") for number in range(4, 7)),
    *(line(number, "basketball_nba") for number in range(7, 10)),
    line(10, "soccer_epl", suspended=True),
    line(11, "soccer_epl", swapped=True),
)


@cache
def simulated(platform: str) -> tuple[Seed, ...]:
    """The fullest answers of one cycle against the simulator, of each kind of request."""
    book = next((each for each in catalog.BOOKMAKERS if each.platform == platform), None)
    if book is None or find_spec(f"simulator.wires.{platform}") is None:
        return ()
    book = replace(book.at(ORIGIN), params={**book.params, "key": "test"})
    code, wire = platforms.load(platform), wires.load(platform)
    board = Board(book, NOW, LINES)
    kinds: dict[str, list[Seed]] = {}
    pending = list(code.requests(book, NOW))
    for request in pending:  # grows while it is read
        body = b"" if request.json is None else msgspec.json.encode(request.json)
        path = request.url.removeprefix(book.api)
        answer = wire.answer(board, Asked(request.method, path, request.params, request.headers, body))
        if answer.status == 200:
            seed = Seed(f"simulator/{platform}", book, request, answer.body)
            kinds.setdefault(re.sub(r"\d+", "0", path), []).append(seed)
            pending.extend(read(seed, seed.body).follow[: CYCLE - len(pending)])
    fullest = (sorted(seeds, key=lambda seed: -len(seed.body))[:ANSWERS_PER_KIND] for seeds in kinds.values())
    return tuple(seed for seeds in fullest for seed in seeds)


def read(seed: Seed, body: bytes) -> Page:
    response = Response(request=seed.request, status=200, headers={}, body=body)
    return platforms.load(seed.book.platform).parse(seed.book, response)


def outcome(seed: Seed, body: bytes) -> Page | ScrapeError:
    try:
        return read(seed, body)
    except ScrapeError as error:
        return error


def check(seed: Seed, body: bytes) -> None:
    page = outcome(seed, body)
    if isinstance(page, ScrapeError):
        assert isinstance(page, Blocked | Unavailable | Changed | Refused)
        assert not isinstance(page, Changed) or len(page.evidence) <= EVIDENCE_BYTES
        return
    for event in page.events:
        check_event(seed.book, event)
    assert len(page.follow) <= FOLLOW_LIMIT
    for request in page.follow:
        # An answer may not send us to another site.
        assert request.url.startswith((f"{seed.book.api}/", f"{seed.book.site}/"))
        assert all(isinstance(part, str) for pair in request.params.items() for part in pair)
    msgspec.json.encode(expectation(page))  # can be kept and sent on: no half characters, no NaN


def check_event(book: Bookmaker, event: Event) -> None:
    for text in (event.external_id, event.home, event.away):
        assert text
    for text in (event.external_id, event.league_name, event.home, event.away):
        assert len(text) <= NAME_LIMIT
        assert text == " ".join(text.split())
        assert not any(unicodedata.category(char)[0] == "C" for char in text)
    assert event.home != event.away
    assert event.league is None or leagues.get(event.league)
    assert event.starts_at.tzinfo is UTC
    assert event.url is None or event.url.isprintable()
    assert event.url is None or not any(char.isspace() for char in event.url)
    assert event.url is None or event.url.startswith((book.site, book.api, "https://"))
    assert event.markets
    for market in event.markets:
        assert tuple(price.outcome for price in market.prices) == OUTCOMES[event.sport]
        for price in market.prices:
            assert isinstance(price.price, float)
            assert math.isfinite(price.price)
            assert price.price > 1
            assert price.liquidity is None or (math.isfinite(price.liquidity) and price.liquidity >= 0)


# Damage to the document: values that no site should send, each in the place of one that it does.

RAW = {  # what `json` would not write
    "@float@": b"1e400",
    "@digits@": b"9" * 400,
    "@more digits@": b"9" * 5000,
    "@nan@": b"NaN",
    "@infinity@": b"-Infinity",
    "@list@": b"[" * 3000 + b"]" * 3000,
    "@object@": b'{"a":' * 3000 + b"1" + b"}" * 3000,
    "@half@": b'"\\ud83d"',
    "@bad text@": b'"\xff\xfe"',
}
NUMERALS, UNREADABLE = tuple(RAW)[:3], tuple(RAW)[3:]  # the latter cost the whole document
TIMES = ("0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2026-02-30T00:00:00Z", "2026-W09-7", "12:00")
TEXTS = ("", " ", "0", "1.5", "nan", "9" * 50, "a" * 9999, "\x00\x1b[2J", "\u202eX\u200b", "·", " - ", " vs ", "../x y")
INTEGERS = (0, -1, 1, 2**31, 2**63, -(2**63) - 1, 2**64, 10**30, 253402300800, 253402300800000)  # the year 10000
FLOATS = (0.1, 1.00001, 1.5, -0.0, 1e308)
OTHERS: tuple[Json, ...] = (None, True, False, [], {}, [None], [[]], {"": None}, [{}])
VALUES: tuple[Json, ...] = (*NUMERALS, *TIMES, *TEXTS, *INTEGERS, *FLOATS, *OTHERS)
STRIDE = 13  # through VALUES, so that neighbours are of different kinds
assert math.gcd(STRIDE, len(VALUES)) == 1

Where = tuple[str | int, ...]


def places(node: Json, here: Where = ()) -> Iterator[Where]:
    yield here
    inside = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in inside:
        yield from places(child, (*here, key))


def find(document: Json, where: Where) -> Json:
    for key in where:
        document = document[key]
    return document


def put(document: Json, where: Where, value: Json) -> None:
    find(document, where[:-1])[where[-1]] = deepcopy(value)


def everywhere(document: Json, where: Where, value: Json) -> None:
    """The same field of every element: what a site does when it changes its mind."""
    for place in list(places(document)):
        if place and place[-1] == where[-1] and isinstance(place[-1], str):
            put(document, place, value)


def remove(document: Json, where: Where, _: Json) -> None:
    del find(document, where[:-1])[where[-1]]


def wrap(document: Json, where: Where, _: Json) -> None:
    put(document, where, [find(document, where)])


def double(document: Json, where: Where, _: Json) -> None:
    around = find(document, where[:-1])
    if isinstance(around, list) and isinstance(where[-1], int):
        around.append(around[where[-1]])


def spoilt_fields(seed: Seed) -> Iterator[tuple[str, bytes]]:
    """Field by field, each element of the document with another wrong value in that field."""
    fields: dict[str, list[Where]] = {}
    for where in places(seed.document):
        if where and isinstance(where[-1], str):
            fields.setdefault(where[-1], []).append(where)
    for field, found in fields.items():
        for first in range(0, len(VALUES), max(len(found), len(VALUES) // VARIANTS + 1)):
            document = seed.document
            for index, where in enumerate(found):
                value = VALUES[(first + index) * STRIDE % len(VALUES)]
                with suppress(LookupError, TypeError):  # inside one that is spoilt already
                    put(document, where, value)
            yield field, written(document)


Damage = Callable[[Json, Where, Json], None]
DAMAGES: tuple[Damage, ...] = (put, put, put, everywhere, remove, wrap, double)


def written(document: Json) -> bytes:
    body = json.dumps(document, ensure_ascii=True).encode()
    for mark, raw in RAW.items():
        body = body.replace(json.dumps(mark).encode(), raw)
    return body


Step = tuple[Damage, Where, Json]


def document_steps(seed: Seed) -> st.SearchStrategy[list[Step]]:
    where = st.sampled_from(list(places(seed.document))[1:])
    many = st.lists(st.tuples(st.sampled_from(DAMAGES), where, st.sampled_from(VALUES)), min_size=1, max_size=16)
    single = st.tuples(st.just(put), where, st.sampled_from(UNREADABLE)).map(lambda step: [step])
    return st.one_of(many, many, many, single)


def damaged_document(seed: Seed, steps: list[Step]) -> bytes:
    document = seed.document
    for damage, where, value in steps:
        with suppress(LookupError, TypeError):  # an earlier step took that place away
            damage(document, where, value)
    return written(document)


# Damage to the bytes: cut a stretch out, put another in its place, or say it twice.

Cut = tuple[int, int, bytes, bool]


def byte_cuts(seed: Seed) -> st.SearchStrategy[list[Cut]]:
    size = len(seed.body)
    length = st.integers(0, 40) | st.just(size)  # or all the rest: the answer was cut off
    junk = st.binary(max_size=8) | st.sampled_from(list(RAW.values()))
    return st.lists(st.tuples(st.integers(0, size), length, junk, st.booleans()), min_size=1, max_size=4)


def damaged_bytes(seed: Seed, cuts: list[Cut]) -> bytes:
    body = bytearray(seed.body)
    for start, length, junk, twice in cuts:
        stretch = body[start : start + length]
        body[start : start + length] = stretch * 2 if twice else junk
    return bytes(body)


text = st.text("aZ09 ._-\x00\u202e·é", max_size=20)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | text,
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(text, inside, max_size=3),
    max_leaves=10,
)
arbitrary = (
    st.binary(max_size=200)
    | json_values.map(lambda value: json.dumps(value).encode())
    | st.sampled_from([b"", b"null", b"[]", b"{}", b'""', b"<html></html>", b"\xef\xbb\xbf{}", *RAW.values()])
)


def seeds_of(platform: str) -> list[Seed]:
    return [*(seed for seed in recorded() if seed.book.platform == platform), *simulated(platform)]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_there_is_something_to_damage(platform: str) -> None:
    assert any(read(seed, seed.body).events for seed in seeds_of(platform))


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_field_is_distrusted(platform: str) -> None:
    for seed in seeds_of(platform):
        for field, body in spoilt_fields(seed):
            try:
                check(seed, body)
            except Exception as error:
                error.add_note(f"{seed.name}: values of {field!r} in {body!r:.2000}")
                raise


@pytest.mark.parametrize("platform", PLATFORMS)
def test_damaged_document(platform: str) -> None:
    for seed in seeds_of(platform):
        if isinstance(seed.document, dict | list):
            every(document_steps(seed), seed, damaged_document)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_damaged_bytes(platform: str) -> None:
    for seed in seeds_of(platform):
        every(byte_cuts(seed), seed, damaged_bytes)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_arbitrary_bytes(platform: str) -> None:
    for seed in seeds_of(platform):
        every(arbitrary, seed, lambda _, body: body)


def every(strategy: st.SearchStrategy[T], seed: Seed, damaged: Callable[[Seed, T], bytes]) -> None:
    @steady
    @given(strategy)
    def survives(damage: T) -> None:
        check(seed, damaged(seed, damage))

    survives()
