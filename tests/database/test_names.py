"""One match, many spellings: joined when sure, kept for a person when not, and never twice."""

import asyncio
import itertools
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from scrapers import reviewing
from scrapers.catalog import Bookmaker
from scrapers.names.fold import fold
from scrapers.odds import Outcome
from scrapers.reviewing import spellings
from store import review
from store.names import PlacedCycle
from store.rpc import Rpc
from store.spool import Spool
from store.writer import Arrived, Writer
from tests.cycles import TOMORROW, cycle, made_up_name, page_event
from tests.fleet import Fleet

pytestmark = pytest.mark.docker


@pytest.fixture
async def other(rpc: Rpc, book: Bookmaker, tmp_path: Path) -> Writer:
    """Another bookmaker's scraper."""
    return await another_book(rpc, book, tmp_path / "other")


async def another_book(rpc: Rpc, book: Bookmaker, spool: Path) -> Writer:
    another = replace(book, name=f"o{uuid.uuid4().hex[:12]}")
    writer = Writer(rpc, Spool(spool, another.name, 10), another, holder="first", interval=30)
    await writer.take_lease()
    return writer


def matches(fleet: Fleet, *scrapers: str) -> set[str]:
    names = "','".join(scrapers)
    return {row[0] for row in fleet.sql(f"select match_id from match_sources where scraper_name in ('{names}')")}


DAYS = itertools.count(1)


def kick_off() -> timedelta:
    """A day of its own for each test, so that fixtures of others are no candidates."""
    return timedelta(days=next(DAYS))


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


def sides(fleet: Fleet, book: Bookmaker) -> list[str]:
    """Of the match that this book shows."""
    (row,) = fleet.sql(
        "select h.name, a.name from match_sources s join matches m on m.id = s.match_id"
        " join teams h on h.id = m.home_team_id join teams a on a.id = m.away_team_id"
        f" where s.scraper_name = '{book.name}'"
    )
    return row


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


def prices_of(fleet: Fleet, writer: Writer) -> dict[str, float]:
    rows = fleet.sql(
        "select o.outcome, o.price from odds o join bookmakers b on b.id = o.bookmaker_id"
        f" where b.key = '{writer._book.name}' and not suspended"
    )
    return {outcome: float(price) for outcome, price in rows}


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
