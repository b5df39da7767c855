"""A book that gives an event other names under the same id: it is placed anew."""

import uuid

import msgspec
import pytest

from scrapers.catalog import Bookmaker
from scrapers.odds import Outcome
from scrapers.reviewing import spellings
from store import review
from store.rpc import Rpc
from store.writer import Writer
from tests.cycles import TOMORROW, cycle, made_up_name, page_event
from tests.database.books import kick_off, matches, prices_of, sides
from tests.fleet import Fleet

pytestmark = pytest.mark.docker


async def test_sides_that_a_book_exchanges_under_the_same_id_stay_with_their_prices(
    fleet: Fleet, writer: Writer, other: Writer, book: Bookmaker
) -> None:
    starts = TOMORROW + kick_off()
    home, away = made_up_name(f"{book.name} home"), made_up_name(f"{book.name} away")
    right: dict[Outcome, float] = {"home": 1.5, "draw": 4.2, "away": 6.5}
    straight = page_event(1, right, home=home, away=away, starts_at=starts)
    exchanged = page_event(1, {"home": 6.5, "draw": 4.2, "away": 1.5}, home=away, away=home, starts_at=starts)
    await writer.write(cycle(book.name, straight))
    await other.write(cycle(other._book.name, straight))
    for _ in range(2):
        delivery = await other.write(cycle(other._book.name, exchanged))
        assert (len(matches(fleet, book.name, other._book.name)), delivery.inserted) == (1, 0)
    assert prices_of(fleet, other) == right


async def test_another_spelling_under_the_same_id_changes_nothing(
    fleet: Fleet, writer: Writer, other: Writer, book: Bookmaker
) -> None:
    starts, unheard_of = TOMORROW + kick_off(), made_up_name(book.name)
    await writer.write(cycle(book.name, page_event(1, home="Aston Villa", away=unheard_of, starts_at=starts)))
    for away in (unheard_of, f"{unheard_of} Rovers"):
        await other.write(cycle(other._book.name, page_event(2, home="Aston Villa", away=away, starts_at=starts)))
    assert len(matches(fleet, book.name, other._book.name)) == 1
    rows = "select count(*) from odds_history h join bookmakers b on b.id = h.bookmaker_id where b.key = '{}'"
    assert fleet.value(rows.format(other._book.name)) == "3", "no price was taken away and given again"


async def test_an_event_that_gets_other_teams_leaves_the_match_that_it_was(
    fleet: Fleet, writer: Writer, other: Writer, book: Bookmaker
) -> None:
    """Winner A becomes a club. Its prices are none of the other match any more, even if the answer is incomplete."""
    starts = TOMORROW + kick_off()
    names = [made_up_name(f"{book.name} {number}") for number in range(4)]
    await writer.write(cycle(book.name, page_event(1, home=names[0], away=names[1], starts_at=starts)))
    await other.write(cycle(other._book.name, page_event(1, home=names[0], away=names[1], starts_at=starts)))
    assert len(matches(fleet, book.name, other._book.name)) == 1

    renamed = page_event(1, home=names[2], away=names[3], starts_at=starts)
    other._names = type(other._names)(other._rpc, other._book.name)  # a scraper that started anew knows it too
    await other.write(cycle(other._book.name, renamed, complete=False))
    assert sides(fleet, other._book) == names[2:]
    assert sides(fleet, book) == names[:2]
    taken_away = (
        "select o.match_id, o.suspended from odds o join bookmakers b on b.id = o.bookmaker_id"
        f" where b.key = '{other._book.name}' and o.outcome = 'home' order by 1"
    )
    assert [suspended for _, suspended in fleet.sql(taken_away)] == ["t", "f"]


async def test_an_event_whose_new_names_are_doubtful_waits(
    fleet: Fleet, rpc: Rpc, writer: Writer, other: Writer, book: Bookmaker
) -> None:
    starts = TOMORROW + kick_off()
    home, away, late, later = (made_up_name(f"{book.name} {number}") for number in range(4))
    even = page_event(1, home=home, away=away, starts_at=starts)
    await writer.write(cycle(book.name, even))
    await other.write(cycle(other._book.name, even))
    far: dict[Outcome, float] = {"home": 1.1, "draw": 9.0, "away": 21.0}
    doubtful = cycle(other._book.name, page_event(1, far, home=home, away=late, starts_at=starts))
    await other.write(doubtful)
    assert matches(fleet, other._book.name) == set()
    (row,) = [row for row in await review.waiting(rpc) if row.bookmaker == other._book.name]
    assert (row.home, row.away, row.near_away) == (home, late, away)
    assert await review.decide(rpc, row.id, spellings(row), same=True)
    other._names.forget()  # as every ten cycles
    await other.write(msgspec.structs.replace(doubtful, cycle_id=str(uuid.uuid4())))
    assert len(matches(fleet, book.name, other._book.name)) == 1
    await other.write(cycle(other._book.name, page_event(1, far, home=home, away=later, starts_at=starts)))
    assert [row.away for row in await review.waiting(rpc) if row.bookmaker == other._book.name] == [later], (
        "asked again"
    )
