"""What was read last is kept, read once for all who ask, and its absence is known."""

import asyncio

from dashboard.source import Kept, keep
from store.rpc import StoreDown


class Well:
    """Something to read from: counts, fails and waits as told."""

    def __init__(self) -> None:
        self.reads = 0
        self.fails = ""
        self.open = asyncio.Event()
        self.open.set()

    async def read(self) -> int:
        self.reads += 1
        await self.open.wait()
        if self.fails:
            raise StoreDown(self.fails)
        return self.reads


async def test_many_who_ask_at_once_are_one_reading() -> None:
    well = Well()
    kept = Kept(well.read)
    assert await asyncio.gather(*(kept.get(60) for _ in range(20))) == [1] * 20
    assert await kept.get(60) == 1
    assert await kept.get(0) == 2


async def test_what_was_known_stays_while_the_store_is_away() -> None:
    well = Well()
    kept = Kept(well.read)
    await kept.get(0)
    well.fails = "gone"
    assert await kept.get(0) == 1
    assert kept.away == "gone"
    well.fails = ""
    assert await kept.get(0) == 3
    assert kept.away == ""


async def test_nobody_waits_long_for_news_when_there_is_something_to_show() -> None:
    well = Well()
    kept = Kept(well.read)
    await kept.get(0)
    well.open.clear()
    assert await kept.get(0) == 1  # the reading goes on
    well.open.set()
    assert await kept.get(60) == 2


async def test_after_nobody_has_looked_for_long_what_is_shown_is_read_anew() -> None:
    well, now = Well(), [1000.0]
    kept = Kept(well.read, lambda: now[0])
    await kept.get(0)
    well.open.clear()
    assert await kept.get(0, news=0) == 1
    now[0] += 60
    shown = asyncio.create_task(kept.get(0, news=0))
    for _ in range(10):
        await asyncio.sleep(0)
    assert not shown.done()
    well.open.set()
    assert await shown == 2


async def test_a_decision_is_not_made_by_what_was_being_read_before() -> None:
    well = Well()
    kept = Kept(well.read)
    well.open.clear()
    before, decision = asyncio.create_task(kept.get(60)), asyncio.create_task(kept.anew(60))
    await asyncio.sleep(0)
    well.open.set()
    assert (await before, await decision) == (1, 2)


async def test_nobody_waits_for_what_is_known_to_be_away() -> None:
    well, now = Well(), [1000.0]
    kept = Kept(well.read, lambda: now[0])
    await kept.get(0)
    well.fails = "gone"
    await kept.get(0)
    now[0] += 60
    well.open.clear()
    assert await kept.get(0, news=0) == 1
    well.open.set()


def test_of_too_many_the_oldest_is_forgotten() -> None:
    known: dict[int, Kept[int]] = {}
    for number in range(200):
        keep(known, number % 150, lambda: Kept(Well().read))
    assert len(known) == 60
    assert 149 in known
    assert 0 in known  # asked for again, lately
