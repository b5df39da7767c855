"""The simulated world: what every bookmaker shows at an instant, and the key to check answers against.

Pure: the world changes only through `World`, which holds what an operator of the simulator has changed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from scrapers.catalog import Bookmaker
from scrapers.odds import MarketKey, Outcome, Sport
from simulator.board import Board, Line
from simulator.chance import between, chance, pick
from simulator.prices import Probabilities, early_payout, quote, truth
from simulator.schedule import Fixture, fixtures
from simulator.teams import SPELLINGS

COVERED = 0.9  # share of the matches that a book has
COVERED_LIVE = 0.7
SUSPENDED = 0.03
SUSPENDED_LASTS = 120
SWAPPED = 0.4  # share of the NBA matches, on the books that list sides as they like

EARLY_PAYOUT_PLATFORMS = frozenset({"altenar", "betano", "entain", "kambi", "novibet", "stake"})
EARLY_PAYOUT_LEAGUES = frozenset({"soccer_brazil_campeonato", "soccer_epl", "soccer_uefa_champs_league"})
SWAPPING_BOOKS = frozenset({"superbet", "betbra"})  # their wire formats mirror a swapped line

FIRST_ID = 10_000_000
ID_COUNT = 90_000_000
ID_STRIDE = 7_919_111  # shares no factor with the count: no two matches of a book get one id


@dataclass(frozen=True, slots=True)
class World:
    seed: int = 1
    shifts: Mapping[int, float] = field(default_factory=dict)  # fixture number -> log-odds towards the home side


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """What one line of a book really is."""

    fixture: int
    league: str
    home: str  # canonical names; the real home side, whatever the book says
    away: str
    starts_at: datetime
    swapped: bool


@dataclass(frozen=True, slots=True)
class AnswerKey:
    now: datetime
    books: Mapping[str, Mapping[str, KeyEntry]]  # scraper -> its event id -> what it is
    probabilities: Mapping[int, Probabilities]


def board(book: Bookmaker, now: datetime, world: World | None = None) -> Board:
    world = world or World()
    lines = (
        _line(book, fixture, now, world) for fixture in fixtures(world.seed, now) if _has(book, fixture, now, world)
    )
    return Board(book=book, now=now, lines=tuple(lines))


def answers(books: Iterable[Bookmaker], now: datetime, world: World | None = None) -> AnswerKey:
    world = world or World()
    playing = {fixture.number: fixture for fixture in fixtures(world.seed, now)}
    return AnswerKey(
        now=now,
        books={
            book.name: {
                str(line.event_id): _entry(playing[line.fixture], line) for line in board(book, now, world).lines
            }
            for book in books
        },
        probabilities={
            number: truth(world.seed, fixture, now.timestamp(), world.shifts.get(number, 0.0))
            for number, fixture in playing.items()
        },
    )


def event_id(seed: int, book_key: str, fixture: int) -> int:
    start = int(chance(seed, "ids", book_key) * ID_COUNT)
    return FIRST_ID + (start + fixture * ID_STRIDE) % ID_COUNT


def spelling(seed: int, book_key: str, team: str) -> str:
    return pick(SPELLINGS[team], seed, "spelling", book_key, team)


def is_open(line: Line) -> bool:
    """Whether a pre-match bet on it is taken: what a scraper must find."""
    return not line.suspended and not line.live


def _has(book: Bookmaker, fixture: Fixture, now: datetime, world: World) -> bool:
    if fixture.sport not in book.sports:
        return False
    share = COVERED_LIVE if fixture.starts_at <= now else COVERED
    return chance(world.seed, "covers", book.book_key, fixture.number) < share


def _line(book: Bookmaker, fixture: Fixture, now: datetime, world: World) -> Line:
    key = (world.seed, book.book_key, fixture.number)
    time = now.timestamp()
    swapped = (
        book.book_key in SWAPPING_BOOKS and fixture.sport is Sport.BASKETBALL and chance("swapped", *key) < SWAPPED
    )
    prices = quote(world.seed, book, fixture, time, world.shifts.get(fixture.number, 0.0))
    return Line(
        fixture=fixture.number,
        event_id=event_id(*key),
        sport=fixture.sport,
        league=fixture.league,
        home=spelling(world.seed, book.book_key, fixture.home),
        away=spelling(world.seed, book.book_key, fixture.away),
        starts_at=fixture.starts_at,
        markets=_markets(book, fixture, prices),
        suspended=chance("suspended", *key, int(time // SUSPENDED_LASTS)) < SUSPENDED,
        live=fixture.starts_at <= now,
        swapped=swapped,
        liquidity=round(between(20, 3000, "liquidity", *key, int(time // 60)), 2) if book.kind == "exchange" else 500.0,
    )


def _markets(
    book: Bookmaker, fixture: Fixture, prices: Mapping[Outcome, float]
) -> dict[MarketKey, Mapping[Outcome, float]]:
    if book.platform in EARLY_PAYOUT_PLATFORMS and fixture.league in EARLY_PAYOUT_LEAGUES:
        return {"h2h": prices, "h2h_2up": early_payout(prices)}
    return {"h2h": prices}


def _entry(fixture: Fixture, line: Line) -> KeyEntry:
    return KeyEntry(fixture.number, fixture.league, fixture.home, fixture.away, fixture.starts_at, line.swapped)
