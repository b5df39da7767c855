"""One browser starts at a time on a machine: in one process or in several."""

import asyncio
import sys
from pathlib import Path

from scrapers import catalog
from scrapers.turns import browser_turn
from tests.conftest import ROOT

HOLD = """
import asyncio, sys
from pathlib import Path
from scrapers.turns import holding

async def main():
    async with holding(Path(sys.argv[1])):
        print("held", flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


async def test_the_second_waits_until_the_first_has_begun(tmp_path: Path) -> None:
    first, second = (browser_turn(catalog.get(name), tmp_path) for name in ("betano", "stake"))
    order = []

    async def begin_second() -> None:
        async with second:
            order.append("second")

    async with first:
        waiting = asyncio.create_task(begin_second())
        await asyncio.sleep(0)
        order.append("first")
        assert not waiting.done()
    await waiting
    assert order == ["first", "second"]


async def test_only_the_first_cycle_waits(tmp_path: Path) -> None:
    turn, other = (browser_turn(catalog.get(name), tmp_path) for name in ("betano", "stake"))
    async with turn:
        pass
    async with other, asyncio.timeout(30), turn:
        pass


async def test_a_light_scraper_waits_for_nobody(tmp_path: Path) -> None:
    heavy, light = (browser_turn(catalog.get(name), tmp_path) for name in ("betano", "kto"))
    async with heavy, asyncio.timeout(30), light:
        pass


async def test_a_killed_process_lets_go(tmp_path: Path) -> None:
    lock = tmp_path / "browser-start.lock"
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLD, str(lock), cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    assert holder.stdout
    assert await holder.stdout.readline() == b"held\n"
    holder.kill()
    await holder.wait()
    async with asyncio.timeout(30), browser_turn(catalog.get("betano"), tmp_path):
        pass


async def test_no_place_for_the_lock_is_no_reason_not_to_start(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    async with browser_turn(catalog.get("betano"), tmp_path / "file" / "below"):
        pass
