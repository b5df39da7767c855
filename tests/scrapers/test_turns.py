"""One browser starts at a time on a machine: in one process or in several."""

import asyncio
import signal
import sys
from pathlib import Path

from loguru import logger

from common.settings import ScraperSettings, Secret, StoreSettings
from scrapers import catalog
from scrapers.cycling import Scraper
from scrapers.runner import Ended, run_one
from scrapers.stopping import Stop
from scrapers.turns import browser_turn
from store.rpc import Rpc
from tests.conftest import ROOT

NEVER_STARTED = Path(sys.executable)
NOBODY = StoreSettings(supabase_url="http://127.0.0.1:9", supabase_key=Secret("none"))

HOLD = """
import asyncio, sys
from pathlib import Path
from scrapers.stopping import Stop
from scrapers.turns import holding

async def main():
    async with holding(Path(sys.argv[1]), Stop(30)):
        print("held", flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


async def test_the_second_waits_until_the_first_has_begun(tmp_path: Path) -> None:
    first, second = (browser_turn(catalog.get(name), tmp_path, Stop(30)) for name in ("betano", "stake"))
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
    turn, other = (browser_turn(catalog.get(name), tmp_path, Stop(30)) for name in ("betano", "stake"))
    async with turn:
        pass
    async with other, asyncio.timeout(30), turn:
        pass


async def test_a_light_scraper_waits_for_nobody(tmp_path: Path) -> None:
    heavy, light = (browser_turn(catalog.get(name), tmp_path, Stop(30)) for name in ("betano", "kto"))
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
    async with asyncio.timeout(30), browser_turn(catalog.get("betano"), tmp_path, Stop(30)):
        pass


async def test_no_place_for_the_lock_is_no_reason_not_to_start(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    async with browser_turn(catalog.get("betano"), tmp_path / "file" / "below", Stop(30)):
        pass


async def test_a_stop_ends_the_waiting_and_starts_no_cycle(tmp_path: Path) -> None:
    first, betano = browser_turn(catalog.get("stake"), tmp_path, Stop(30)), catalog.get("betano")
    settings, stop, started = (
        ScraperSettings(spool_dir=tmp_path, chromium_path=NEVER_STARTED),
        Stop(30),
        asyncio.Event(),
    )
    stop.listen()
    sink = logger.add(lambda _: started.set(), filter=lambda record: record["message"].startswith("started, every"))
    async with Rpc(NOBODY) as rpc, first, asyncio.timeout(30):
        running = asyncio.create_task(run_one(Scraper(betano, rpc, settings, 30), settings, stop))
        await started.wait()
        signal.raise_signal(signal.SIGTERM)
        assert await running is Ended.STOPPED
    logger.remove(sink)
    assert not (tmp_path / "betano.sqlite").exists()  # where a cycle would wait: nobody takes it
