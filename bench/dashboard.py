"""The status page with 200 open at once, in its container: `python -m bench.dashboard`."""

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import httpx
from rich.console import Console

from bench import Goal, report
from bench.export import peak_megabytes
from tests.fleet import Fleet, docker, make_secrets

PAGES = 200
CHANGES = 20
SCRAPERS = 19
PATIENCE = 20.0
GOALS = {"idle": 45.0, "peak": 60.0, "median": 1.5, "p95": 2.5, "cpu": 10.0, "call": 20.0, "page": 0.1}

# A fleet as it is after a week: a cycle every half minute of every scraper.
A_WEEK = f"""
insert into bookmakers (key, name) select 'bench' || n, 'Bench ' || n from generate_series(1, {SCRAPERS}) n;
insert into scraper_status (scraper_name, bookmaker_id, last_heartbeat, last_success, odds_collected, odds_inserted,
    cycle_count, duration_ms, outcome, expected_interval)
select key, id, now(), now(), 200, 20, 20160, 900, 'ok', 3600 from bookmakers;
insert into scraper_cycles
select gen_random_uuid(), s.scraper_name, 1, i, now() - i * interval '30 s', now() - i * interval '30 s', now(), 'ok',
    null, 150 + (random() * 50)::int, 20, 900
from scraper_status s, generate_series(1, 20160) i;
insert into incidents (subject, cause, opened_at, closed_at)
select 'bench1', 'hang', now() - i * interval '5 min', now() - i * interval '4 min' from generate_series(1, 500) i;
analyze;
"""


class Changed:
    """When the value that is waited for was seen on each page."""

    def __init__(self) -> None:
        self._wanted = b""
        self._seen: list[float] = []
        self._everywhere = asyncio.Event()

    def wait_for(self, text: str) -> None:
        self._wanted, self._seen = text.encode(), []
        self._everywhere.clear()

    def look(self, line: bytes) -> None:
        if self._wanted and self._wanted in line:
            self._seen.append(time.time())
            if len(self._seen) == PAGES:
                self._everywhere.set()

    async def seen(self) -> list[float]:
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await self._everywhere.wait()
        return self._seen


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(f"oddsfleet-bench-dashboard-{os.getpid()}", make_secrets(Path(folder)))
        try:
            fleet.start("supabase", "docker-proxy", "dashboard")
            fleet.wait_for_supabase()
            fleet.sql(A_WEEK)
            return asyncio.run(measure(fleet, Console(width=120)))
        finally:
            fleet.remove()


async def measure(fleet: Fleet, console: Console) -> int:
    url = f"http://{fleet.host_port('dashboard', 8080)}"
    page = await best_load(url)
    idle = resident_megabytes(fleet)
    changed = Changed()
    readers = [asyncio.create_task(read(url, changed)) for _ in range(PAGES)]
    await await_readers(url, PAGES)
    cpu, started = cpu_seconds(fleet), time.monotonic()
    latencies: list[float] = []
    for number in range(CHANGES):
        latencies += await one_change(fleet, changed, 100_000 + number)
    cpu_share = 100 * (cpu_seconds(fleet) - cpu) / (time.monotonic() - started)
    peak = peak_megabytes(fleet, "dashboard")
    for reader in readers:
        reader.cancel()
    await asyncio.gather(*readers, return_exceptions=True)
    call = state_milliseconds(fleet)
    console.print(f"{len(latencies)} arrivals on {PAGES} pages, load {os.getloadavg()[0]:.1f} on this machine")
    everywhere = PAGES * CHANGES
    latencies.sort()
    median, p95 = statistics.median(latencies), latencies[int(len(latencies) * 0.95)]
    return report(
        "dashboard",
        [
            Goal("resident, no page open", f"{idle:.0f} MB", f"< {GOALS['idle']:g} MB", idle < GOALS["idle"]),
            Goal(f"peak resident, {PAGES} pages", f"{peak:.0f} MB", f"< {GOALS['peak']:g} MB", peak < GOALS["peak"]),
            Goal("database to page, median", f"{median:.2f} s", f"< {GOALS['median']:g} s", median < GOALS["median"]),
            Goal("database to page, p95", f"{p95:.2f} s", f"< {GOALS['p95']:g} s", p95 < GOALS["p95"]),
            Goal("every change on every page", str(len(latencies)), str(everywhere), len(latencies) == everywhere),
            Goal("CPU of one core", f"{cpu_share:.1f} %", f"< {GOALS['cpu']:g} %", cpu_share < GOALS["cpu"]),
            Goal("first page, best", f"{1000 * page:.0f} ms", f"< {1000 * GOALS['page']:g} ms", page < GOALS["page"]),
            Goal("the one call of a look", f"{call:.1f} ms", f"< {GOALS['call']:g} ms", call < GOALS["call"]),
        ],
        console,
    )  # fmt: skip


async def best_load(url: str) -> float:
    took = []
    async with httpx.AsyncClient(timeout=30) as client:
        for _ in range(10):
            started = time.perf_counter()
            (await client.get(url)).raise_for_status()
            took.append(time.perf_counter() - started)
    return min(took)


async def read(url: str, changed: Changed) -> None:
    """An open page, as far as the server can tell."""
    host, _, port = url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=2**20)
    try:
        writer.write(f"GET /events?topic=overview&lang=en&v=none HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        while line := await reader.readline():
            changed.look(line)
    finally:
        writer.close()


async def await_readers(url: str, count: int) -> None:
    async with httpx.AsyncClient(timeout=30) as client:
        for _ in range(100):
            if f"oddsfleet_dashboard_open_pages {count}.0" in (await client.get(f"{url}/metrics")).text:
                return
            await asyncio.sleep(0.2)
    raise SystemExit("the pages did not open")


async def one_change(fleet: Fleet, changed: Changed, value: int) -> list[float]:
    """Seconds from the commit to each page."""
    changed.wait_for(f"{value:,}")
    # At any moment between two looks.
    await asyncio.sleep(0.137 * (value % 7))
    query = (
        f"update scraper_status set odds_collected = {value}, last_heartbeat = now() where scraper_name = 'bench3'"
        " returning extract(epoch from clock_timestamp())"
    )
    at = float((await asyncio.to_thread(fleet.sql, query))[0][0])
    return [seen - at for seen in await changed.seen()]


def resident_megabytes(fleet: Fleet) -> float:
    lines = docker("exec", fleet.container("dashboard"), "sh", "-c", "cat /proc/[0-9]*/status").splitlines()
    return max(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def cpu_seconds(fleet: Fleet) -> float:
    """Of the container since its start, with either version of control groups."""
    both = "cat /sys/fs/cgroup/cpuacct/cpuacct.usage 2>/dev/null || grep usage_usec /sys/fs/cgroup/cpu.stat"
    text = docker("exec", fleet.container("dashboard"), "sh", "-c", both)
    return int(text.split()[1]) / 1e6 if "usage_usec" in text else int(text) / 1e9


def state_milliseconds(fleet: Fleet) -> float:
    """The one call of a look, as the database times it."""
    times = []
    for _ in range(5):
        explained = fleet.sql("explain (analyze, format json) select dashboard_state()")
        times.append(float(json.loads("".join("\t".join(row) for row in explained))[0]["Execution Time"]))
    return min(times)


if __name__ == "__main__":
    sys.exit(main())
