"""Status by the age of good data, in proportion to the scraper's own interval."""

from dataclasses import replace
from pathlib import Path

import pytest

from scrapers.catalog import Bookmaker
from store.__main__ import wait
from store.beats import beat
from store.rpc import Rpc
from store.spool import Spool
from store.status import read_status
from store.writer import Writer
from tests.cycles import cycle, page_event
from tests.fleet import Fleet

pytestmark = pytest.mark.docker


async def status_of(rpc: Rpc, book: Bookmaker) -> str:
    return next(row.computed_status for row in await read_status(rpc) if row.scraper_name == book.name)


@pytest.mark.parametrize(
    ("interval", "age", "expected"),
    [
        (30, 55, "ok"), (30, 65, "warning"), (30, 175, "warning"), (30, 185, "error"),
        (360, 700, "ok"), (360, 730, "warning"), (360, 2200, "error"),
    ],
)  # fmt: skip
async def test_thresholds_scale(
    fleet: Fleet, rpc: Rpc, writer: Writer, book: Bookmaker, interval: int, age: int, expected: str
) -> None:
    await writer.write(cycle(book.name, page_event(1, prefix=book.name), expected_interval=float(interval)))
    fleet.sql(
        f"update scraper_status set last_success = now() - interval '{age} seconds' where scraper_name = '{book.name}'"
    )
    assert await status_of(rpc, book) == expected


async def test_a_fleet_is_up_when_some_bring_odds_and_the_others_are_named(
    fleet: Fleet, rpc: Rpc, writer: Writer, book: Bookmaker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await writer.write(cycle(book.name, page_event(1, prefix=book.name)))
    other = replace(book, name=f"{book.name}x")
    blocked = Writer(rpc, Spool(tmp_path, other.name, 10), other, holder="first", interval=30)
    await blocked.take_lease()
    await blocked.write(cycle(other.name, outcome="blocked", error="403"))
    assert await wait(fleet.store_settings, {book.name, other.name}, 0.1) == 0
    assert f"Without odds so far: {other.name}." in capsys.readouterr().out
    assert await wait(fleet.store_settings, {other.name}, 0.1) == 1
    fleet.sql(f"insert into scraper_control (unit, desired) values ('{other.name}', 'paused')")
    assert await wait(fleet.store_settings, {book.name, other.name}, 60) == 0
    assert "Without odds" not in capsys.readouterr().out


async def test_before_the_first_cycle_it_is_unknown(rpc: Rpc, writer: Writer, book: Bookmaker) -> None:
    (row,) = [row for row in await read_status(rpc) if row.scraper_name == book.name]
    assert (row.computed_status, row.seconds_since_success, row.odds_collected) == ("unknown", None, None)


async def test_a_scraper_reads_a_bookmaker_and_a_service_none(rpc: Rpc, writer: Writer, book: Bookmaker) -> None:
    """By this `make status` knows who is restarted."""
    service = f"{book.name}-service"
    await beat(rpc, service, 300)
    books = {row.scraper_name: row.bookmaker_id for row in await read_status(rpc)}
    assert books[book.name] is not None
    assert books[service] is None


async def test_heartbeats_without_odds_do_not_keep_it_green(
    fleet: Fleet, rpc: Rpc, writer: Writer, book: Bookmaker
) -> None:
    await writer.write(cycle(book.name, page_event(1, prefix=book.name)))
    fleet.sql(f"update scraper_status set last_success = now() - interval '1 hour' where scraper_name = '{book.name}'")
    await writer.write(cycle(book.name, outcome="empty"))
    assert await status_of(rpc, book) == "error"
