"""Cycle times of sixteen scrapers with and without three sick ones beside them: `python -m bench.isolation`.

One crashes in a loop, one hangs, one eats memory until it is killed, again and again; nobody heals them.
"""

import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench import Goal, report
from bench.demo import SCRAPERS, quantile
from scrapers import catalog
from tests.fleet import Fleet, make_secrets

SICK = {"kto": "always exit", "estrelabet": "always await", "sportingbet": "always memory"}  # see tests/faulty.py
WELL = [name for name in SCRAPERS if name not in SICK]
WINDOW = 120.0
PATIENCE = 300.0


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(f"oddsfleet-bench-isolation-{os.getpid()}", make_secrets(Path(folder)))
        try:
            return measure(fleet, Console(width=120))
        finally:
            fleet.remove()


def measure(fleet: Fleet, console: Console) -> int:
    print("starting nineteen ...", flush=True)
    fleet.start("supabase", "simulator", *(catalog.get(name).service for name in SCRAPERS))
    fleet.wait_for_supabase()
    deadline = time.monotonic() + PATIENCE
    while int(fleet.value("select count(distinct scraper_name) from scraper_cycles where outcome = 'ok'")) < 19:
        if time.monotonic() > deadline:
            raise SystemExit(f"not all have brought odds:\n{fleet.logs()}")
        time.sleep(1)
    without = watch(fleet, "all well")
    for scraper, fault in SICK.items():
        command = f"echo {fault} >/var/spool/oddsfleet/fault-{scraper}"
        fleet.compose("exec", "-T", "scraper-superbet", "sh", "-c", command)
    time.sleep(15)  # so that each has met its fault
    with_sick = watch(fleet, f"{', '.join(SICK)} sick")
    restarts = {name: fleet.inspect(catalog.get(name).service, "{{.RestartCount}}") for name in SICK}
    console.print(f"restarts of the sick: {restarts}")
    return judge(fleet, without, with_sick, console)


def watch(fleet: Fleet, what: str) -> dict[str, list[tuple[float, float]]]:
    """Of each of the sixteen: start and duration of every cycle in the window."""
    since = fleet.value("select now()")
    for passed in range(0, int(WINDOW), 20):
        print(f"{what}: {passed} of {WINDOW:.0f} s", flush=True)
        time.sleep(20)
    cycles = defaultdict(list)
    for scraper, started, took in fleet.sql(
        "select scraper_name, extract(epoch from started_at), duration_ms / 1000.0 from scraper_cycles"
        f" where started_at > '{since}' and outcome = 'ok' order by started_at"
    ):
        if scraper in WELL:
            cycles[scraper].append((float(started), float(took)))
    return cycles


def judge(
    fleet: Fleet,
    without: dict[str, list[tuple[float, float]]],
    with_sick: dict[str, list[tuple[float, float]]],
    console: Console,
) -> int:
    table = Table(
        "scraper", "cycles", "with the sick", "cycle", "with the sick", title="cycles in 120 s, and their median"
    )
    for scraper in WELL:
        before, after = without[scraper], with_sick[scraper]
        times = (statistics.median(took for _, took in cycles) for cycles in (before, after))
        counts = (str(len(before)), str(len(after)))
        shown = [f"{seconds:.2f} s" for seconds in times]
        table.add_row(scraper, *counts, *shown)
    console.print(table)
    paces = [pace(cycles) for cycles in (without, with_sick)]
    well = "scraper_name in ('" + "', '".join(WELL) + "')"
    runs = fleet.sql(
        f"select max(number) - min(number) + 1 - count(*) from scraper_cycles where {well} group by scraper_name, epoch"
    )
    missed = sum(int(missing) for (missing,) in runs)
    fewest = min(len(with_sick[name]) - len(without[name]) for name in WELL)
    return report(
        "isolation",
        [
            Goal("cycles of the sixteen that are missing", str(missed), "0", not missed),
            Goal("starts of the sixteen", str(len(runs)), str(len(WELL)), len(runs) == len(WELL)),
            Goal("fewer cycles than without the sick", f"{-min(0, fewest)} at most", "1 at most", fewest >= -1),
            Goal("pace, 95th percentile", f"{paces[1]:.2f}", f"{paces[0]:.2f} + 10 %", paces[1] <= paces[0] * 1.1),
        ],
        console,
    )


def pace(cycles: dict[str, list[tuple[float, float]]]) -> float:
    """The 95th percentile of start-to-start, each in units of its scraper's own median."""
    shares = []
    for of_one in cycles.values():
        steps = [later[0] - earlier[0] for earlier, later in pairwise(of_one)]
        if steps:
            middle = statistics.median(steps)
            shares += [step / middle for step in steps]
    return quantile(shares, 0.95)


if __name__ == "__main__":
    sys.exit(main())
