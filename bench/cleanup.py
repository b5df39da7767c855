"""cleanup-service on 2 million rows of old history while nineteen scrapers write: `python -m bench.cleanup`.

The service is the real one, in its container with its limit; the scrapers are nineteen writers, each with a lease and a
spool of its own, that send a cycle of 60 matches with moved prices every two seconds.
"""

import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from bench import Goal, report
from bench.export import peak_megabytes
from scrapers import catalog
from scrapers.catalog import Bookmaker
from store.rpc import Rpc
from store.spool import Spool
from store.writer import Arrived, Writer
from tests.cycles import EVEN, cycle, page_event
from tests.fleet import Fleet, make_secrets

ROWS = 2_000_000
MATCHES = 60
PAUSE = 2.0  # seconds between two cycles of one scraper
CALM = 30.0  # seconds of writing before the clean-up begins, for comparison
PATIENCE = 1200.0

# Rows stand in the order of their time: the opening prices, which stay with their matches, and then what changed.
OLD_HISTORY = f"""
update odds_history set changed_at = now() - interval '21 days' where is_opening;
insert into odds_history (match_id, bookmaker_id, market, outcome, price, is_opening, changed_at, cycle_id)
select m.id, b.id, 'h2h', 'home', 1.5 + n % 100 / 50.0, false, now() - interval '20 days' + n * interval '100 ms',
    gen_random_uuid()
from generate_series(1, {ROWS}) n
join lateral (select id from matches order by id offset n % {MATCHES} limit 1) m on true
join lateral (select id from bookmakers order by id limit 1) b on true;
"""


@dataclass
class Seen:
    waits: list[float] = field(default_factory=list)
    refused: int = 0


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(f"oddsfleet-bench-cleanup-{os.getpid()}", make_secrets(Path(folder)))
        try:
            fleet.start("supabase")
            fleet.wait_for_supabase()
            return asyncio.run(measure(fleet, Path(folder)))
        finally:
            fleet.remove()


async def measure(fleet: Fleet, folder: Path) -> int:
    calm, busy, stop = Seen(), Seen(), asyncio.Event()
    async with Rpc(fleet.store_settings) as rpc:
        writers = [await open_writer(rpc, book, folder) for book in catalog.BOOKMAKERS]
        for book, writer in zip(catalog.BOOKMAKERS, writers, strict=True):
            await write(book, writer, 1, Seen())
        print(f"writing {ROWS:,} rows of old history ...", flush=True)
        await asyncio.to_thread(fleet.compose, "exec", "-T", "db", "psql", "-Xqc", OLD_HISTORY, timeout=PATIENCE)
        await asyncio.to_thread(fleet.sql, "vacuum analyze odds_history")
        now = {"seen": calm}
        scraping = [
            asyncio.create_task(keep_writing(book, writer, now, stop))
            for book, writer in zip(catalog.BOOKMAKERS, writers, strict=True)
        ]
        print(f"nineteen scrapers write for {CALM:g} s before the clean-up ...", flush=True)
        await asyncio.sleep(CALM)
        now["seen"] = busy
        started = time.monotonic()
        await asyncio.to_thread(fleet.start, "cleanup-service")
        await until_clean(fleet, started)
        took = time.monotonic() - started
        memory = await asyncio.to_thread(peak_megabytes, fleet, "cleanup-service")
        stop.set()
        await asyncio.gather(*scraping)
    killed = fleet.inspect("cleanup-service", "{{.State.OOMKilled}} {{.RestartCount}}")
    return judge(calm, busy, took, memory, killed)


async def open_writer(rpc: Rpc, book: Bookmaker, folder: Path) -> Writer:
    writer = Writer(rpc, Spool(folder / book.name, book.name, 10), book, holder="bench", interval=PAUSE)
    await writer.take_lease()
    return writer


async def keep_writing(book: Bookmaker, writer: Writer, now: dict[str, Seen], stop: asyncio.Event) -> None:
    number = 1
    while not stop.is_set():
        number += 1
        await write(book, writer, number, now["seen"])
        await asyncio.sleep(PAUSE * random.uniform(0.5, 1.5))


async def write(book: Bookmaker, writer: Writer, number: int, seen: Seen) -> None:
    events = [
        page_event(
            match,
            {outcome: price + random.randrange(40) / 100 for outcome, price in EVEN.items()},
            prefix="bench",
        )
        for match in range(MATCHES)
    ]
    made = cycle(book.name, *events, epoch=writer.epoch, number=number)
    started = time.perf_counter()
    delivery = await writer.write(made)
    seen.waits.append(time.perf_counter() - started)
    seen.refused += delivery.arrived is not Arrived.WRITTEN


async def until_clean(fleet: Fleet, started: float) -> None:
    old = "select count(*) from odds_history where changed_at < now() - interval '14 days' and not is_opening"
    while left := int(await asyncio.to_thread(fleet.value, old)):
        print(f"{time.monotonic() - started:5.0f} s  {left:9,} old rows left", flush=True)
        if time.monotonic() - started > PATIENCE:
            raise SystemExit(f"not clean after {PATIENCE:g} s:\n{fleet.logs('cleanup-service')}")
        await asyncio.sleep(5)


def judge(calm: Seen, busy: Seen, took: float, memory: float, killed: str) -> int:
    worst, usual = max(busy.waits), statistics.median(busy.waits)
    print(
        f"{ROWS:,} rows in {took:.0f} s; {len(busy.waits)} cycles of {MATCHES} matches were written meanwhile;"
        f" median {usual:.3f} s, without clean-up {statistics.median(calm.waits):.3f} s (worst {max(calm.waits):.3f} s)"
    )
    return report(
        "cleanup-service",
        [
            Goal("longest ingest during the clean-up", f"{worst:.2f} s", "< 1 s", worst < 1),
            Goal("cycles that did not arrive", str(calm.refused + busy.refused), "0", not calm.refused + busy.refused),
            Goal("peak memory", f"{memory:.0f} MB", "< 50 MB", memory < 50),
            Goal("killed for memory, restarts", killed, "false 0", killed == "false 0"),
        ],
        Console(width=120),
    )


if __name__ == "__main__":
    sys.exit(main())
