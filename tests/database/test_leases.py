"""One writer per scraper."""

from pathlib import Path

import pytest

from scrapers.catalog import Bookmaker
from store.rpc import Rpc
from store.spool import Spool
from store.writer import Fenced, Writer
from tests.cycles import cycle, page_event
from tests.fleet import Fleet

pytestmark = pytest.mark.docker


@pytest.fixture
def second(rpc: Rpc, book: Bookmaker, tmp_path: Path) -> Writer:
    return Writer(rpc, Spool(tmp_path / "second", book.name, 10), book, holder="second", interval=30)


async def test_epochs_grow(writer: Writer, second: Writer) -> None:
    first_epoch = writer.epoch
    await second.take_lease()
    assert second.epoch > first_epoch


async def test_a_restart_of_the_same_holder_waits_for_nobody(writer: Writer) -> None:
    before = writer.epoch
    await writer.take_lease()
    assert writer.epoch > before


async def test_who_was_replaced_may_not_take_it_back_from_one_that_lives(writer: Writer, second: Writer) -> None:
    await second.take_lease()
    with pytest.raises(Fenced, match="second took over"):
        await writer.take_lease()


async def test_who_was_replaced_may_follow_when_the_other_lets_go(writer: Writer, second: Writer) -> None:
    await second.take_lease()
    await second.release_lease()
    await writer.take_lease()
    assert writer.epoch > second.epoch


async def test_who_was_replaced_may_follow_when_the_other_falls_silent(
    fleet: Fleet, writer: Writer, second: Writer, book: Bookmaker
) -> None:
    await second.take_lease()
    fleet.sql(f"update scraper_leases set renewed_at = now() - interval '1 hour' where scraper_name = '{book.name}'")
    await writer.take_lease()
    assert writer.epoch > second.epoch


async def test_a_slow_holder_counts_as_alive_by_its_own_interval(
    fleet: Fleet, writer: Writer, second: Writer, book: Bookmaker
) -> None:
    await second.take_lease()
    await second.write(cycle(book.name, page_event(1, prefix=book.name), expected_interval=360.0))
    fleet.sql(f"update scraper_leases set renewed_at = now() - interval '6 minutes' where scraper_name = '{book.name}'")
    with pytest.raises(Fenced, match="second took over"):
        await writer.take_lease()


async def test_the_last_ten_that_were_replaced_are_remembered(
    fleet: Fleet, rpc: Rpc, book: Bookmaker, tmp_path: Path
) -> None:
    for number in range(13):
        await Writer(rpc, Spool(tmp_path, book.name, 10), book, holder=f"h{number}", interval=30).take_lease()
    superseded = fleet.value(f"select superseded from scraper_leases where scraper_name = '{book.name}'")
    assert superseded == "{h2,h3,h4,h5,h6,h7,h8,h9,h10,h11}"


async def test_only_the_holder_can_release(fleet: Fleet, writer: Writer, second: Writer, book: Bookmaker) -> None:
    await second.take_lease()
    await writer.release_lease()
    released = fleet.value(f"select released_at is not null from scraper_leases where scraper_name = '{book.name}'")
    assert released == "f"
