"""One match, many spellings: joined when sure, kept for a person when not, and never twice."""

import asyncio

import pytest

from scrapers.catalog import Bookmaker
from store.writer import Arrived, Writer
from tests.cycles import TOMORROW, cycle, made_up_name, page_event
from tests.database.books import kick_off, matches, sides
from tests.fleet import Fleet

pytestmark = pytest.mark.docker


async def test_two_spellings_become_one_match(fleet: Fleet, writer: Writer, other: Writer, book: Bookmaker) -> None:
    starts = TOMORROW + kick_off()
    first = page_event(1, home="Manchester United", away="Wolverhampton Wanderers", starts_at=starts)
    second = page_event(77, home="Man Utd", away="Wolves", starts_at=starts)
    await writer.write(cycle(book.name, first))
    await other.write(cycle(other._book.name, second))
    assert len(matches(fleet, book.name, other._book.name)) == 1


async def test_a_club_has_one_name_whichever_book_shows_it_first(
    fleet: Fleet, writer: Writer, other: Writer, book: Bookmaker
) -> None:
    starts, opponents = TOMORROW + kick_off(), [made_up_name(f"{book.name} {number}") for number in range(2)]
    await writer.write(cycle(book.name, page_event(1, home="Man Utd", away=opponents[0], starts_at=starts)))
    later = starts + kick_off()
    await other.write(cycle(other._book.name, page_event(2, home=opponents[1], away="Man. United", starts_at=later)))
    assert sides(fleet, book) == ["Manchester United", opponents[0]]
    assert sides(fleet, other._book) == [opponents[1], "Manchester United"]
    writer._names.forget()  # its own spelling is known by its id, and needs no new judgement
    again = page_event(1, home="Man Utd", away=opponents[0], starts_at=starts)
    assert [event.known for event in (await writer._names.place(cycle(book.name, again).events)).events] == [True]


async def test_sides_listed_the_other_way_are_stored_the_right_way(
    fleet: Fleet, writer: Writer, other: Writer, book: Bookmaker
) -> None:
    starts = TOMORROW + kick_off()
    await writer.write(
        cycle(
            book.name,
            page_event(1, {"home": 1.5, "draw": 4.2, "away": 6.5}, home="Arsenal", away="Everton", starts_at=starts),
        )
    )
    swapped = page_event(2, {"home": 6.6, "draw": 4.3, "away": 1.52}, home="Everton", away="Arsenal", starts_at=starts)
    for _ in range(2):  # known by its id the second time
        await other.write(cycle(other._book.name, swapped))
    assert len(matches(fleet, book.name, other._book.name)) == 1
    prices = fleet.sql(
        "select o.outcome, o.price from odds o join bookmakers b on b.id = o.bookmaker_id"
        f" where b.key = '{other._book.name}' and not suspended order by 1"
    )
    assert prices == [["away", "6.6000"], ["draw", "4.3000"], ["home", "1.5200"]]


async def test_functions_of_another_version_do_not_cost_a_cycle(fleet: Fleet, writer: Writer, book: Bookmaker) -> None:
    event = page_event(1, home=made_up_name(book.name), starts_at=TOMORROW + kick_off())
    fleet.sql("alter function names_snapshot(text) rename to names_snapshot_of_today")
    try:
        fleet.sql("create function names_snapshot(p_book text) returns jsonb language sql as $$ select '[]'::jsonb $$")
        delivery = await writer.write(cycle(book.name, event))
        assert (delivery.arrived, "make migrate" in delivery.reason) == (Arrived.SPOOLED, True)
    finally:
        fleet.sql("drop function names_snapshot(text); alter function names_snapshot_of_today rename to names_snapshot")
    await writer.drain()
    assert len(matches(fleet, book.name)) == 1


async def test_two_books_at_the_same_instant_make_one_match(
    fleet: Fleet, writer: Writer, other: Writer, book: Bookmaker
) -> None:
    starts = TOMORROW + kick_off()
    await asyncio.gather(
        writer.write(
            cycle(book.name, page_event(1, home="Tottenham Hotspur", away="West Ham United", starts_at=starts))
        ),
        other.write(cycle(other._book.name, page_event(2, home="Tottenham", away="West Ham", starts_at=starts))),
    )
    assert len(matches(fleet, book.name, other._book.name)) == 1


async def test_prices_that_disagree_keep_fixtures_apart(
    fleet: Fleet, writer: Writer, other: Writer, book: Bookmaker
) -> None:
    starts = TOMORROW + kick_off()
    await writer.write(
        cycle(
            book.name,
            page_event(1, {"home": 1.2, "draw": 7.0, "away": 13.0}, home="Liverpool", away="Burnley", starts_at=starts),
        )
    )
    opposite = page_event(
        2, {"home": 13.0, "draw": 7.0, "away": 1.2}, home="Liverpool", away="Burnley", starts_at=starts
    )
    await other.write(cycle(other._book.name, opposite))
    assert matches(fleet, other._book.name) == set()
    assert (
        fleet.value(f"select count(*) from unmatched_names where home = 'Liverpool' and starts_at = '{starts}'") == "1"
    )


async def test_a_namesake_of_a_match_that_the_book_shows_waits_for_a_person(
    fleet: Fleet, writer: Writer, other: Writer, book: Bookmaker
) -> None:
    """Once it was shown in the same cycle, once in cycles before."""
    starts, club = TOMORROW + kick_off(), made_up_name(book.name)
    shown = page_event(2, home=f"{club} Town", away="Karpaty Lviv", starts_at=starts)
    namesakes = [page_event(number, home=club, away="Lviv", starts_at=starts) for number in (3, 4)]
    await writer.write(cycle(book.name, page_event(1, home=f"{club} Town", away="Karpaty Lviv", starts_at=starts)))
    await other.write(cycle(other._book.name, shown, namesakes[0]))
    await other.write(cycle(other._book.name, shown, namesakes[1]))

    assert len(matches(fleet, book.name, other._book.name)) == 1
    waiting = f"select external_id, reason from unmatched_names where home = '{club}' order by 1"
    reason = "this book shows that match as another event"
    assert fleet.sql(waiting) == [["3", reason], ["4", reason]]
