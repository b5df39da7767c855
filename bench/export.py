"""json-generator with 100,000 odds over 20 books, on one core: `python -m bench.export`.

All that has a part in it, the database and the API too, shares that core.
"""

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from bench import Goal, report
from bench.filling import fill, move
from store.export import ExportStore
from store.rpc import Rpc
from tests.fleet import Fleet, docker, make_secrets

ROUNDS = 9
GOALS = {"seconds": 1.0, "megabytes": 100.0, "unchanged": 0.1}
PATIENCE = 120.0


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(f"oddsfleet-bench-export-{os.getpid()}", make_secrets(Path(folder)))
        try:
            fleet.start("supabase")
            fleet.wait_for_supabase()
            return measure(fleet, Console(width=120))
        finally:
            fleet.remove()


def measure(fleet: Fleet, console: Console) -> int:
    odds = fill(fleet)
    fleet.start("json-generator")
    await_files(fleet, 1)
    for service in ("db", "supabase", "json-generator"):
        docker("update", "--cpuset-cpus", "0", fleet.container(service))
    changed = []
    for number in range(ROUNDS):
        move(fleet)
        changed.append(await_files(fleet, number + 2))
    unchanged = asyncio.run(ask(fleet))
    published = fleet.sql("select odds_collected, extra_data ->> 'bytes' from scraper_status where kind = 'service'")[0]
    memory = peak_megabytes(fleet)
    median = statistics.median(changed)
    console.print(
        f"{odds} odds, {int(published[1]) / 1e6:.1f} MB of odds.json, load {os.getloadavg()[0]:.1f} on this machine"
    )
    return report(
        "json-generator",
        [
            Goal(
                f"generation and upload, median of {ROUNDS}",
                f"{median:.2f} s",
                f"< {GOALS['seconds']:g} s",
                median < GOALS["seconds"],
            ),
            Goal("the same, best and worst", f"{min(changed):.2f} s, {max(changed):.2f} s", "–", met=True),
            Goal("peak memory", f"{memory:.0f} MB", f"< {GOALS['megabytes']:g} MB", memory < GOALS["megabytes"]),
            Goal(
                "unchanged data: one call",
                f"{unchanged:.3f} s",
                f"< {GOALS['unchanged']:g} s",
                unchanged < GOALS["unchanged"],
            ),
            Goal("all of it published", published[0], str(odds), int(published[0]) == odds),
        ],
        console,
    )


def await_files(fleet: Fleet, count: int) -> float:
    """Seconds that the latest file took, once so many were published."""
    deadline = time.monotonic() + PATIENCE
    while True:
        logged = [
            json.loads(line[line.index("{") :]) for line in fleet.logs("json-generator").splitlines() if "{" in line
        ]
        files = [line["ms"] / 1000 for line in logged if "ms" in line]
        if len(files) >= count:
            return float(files[-1])
        if time.monotonic() > deadline:
            raise SystemExit(f"no file number {count}:\n{fleet.logs('json-generator')}")
        time.sleep(0.2)


async def ask(fleet: Fleet) -> float:
    """Seconds of the one question of a round in which nothing changed, heartbeat included."""
    async with Rpc(fleet.store_settings) as rpc:
        store = ExportStore(rpc, 1.0, 60.0)
        version = (await store.look("none", None)).version
        took = []
        for _ in range(20):
            started = time.perf_counter()
            assert not (await store.look(version, None)).changed
            took.append(time.perf_counter() - started)
    return min(took)


def peak_megabytes(fleet: Fleet, service: str = "json-generator") -> float:
    """The most that the process ever had in memory."""
    lines = docker("exec", fleet.container(service), "sh", "-c", "cat /proc/[0-9]*/status").splitlines()
    return max(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


if __name__ == "__main__":
    sys.exit(main())
