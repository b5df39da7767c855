"""One cycle, one transaction."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from scrapers.catalog import Bookmaker
from scrapers.odds import MarketKey
from store.cycle import Cycle
from store.rpc import Rpc
from store.spool import Spool
from store.writer import Arrived, Fenced, Writer
from tests.cycles import EVEN, TOMORROW, cycle, made_up_name, page_event
from tests.fleet import Fleet

pytestmark = pytest.mark.docker

MARKETS: tuple[MarketKey, ...] = ("h2h", "h2h_2up")


def prices(fleet: Fleet, book: Bookmaker) -> dict[tuple[str, str], tuple[float, bool]]:
    rows = fleet.sql(
        "select s.external_id, o.outcome, o.price, o.suspended from odds o join bookmakers b on b.id = o.bookmaker_id"
        f" join match_sources s using (match_id, bookmaker_id) where b.key = '{book.name}'"
    )
    return {(event, outcome): (float(price), suspended == "t") for event, outcome, price, suspended in rows}


def history(fleet: Fleet, book: Bookmaker) -> list[list[str]]:
    return fleet.sql(
        "select h.outcome, h.price, h.is_opening from odds_history h join bookmakers b on b.id = h.bookmaker_id"
        f" where b.key = '{book.name}' order by h.id"
    )


async def test_first_cycle_brings_matches_odds_history_and_heartbeat(
    fleet: Fleet, writer: Writer, book: Bookmaker, rpc: Rpc
) -> None:
    delivery = await writer.write(cycle(book.name, page_event(1, prefix=book.name), page_event(2, prefix=book.name)))

    assert delivery.arrived is Arrived.WRITTEN
    assert delivery.inserted == 6
    assert prices(fleet, book)["1", "draw"] == (3.2, False)
    assert sorted(history(fleet, book)) == sorted(
        [["home", "2.5000", "t"], ["draw", "3.2000", "t"], ["away", "2.9000", "t"]] * 2
    )
    (row,) = msgspec.convert(
        await rpc.select("scraper_status_view", {"scraper_name": f"eq.{book.name}"}), list[dict[str, object]]
    )
    assert (row["odds_collected"], row["odds_inserted"], row["cycle_count"], row["computed_status"]) == (6, 6, 1, "ok")


async def test_only_what_changed_is_recorded(fleet: Fleet, writer: Writer, book: Bookmaker) -> None:
    await writer.write(cycle(book.name, page_event(1, prefix=book.name)))
    unchanged = await writer.write(cycle(book.name, page_event(1, prefix=book.name)))
    changed = await writer.write(cycle(book.name, page_event(1, {**EVEN, "home": 2.6}, prefix=book.name)))

    assert (unchanged.inserted, changed.inserted) == (0, 1)
    assert prices(fleet, book)["1", "home"] == (2.6, False)
    assert history(fleet, book)[-1] == ["home", "2.6000", "f"]


async def test_sent_twice_written_once(fleet: Fleet, writer: Writer, book: Bookmaker) -> None:
    same = cycle(book.name, page_event(1, prefix=book.name))
    await writer.write(same)
    again = await writer.write(same)

    assert again.arrived is Arrived.WRITTEN
    assert len(history(fleet, book)) == 3
    assert fleet.value(f"select cycle_count from scraper_status where scraper_name = '{book.name}'") == "1"


async def test_what_the_book_takes_away_is_suspended_and_comes_back(
    fleet: Fleet, writer: Writer, book: Bookmaker
) -> None:
    both = page_event(1, prefix=book.name), page_event(2, prefix=book.name)
    await writer.write(cycle(book.name, *both))
    await writer.write(cycle(book.name, both[0]))
    assert prices(fleet, book)["2", "home"] == (2.5, True)
    assert prices(fleet, book)["1", "home"] == (2.5, False)

    back = await writer.write(cycle(book.name, *both))
    assert back.inserted == 3
    assert prices(fleet, book)["2", "home"] == (2.5, False)


@pytest.mark.parametrize("changes", [{"complete": False, "outcome": "unavailable"}, {"outcome": "empty"}])
async def test_an_incomplete_or_empty_answer_takes_nothing_away(
    fleet: Fleet, writer: Writer, book: Bookmaker, changes: dict[str, object]
) -> None:
    both = page_event(1, prefix=book.name), page_event(2, prefix=book.name)
    await writer.write(cycle(book.name, *both))
    await writer.write(cycle(book.name, *(both[:1] if changes["outcome"] != "empty" else ()), **changes))

    assert prices(fleet, book)["2", "home"] == (2.5, False)


async def test_an_incomplete_answer_takes_away_what_its_own_matches_no_longer_show(
    fleet: Fleet, writer: Writer, book: Bookmaker
) -> None:
    """The request for one market failed: its prices must not look as fresh as the match."""
    plain, early = (page_event(1, market=market, prefix=book.name) for market in MARKETS)
    await writer.write(cycle(book.name, msgspec.structs.replace(plain, markets=plain.markets + early.markets)))
    await writer.write(cycle(book.name, plain, complete=False, outcome="blocked"))

    rows = fleet.sql(
        "select distinct o.market, o.suspended from odds o join bookmakers b on b.id = o.bookmaker_id"
        f" where b.key = '{book.name}' order by o.market"
    )
    assert rows == [["h2h", "f"], ["h2h_2up", "t"]]


async def test_an_error_keeps_the_data_and_says_why(fleet: Fleet, writer: Writer, book: Bookmaker) -> None:
    await writer.write(cycle(book.name, page_event(1, prefix=book.name)))
    await writer.write(cycle(book.name, outcome="blocked", error="host answers 403"))

    row = fleet.sql(
        "select outcome, last_error, status, odds_collected, failures_in_a_row, last_success < last_heartbeat"
        f" from scraper_status where scraper_name = '{book.name}'"
    )
    assert row == [["blocked", "host answers 403", "error", "0", "1", "t"]]
    assert len(prices(fleet, book)) == 3


async def test_a_refused_cycle_leaves_no_trace_but_a_dead_letter(fleet: Fleet, writer: Writer, book: Bookmaker) -> None:
    good = cycle(book.name, page_event(1, prefix=book.name), page_event(2, prefix=book.name))
    spoiled = msgspec.structs.replace(good.events[1].odds[0], price=-3.0)
    bad = msgspec.structs.replace(
        good, events=(good.events[0], msgspec.structs.replace(good.events[1], odds=(spoiled,)))
    )

    delivery = await writer.write(bad)

    assert delivery.arrived is Arrived.REFUSED
    assert prices(fleet, book) == {}
    assert fleet.value(f"select count(*) from match_sources where scraper_name = '{book.name}'") == "0"
    reason, kept = fleet.sql(
        f"select reason, payload ->> 'cycle_id' from dead_letters where scraper_name = '{book.name}'"
    )[0]
    assert "odds_price_check" in reason
    assert kept == bad.cycle_id
    assert (await writer.write(good)).arrived is Arrived.WRITTEN


async def test_a_cycle_older_than_what_is_written_is_kept_apart(fleet: Fleet, writer: Writer, book: Bookmaker) -> None:
    before = datetime.now(UTC) - timedelta(minutes=5)
    await writer.write(cycle(book.name, page_event(1, prefix=book.name)))
    late = cycle(book.name, page_event(1, {**EVEN, "home": 9.9}, prefix=book.name), finished_at=before)

    assert (await writer.write(late)).arrived is Arrived.REFUSED
    assert prices(fleet, book)["1", "home"] == (2.5, False)
    assert fleet.value(f"select count(*) from dead_letters where cycle_id = '{late.cycle_id}'") == "1"


async def test_a_wrong_clock_does_not_make_data_younger(
    fleet: Fleet, rpc: Rpc, writer: Writer, book: Bookmaker
) -> None:
    """A container one hour ahead: the database goes by the distance between two of its times."""
    ahead = datetime.now(UTC) + timedelta(hours=1)
    collected = cycle(book.name, page_event(1, prefix=book.name), finished_at=ahead - timedelta(seconds=20))
    placed = msgspec.to_builtins(read_at(collected, ahead - timedelta(seconds=50)))
    for event in placed["events"]:
        event |= {"known": False, "match_id": None, "swapped": False}
    newest = int(fleet.value("select coalesce(max(id), 0) from matches"))
    await rpc.call(
        "ingest_cycle",
        {"p_epoch": writer.epoch, "p_sent_at": ahead, "p_names_seen": newest, "p_cycle": placed},
    )

    age = fleet.value(
        f"select extract(epoch from now() - last_heartbeat) from scraper_status where scraper_name = '{book.name}'"
    )
    assert 20 <= float(age) < 45
    assert 50 <= (datetime.now(UTC) - times(fleet, book)["1"]).total_seconds() < 75


def read_at(collected: Cycle, *moments: datetime | None) -> Cycle:
    """With each event's answer read at a moment of its own."""
    events = zip(collected.events, moments, strict=True)
    stamped = tuple(msgspec.structs.replace(event, fetched_at=moment) for event, moment in events)
    return msgspec.structs.replace(collected, events=stamped)


def times(fleet: Fleet, book: Bookmaker) -> dict[str, datetime]:
    rows = fleet.sql(
        "select s.external_id, to_json(s.fetched_at) #>> '{}' from match_sources s"
        f" join bookmakers b on b.id = s.bookmaker_id where b.key = '{book.name}'"
    )
    return {event: datetime.fromisoformat(moment) for event, moment in rows}


async def test_prices_are_as_old_as_the_answer_they_were_read_in(
    fleet: Fleet, rpc: Rpc, writer: Writer, book: Bookmaker, tmp_path: Path
) -> None:
    """A cycle may take two minutes: its end says nothing of what was read first."""
    now = datetime.now(UTC)
    first, last = now - timedelta(seconds=100), now - timedelta(seconds=5)
    events = [page_event(number, prefix=book.name) for number in (1, 2, 3, 4)]
    for moved in (timedelta(), timedelta(seconds=1)):  # new matches, then known ones
        collected = cycle(book.name, *events)
        end = collected.finished_at
        await writer.write(read_at(collected, first + moved, last + moved, end + timedelta(hours=1), None))
        assert times(fleet, book) == {"1": first + moved, "2": last + moved, "3": end, "4": end}
        assert (
            fleet.value(
                f"select last_success = '{end.isoformat()}' from scraper_status where scraper_name = '{book.name}'"
            )
            == "t"
        )

    other = replace(book, name=f"{book.name}x")  # to whom the matches are known, but not yet as its own
    also = Writer(rpc, Spool(tmp_path, other.name, 10), other, holder="first", interval=30)
    await also.write(read_at(cycle(other.name, events[0]), first))
    assert times(fleet, other) == {"1": first}


async def test_a_price_moved_when_its_answer_was_read(fleet: Fleet, writer: Writer, book: Bookmaker) -> None:
    now = datetime.now(UTC)
    for price, ago in ((2.5, 60), (2.6, 30), (2.6, 5)):
        collected = cycle(book.name, page_event(1, {**EVEN, "home": price}, prefix=book.name))
        await writer.write(read_at(collected, now - timedelta(seconds=ago)))
    ages = f"round(extract(epoch from '{now.isoformat()}' - changed_at))"
    of_book = f"bookmaker_id = (select id from bookmakers where key = '{book.name}') and outcome = 'home'"
    assert fleet.sql(f"select price, {ages} from odds where {of_book}") == [["2.6000", "30"]]
    assert fleet.sql(f"select price, {ages} from odds_history where {of_book} order by id") == [
        ["2.5000", "60"], ["2.6000", "30"],
    ]  # fmt: skip


async def test_the_age_of_a_match_never_grows_by_an_older_answer(fleet: Fleet, writer: Writer, book: Bookmaker) -> None:
    """Two clocks may differ by some seconds: a cycle that seems a little older than the last one is taken."""
    now = datetime.now(UTC)
    await writer.write(read_at(cycle(book.name, page_event(1, prefix=book.name)), now))
    slightly_late = cycle(book.name, page_event(1, prefix=book.name), finished_at=now - timedelta(seconds=10))
    delivery = await writer.write(read_at(slightly_late, now - timedelta(seconds=90)))

    assert delivery.arrived is Arrived.WRITTEN
    assert times(fleet, book) == {"1": now}


@pytest.mark.parametrize("later", ["1", "2"])
async def test_of_a_match_listed_twice_the_event_read_last_speaks(
    fleet: Fleet, writer: Writer, book: Bookmaker, later: str
) -> None:
    now, home, away = datetime.now(UTC), made_up_name(f"{book.name} home"), made_up_name(f"{book.name} away")
    twins = [page_event(number, {**EVEN, "home": 2.0 + number / 10}, home=home, away=away) for number in (1, 2)]
    moments = [now - timedelta(seconds=5 if str(number) == later else 20) for number in (1, 2)]
    await writer.write(read_at(cycle(book.name, *twins), *moments))

    rows = fleet.sql(
        f"select external_id, price from current_odds where bookmaker = '{book.name}' and outcome = 'home'"
    )
    assert rows == [[later, f"2.{later}000"]]


async def test_a_kick_off_that_moves_moves_the_match(fleet: Fleet, writer: Writer, book: Bookmaker) -> None:
    later = TOMORROW + timedelta(days=1, hours=2)
    home = made_up_name(f"{book.name} home 1")
    await writer.write(cycle(book.name, page_event(1, prefix=book.name)))
    await writer.write(cycle(book.name, page_event(1, prefix=book.name, starts_at=later)))

    rows = fleet.sql(
        "select m.commence_time = "
        f"'{later.isoformat()}' from matches m join match_sources s on s.match_id = m.id"
        f" where s.scraper_name = '{book.name}'"
    )
    assert rows == [["t"]]
    assert (
        fleet.value(f"select count(*) from teams t join matches m on m.home_team_id = t.id where t.name = '{home}'")
        == "1"
    )


async def test_a_kick_off_long_ago_does_not_move_the_match(fleet: Fleet, writer: Writer, book: Bookmaker) -> None:
    await writer.write(cycle(book.name, page_event(1, prefix=book.name)))
    await writer.write(cycle(book.name, page_event(1, prefix=book.name, starts_at=datetime(1970, 1, 1, tzinfo=UTC))))

    rows = fleet.sql(
        f"select m.commence_time = '{TOMORROW.isoformat()}' from matches m join match_sources s on s.match_id = m.id"
        f" where s.scraper_name = '{book.name}'"
    )
    assert rows == [["t"]]


async def test_a_fault_of_ours_costs_one_cycle(fleet: Fleet, writer: Writer, book: Bookmaker) -> None:
    """A kick-off that no window fits around. Readers leave it out; a cycle that waited for years may hold it."""
    good = page_event(1, prefix=book.name)
    await writer.write(cycle(book.name, good))
    absurd = cycle(book.name, good, page_event(2, prefix=book.name, starts_at=datetime.min.replace(tzinfo=UTC)))

    assert (await writer.write(absurd)).arrived is Arrived.REFUSED
    reason = fleet.value(f"select reason from dead_letters where cycle_id = '{absurd.cycle_id}'")
    assert reason.startswith("OverflowError: ")
    assert (await writer.write(cycle(book.name, good))).arrived is Arrived.WRITTEN


async def test_hostile_names_stay_text(fleet: Fleet, writer: Writer, book: Bookmaker) -> None:
    nasty = f"{book.name}'; drop table odds; -- <script>alert(1)</script>"
    await writer.write(cycle(book.name, page_event(1, home=nasty, away=f'{book.name} %s {{}} \\ "')))

    names = fleet.sql(
        "select h.name, a.name from matches m join teams h on h.id = home_team_id join teams a on a.id = away_team_id"
        f" join match_sources s on s.match_id = m.id where s.scraper_name = '{book.name}'"
    )
    assert names == [[nasty, f'{book.name} %s {{}} \\ "']]


async def test_an_older_epoch_is_refused(fleet: Fleet, rpc: Rpc, writer: Writer, book: Bookmaker) -> None:
    newer = Writer(rpc, writer._spool, book, holder="second", interval=30)
    await newer.take_lease()

    with pytest.raises(Fenced, match="second took over"):
        await writer.write(cycle(book.name, page_event(1, prefix=book.name)))
    assert prices(fleet, book) == {}
    assert (await newer.write(cycle(book.name, page_event(1, prefix=book.name)))).arrived is Arrived.WRITTEN


async def test_a_database_that_forgot_us_is_asked_again(fleet: Fleet, writer: Writer, book: Bookmaker) -> None:
    fleet.sql(f"delete from scraper_leases where scraper_name = '{book.name}'")

    assert (await writer.write(cycle(book.name, page_event(1, prefix=book.name)))).arrived is Arrived.WRITTEN
