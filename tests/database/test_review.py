"""A person's word on names: what it does, and how it is taken back."""

import pytest

from scrapers import reviewing
from scrapers.catalog import Bookmaker
from scrapers.names.fold import fold
from scrapers.odds import Outcome
from scrapers.reviewing import spellings
from store import review
from store.rpc import Rpc
from store.writer import Writer
from tests.cycles import TOMORROW, cycle, made_up_name, page_event
from tests.database.books import kick_off, matches, prices_of
from tests.fleet import Fleet

pytestmark = pytest.mark.docker


@pytest.mark.parametrize(("same", "expected"), [(True, 1), (False, 2)])
async def test_a_person_decides(
    fleet: Fleet, rpc: Rpc, writer: Writer, other: Writer, book: Bookmaker, same: bool, expected: int
) -> None:
    starts = TOMORROW + kick_off()
    await writer.write(
        cycle(
            book.name,
            page_event(1, {"home": 1.2, "draw": 7.0, "away": 13.0}, home="Chelsea", away="Fulham", starts_at=starts),
        )
    )
    doubtful = page_event(
        2, {"home": 13.0, "draw": 7.0, "away": 1.2}, home="Chelsea", away="Fulham FC", starts_at=starts
    )
    await other.write(cycle(other._book.name, doubtful))
    (row,) = [row for row in await review.waiting(rpc) if row.bookmaker == other._book.name]
    assert await review.decide(rpc, row.id, spellings(row), same=same)
    assert not await review.decide(rpc, row.id, spellings(row), same=same), "one decides once"
    other._names.forget()  # as every ten cycles
    await other.write(cycle(other._book.name, doubtful))

    assert len(matches(fleet, book.name, other._book.name)) == expected
    assert (
        fleet.value(
            f"select count(*) from odds o join bookmakers b on b.id = o.bookmaker_id where b.key = '{other._book.name}'"
        )
        == "3"
    )
    given = [one for one in await review.remembered(rpc, 1000) if one.bookmaker == other._book.name]
    assert [(one.alias, one.team, one.source) for one in given] == ([("Fulham FC", "Fulham", "manual")] if same else [])


async def test_a_learned_spelling_is_listed_and_can_be_taken_back(
    rpc: Rpc, writer: Writer, other: Writer, book: Bookmaker
) -> None:
    starts, unheard_of = TOMORROW + kick_off(), made_up_name(book.name)
    await writer.write(cycle(book.name, page_event(1, home="Aston Villa", away=unheard_of, starts_at=starts)))
    shown = page_event(2, home="Aston Villa", away=f"{unheard_of} Rovers", starts_at=starts)
    await other.write(cycle(other._book.name, shown))

    learned = [one for one in await review.remembered(rpc, 1000) if one.bookmaker == other._book.name]
    assert [(one.alias, one.team, one.source) for one in learned] == [(f"{unheard_of} Rovers", unheard_of, "learned")]
    assert await review.forget(rpc, fold(learned[0].alias)) == 1
    assert await review.forget(rpc, fold(learned[0].alias)) == 0


async def test_a_wrong_pair_can_be_taken_apart(
    fleet: Fleet, rpc: Rpc, writer: Writer, other: Writer, book: Bookmaker
) -> None:
    starts, unheard_of = TOMORROW + kick_off(), made_up_name(book.name)
    shown = page_event(2, home="Aston Villa", away=f"{unheard_of} Rovers", starts_at=starts)
    await writer.write(cycle(book.name, page_event(1, home="Aston Villa", away=unheard_of, starts_at=starts)))
    await other.write(cycle(other._book.name, shown))
    assert len(matches(fleet, book.name, other._book.name)) == 1

    assert not await review.split(rpc, book.name, "2"), "another book's number"
    assert await review.split(rpc, other._book.name, "2")
    left = "select count(*) from odds o join bookmakers b on b.id = o.bookmaker_id where b.key = '{}'"
    assert [fleet.value(left.format(name)) for name in (book.name, other._book.name)] == ["3", "0"]

    other._names.forget()  # as every ten cycles
    await other.write(cycle(other._book.name, shown))
    assert len(matches(fleet, book.name, other._book.name)) == 2


async def test_what_a_person_took_apart_by_mistake_is_judged_again(
    fleet: Fleet, rpc: Rpc, writer: Writer, other: Writer, book: Bookmaker
) -> None:
    starts, unheard_of = TOMORROW + kick_off(), made_up_name(book.name)
    shown = page_event(2, home="Aston Villa", away=f"{unheard_of} Rovers", starts_at=starts)
    await writer.write(cycle(book.name, page_event(1, home="Aston Villa", away=unheard_of, starts_at=starts)))
    await other.write(cycle(other._book.name, shown))
    found = await review.placed(rpc, other._book.name, "2")
    assert found
    assert (found.home, found.away) == ("Aston Villa", f"{unheard_of} Rovers")
    assert (found.our_away, found.other_books, found.decision) == (unheard_of, 1, None)

    assert await review.split(rpc, other._book.name, "2")
    await other.write(cycle(other._book.name, shown))
    assert len(matches(fleet, book.name, other._book.name)) == 2
    found = await review.placed(rpc, other._book.name, "2")
    assert found
    assert (found.other_books, found.decision) == (0, "new")

    assert await review.again(rpc, other._book.name, "2")
    await other.write(cycle(other._book.name, shown))
    assert len(matches(fleet, book.name, other._book.name)) == 1
    assert prices_of(fleet, other) == prices_of(fleet, writer)
    assert await review.placed(rpc, other._book.name, "3") is None


async def test_a_refusal_by_mistake_is_taken_back(rpc: Rpc, writer: Writer, other: Writer, book: Bookmaker) -> None:
    """And the event is in the list of what waits again."""
    starts, names = TOMORROW + kick_off(), [made_up_name(f"{book.name} {number}") for number in range(2)]
    far: dict[Outcome, float] = {"home": 1.1, "draw": 9.0, "away": 21.0}
    doubtful = page_event(2, far, home=names[0], away=names[1], starts_at=starts)
    await writer.write(cycle(book.name, page_event(1, home=names[0], away=f"{names[1]} FC", starts_at=starts)))
    await other.write(cycle(other._book.name, doubtful))
    (row,) = [row for row in await review.waiting(rpc) if row.bookmaker == other._book.name]
    assert not await review.again(rpc, other._book.name, "2"), "nobody said anything yet"
    await review.decide(rpc, row.id, (), same=False)
    other._names.forget()  # as every ten cycles
    await other.write(cycle(other._book.name, doubtful))
    assert await review.again(rpc, other._book.name, "2")
    await other.write(cycle(other._book.name, doubtful))
    (row,) = [row for row in await review.waiting(rpc) if row.bookmaker == other._book.name]
    assert row.near_home == names[0]


async def test_what_cannot_be_taken_apart_is_told(fleet: Fleet, capsys: pytest.CaptureFixture[str]) -> None:
    for change in (reviewing.split, reviewing.again):
        assert await change(fleet.store_settings, "nonsense", "1") == 1
        assert "no bookmaker called nonsense. There are: aposta1, bet365" in capsys.readouterr().out
        assert await change(fleet.store_settings, "br4bet", "no such") == 1
        assert "br4bet has no event no such; odds.json has its number as `sid`" in " ".join(
            capsys.readouterr().out.split()
        )
