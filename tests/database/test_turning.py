"""A match that its first book listed the wrong way round turns, and all that was said of its sides with it."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from scrapers.catalog import Bookmaker
from scrapers.odds import Outcome
from store import review
from store.names import PlacedCycle
from store.rpc import Rpc
from store.writer import Writer
from tests.cycles import TOMORROW, cycle, made_up_name, page_event
from tests.database.books import another_book, kick_off, matches, sides
from tests.fleet import Fleet

pytestmark = pytest.mark.docker


async def test_a_match_that_its_first_book_listed_the_wrong_way_turns(
    fleet: Fleet, rpc: Rpc, writer: Writer, other: Writer, book: Bookmaker, tmp_path: Path
) -> None:
    """Two books against one: what was said of its sides turns with it, and one that had judged before looks again."""
    starts, third, late = TOMORROW + kick_off(), *[await another_book(rpc, book, tmp_path / name) for name in "tl"]
    home, away = made_up_name(f"{book.name} home"), made_up_name(f"{book.name} away")
    right: dict[Outcome, float] = {"home": 1.5, "draw": 4.2, "away": 6.5}
    straight = page_event(1, right, home=home, away=away, starts_at=starts)
    wrong = page_event(1, {"home": 6.5, "draw": 4.2, "away": 1.5}, home=away, away=home, starts_at=starts)

    await writer.write(cycle(book.name, wrong))
    judged_before = await late._names.place(cycle(late._book.name, straight).events)
    await other.write(cycle(other._book.name, straight))
    assert sides(fleet, book) == [away, home]
    await third.write(cycle(third._book.name, straight))
    assert sides(fleet, book) == [home, away]
    assert judged_before.events[0].swapped
    head = msgspec.structs.asdict(cycle(late._book.name, straight)) | {"events": judged_before.events}
    ingest = {"p_epoch": late.epoch, "p_sent_at": datetime.now(UTC), "p_names_seen": judged_before.seen}
    answer = await rpc.call("ingest_cycle", ingest | {"p_cycle": PlacedCycle(**head, unmatched=[], learned=[])})
    assert answer == {"result": "look_again"}
    await late.write(cycle(late._book.name, straight))

    for one in (writer, other, third, late):
        prices = "select outcome, price from {} join bookmakers b on b.id = bookmaker_id where b.key = '{}' order by 1"
        for table in ("odds", "odds_history"):
            shown = {side: float(price) for side, price in fleet.sql(prices.format(table, one._book.name))}
            assert shown == right, (table, one._book.name)
    delivery = await writer.write(cycle(book.name, wrong))  # known by its id, and mirrored from now on
    assert (delivery.inserted, sides(fleet, book)) == (0, [home, away])


async def test_what_waits_for_a_person_turns_with_its_match(
    fleet: Fleet, rpc: Rpc, writer: Writer, other: Writer, book: Bookmaker, tmp_path: Path
) -> None:
    """Also when it was judged before the turn, and is sent again after it."""
    starts, third, waiting = TOMORROW + kick_off(), *[await another_book(rpc, book, tmp_path / name) for name in "tw"]
    home, away = made_up_name(f"{book.name} home"), made_up_name(f"{book.name} away")
    even: dict[Outcome, float] = {"home": 2.5, "draw": 3.2, "away": 2.9}
    far: dict[Outcome, float] = {"home": 1.1, "draw": 9.0, "away": 21.0}
    straight = page_event(1, even, home=home, away=away, starts_at=starts)
    doubtful = page_event(9, far, home=home, away=away, starts_at=starts)

    await writer.write(cycle(book.name, page_event(1, even, home=away, away=home, starts_at=starts)))
    for _ in range(2):
        await waiting.write(cycle(waiting._book.name, doubtful))
    for one in (other, third):
        await one.write(cycle(one._book.name, straight))
    assert sides(fleet, book) == [home, away]
    for _ in range(2):
        await waiting.write(cycle(waiting._book.name, doubtful))
        (row,) = [row for row in await review.waiting(rpc) if row.bookmaker == waiting._book.name]
        assert (row.near_home, row.near_away, row.swapped) == (home, away, False)


async def test_a_turn_gives_way_to_a_cycle_in_hand(
    fleet: Fleet, rpc: Rpc, writer: Writer, other: Writer, book: Bookmaker, tmp_path: Path
) -> None:
    """A cycle holds its own row, and will want the match: before both wait for each other, the turn gives up."""
    starts, third = TOMORROW + kick_off(), await another_book(rpc, book, tmp_path / "third")
    home, away = made_up_name(f"{book.name} home"), made_up_name(f"{book.name} away")
    straight = page_event(1, home=home, away=away, starts_at=starts)
    await writer.write(cycle(book.name, page_event(1, home=away, away=home, starts_at=starts)))
    await other.write(cycle(other._book.name, straight))
    in_hand = f"update match_sources set url = url where scraper_name = '{book.name}'"
    with fleet.holding(in_hand):
        await third.write(cycle(third._book.name, straight))
        assert await rpc.call("turn_match", {"p_match": int(next(iter(matches(fleet, book.name))))}) is False
        assert sides(fleet, book) == [away, home]
    await third.write(cycle(third._book.name, straight))
    assert sides(fleet, book) == [home, away]


async def test_a_match_whose_mirror_stands_is_not_asked_to_turn(
    fleet: Fleet, rpc: Rpc, writer: Writer, other: Writer, book: Bookmaker
) -> None:
    starts = TOMORROW + kick_off()
    home, away = made_up_name(f"{book.name} home"), made_up_name(f"{book.name} away")
    wrong = cycle(book.name, page_event(1, home=away, away=home, starts_at=starts))
    await writer.write(wrong)
    fleet.sql(
        "insert into matches (league_id, home_team_id, away_team_id, commence_time, play_day)"
        " select league_id, away_team_id, home_team_id, commence_time, play_day from matches m"
        f" join match_sources s on s.match_id = m.id where s.scraper_name = '{book.name}';"
        f"update match_sources set swapped = true where scraper_name = '{book.name}'"
    )
    (match,) = matches(fleet, book.name)
    assert fleet.value(f"select lies_wrong({match})") == "f"
    assert await rpc.call("turn_match", {"p_match": int(match)}) is False
    assert sides(fleet, book) == [away, home]
