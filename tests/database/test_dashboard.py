"""What the status page reads, on the real database."""

import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from scrapers.catalog import Bookmaker
from store.dashboard import DashboardStore, Row
from store.export import ExportStore
from store.rpc import Rpc
from store.watchdog import WatchdogStore
from store.writer import Writer
from tests.cycles import cycle, page_event
from tests.fleet import Fleet
from watchdog.model import Decision, Memory, Opened
from watchdog.policy import Policy

pytestmark = pytest.mark.docker


@pytest.fixture
async def store(rpc: Rpc) -> AsyncIterator[DashboardStore]:
    store = DashboardStore(rpc)
    yield store
    await store.close()


@pytest.fixture
async def watchdog(fleet: Fleet, rpc: Rpc) -> WatchdogStore:
    fleet.sql("truncate watchdog_heartbeat, incidents, restart_events, scraper_control")
    watchdog = WatchdogStore(rpc, holder="first")
    await watchdog.observe(Policy(), shadow=False)
    return watchdog


async def own_row(store: DashboardStore, book: Bookmaker) -> Row:
    (row,) = [row for row in (await store.state()).rows if row.name == book.name]
    return row


async def test_a_cycle_is_on_the_page(store: DashboardStore, writer: Writer, book: Bookmaker) -> None:
    before = await store.state()
    await writer.write(cycle(book.name, *(page_event(number, prefix=book.name) for number in range(3))))
    state = await store.state()
    row = await own_row(store, book)
    assert (row.status, row.kind, row.collected, row.inserted, row.cycles) == ("ok", "scraper", 9, 9, 1)
    assert row.title == "Superbet"
    assert row.heartbeat_at == pytest.approx(state.now, abs=30)
    assert [point.odds for point in row.spark] == [9]
    assert state.odds_last_minute >= before.odds_last_minute + 9


async def test_the_last_hour_is_a_point_a_minute(
    fleet: Fleet, store: DashboardStore, writer: Writer, book: Bookmaker
) -> None:
    await writer.write(cycle(book.name, page_event(1, prefix=book.name)))
    fleet.sql(
        "insert into scraper_cycles (cycle_id, scraper_name, epoch, number, started_at, finished_at, outcome,"
        " collected, inserted, duration_ms)"
        f" select gen_random_uuid(), '{book.name}', 0, i, at, at, 'ok', case when i % 2 = 0 then 10 else 30 end, 0, 1"
        " from (select i, date_trunc('minute', now()) - (i / 2) * interval '1 minute' - (i % 2) * interval '5 seconds'"
        "       + interval '30 seconds' as at from generate_series(10, 199) i) x"
    )
    row = await own_row(store, book)
    assert {point.odds for point in row.spark if 5 <= point.minutes_ago < 60} == {20}
    assert len(row.spark) == len({point.minutes_ago for point in row.spark})
    assert max(point.minutes_ago for point in row.spark) <= 60
    detail = await store.scraper(book.name, book.name)
    assert detail
    assert len(detail.cycles) == 191
    assert list(detail.cycles) == sorted(detail.cycles, key=lambda point: point.finished_at)


async def test_incidents_restarts_and_wishes(
    store: DashboardStore, watchdog: WatchdogStore, writer: Writer, book: Bookmaker
) -> None:
    await writer.write(cycle(book.name, page_event(1, prefix=book.name)))
    hang = Opened(subject=book.name, cause="hang", detail="quiet", budget="1/5", restarts=1, evidence={"log": ["a"]})
    await watchdog.record(Decision(memory=Memory(), opened=(hang,)))
    await watchdog.wish(book.name, "run", restart=True, by="dashboard")
    state = await store.state()
    assert state.watchdog
    assert state.watchdog.beat_at == pytest.approx(state.now, abs=30)
    assert [(one.subject, one.cause) for one in state.incidents] == [(book.name, "hang")]
    row = await own_row(store, book)
    assert (row.cause, row.restarts_used, row.restart_budget, row.desired) == ("hang", 0, 5, "run")
    detail = await store.scraper(book.name, book.name)
    assert detail
    assert detail.incidents[0].evidence == {"log": ["a"]}
    assert [(event.made_by, event.note, event.charged) for event in detail.restarts] == [
        ("operator", "dashboard", False)
    ]
    (listed,) = [one for one in await store.incidents() if one.subject == book.name]
    assert listed.closed_at is None
    assert listed.timeline[0]["cause"] == "hang"


async def test_surebets_with_the_age_of_every_leg(
    fleet: Fleet, rpc: Rpc, store: DashboardStore, writer: Writer, book: Bookmaker
) -> None:
    soon = datetime.now(UTC) + timedelta(hours=1)  # the list has only the next few
    await writer.write(cycle(book.name, page_event(1, prefix=book.name, starts_at=soon)))
    match, key = fleet.sql(
        "select s.match_id, b.key from match_sources s join bookmakers b on b.id = s.bookmaker_id"
        f" where s.scraper_name = '{book.name}'"
    )[0]
    leg = {"outcome": "home", "market": "h2h", "bookmaker": key, "price": 2.5, "stake": 40.0, "payout": 100.0}
    unknown = {**leg, "outcome": "away", "bookmaker": "gone"}
    bet = {
        "match_id": int(match), "key": f"k{uuid.uuid4().hex[:8]}", "home": "<b>", "away": "B", "league": "soccer_epl",
        "commence_time": datetime.now(UTC) + timedelta(days=1), "legs": [leg, unknown], "implied_sum": 0.98,
        "profit_percent": 2.04, "suspicious": False,
    }  # fmt: skip
    export = ExportStore(rpc, 15.0, 60.0)
    await export.record_surebets([bet])
    found = await store.surebets()
    (shown,) = [one for one in found.open if one.match_id == int(match)]
    assert (shown.home, shown.profit) == ("<b>", 2.04)
    now = (await store.state()).now
    assert [one.seen_at is not None and now - one.seen_at < 60 for one in shown.legs] == [True, False]
    assert (await store.state()).surebets == 1
    await export.record_surebets([])
    found = await store.surebets()
    assert found.open == ()
    assert found.ended[0].match_id == int(match)
    assert int(match) in [one.match_id for one in found.matches]


async def test_the_line_of_a_match(fleet: Fleet, store: DashboardStore, writer: Writer, book: Bookmaker) -> None:
    await writer.write(cycle(book.name, page_event(1, prefix=book.name)))
    await writer.write(
        cycle(book.name, page_event(1, {"home": 2.4, "draw": 3.2, "away": 2.9}, prefix=book.name), number=2)
    )
    match = int(fleet.value(f"select match_id from match_sources where scraper_name = '{book.name}'"))
    detail = await store.match(match)
    assert detail
    (home,) = [line for line in detail.lines if line.outcome == "home"]
    assert [move.price for move in home.prices] == [2.5, 2.4]
    assert home.opening == 2.5
    assert await store.match(999_999_999) is None
    assert await store.scraper("nobody", "nobody") is None
