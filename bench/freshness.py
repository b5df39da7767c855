"""Seconds from a change at a site to its row, in parallel, in sequence and in one process: `python -m bench.freshness`.

The world stands still but for the changes that are made here: one match after the other moves on every book at once,
and each book's row in odds_history is awaited. Sites answer in milliseconds here, so rounds of the sequential mode are
shorter than real ones.
"""

import statistics
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import Goal, report
from bench.demo import SCRAPERS, demo, quantile, switch
from scrapers import catalog
from tests.operated import Operated

CHANGES, BETWEEN = 12, 7.0  # no divisor of an interval: every phase of a cycle is met
PATIENCE = 300.0
# Seed 002: 30 to 120 s in parallel, 5 to 8 minutes in sequence; one process, as it was before, 25 to 40 s a cycle.
GOALS = {"parallel": 120.0, "sequential": 480.0, "one process": 120.0}


@dataclass
class Seen:
    seconds: list[float] = field(default_factory=list)
    missing: int = 0


def main() -> int:
    console, measured = Console(width=120), {}
    with demo("freshness") as operated:
        switch(operated, "parallel")
        operated.control("POST", "/prices", {"freeze": True})
        measured["parallel"] = measure(operated)
        switch(operated, "sequential")
        measured["sequential"] = measure(operated)
        single_process(operated)
        measured["one process"] = measure(operated)
    table = Table("mode", "changes seen", "median", "95th percentile", "longest", title="site change to row")
    for mode, seen in measured.items():
        times = (statistics.median(seen.seconds), quantile(seen.seconds, 0.95), max(seen.seconds))
        table.add_row(mode, str(len(seen.seconds)), *(f"{seconds:.1f} s" for seconds in times))
    console.print(table)
    return report("freshness", [goal for mode, seen in measured.items() for goal in judge(mode, seen)], console)


def judge(mode: str, seen: Seen) -> list[Goal]:
    late, wanted = quantile(seen.seconds, 0.95), GOALS[mode]
    return [
        Goal(f"{mode}: 95th percentile", f"{late:.1f} s", f"< {wanted:.0f} s", late < wanted),
        Goal(f"{mode}: changes without a row", str(seen.missing), "0", not seen.missing),
    ]


def single_process(operated: Operated) -> None:
    """`python -m scrapers all` in one container, in the place of the two."""
    print("python -m scrapers all ...", flush=True)
    operated.run("scripts/compose.sh", "stop", "scraper-seq-light", "scraper-seq-heavy")
    operated.fleet.compose(
        "-f", "tests/compose.test.yml", "--profile", "everything", "up", "--detach", "--no-deps", "everything"
    )
    operated.await_cycles(SCRAPERS, 1)


def measure(operated: Operated) -> Seen:
    print("waiting until everybody has seen the world that stands still ...", flush=True)
    operated.await_cycles(SCRAPERS, 1)
    changed: dict[int, float] = {}  # fixture to the moment, by the database's clock
    key = operated.control("GET", "/answers")["books"]
    for number, fixture in enumerate(widest(operated, key), start=1):
        shifts = operated.control("GET", "")["shifts"]
        changed[fixture] = float(operated.fleet.value("select extract(epoch from clock_timestamp())"))
        back = abs(shifts.get(str(fixture), 0.0)) > 0.1
        operated.control("POST", "/prices", {"fixture": fixture, "shift": 0.0 if back else 0.9})
        print(f"change {number:2} of {CHANGES}: fixture {fixture}", flush=True)
        time.sleep(BETWEEN)
    return await_rows(operated, key, changed)


def widest(operated: Operated, key: dict[str, dict[str, Any]]) -> list[int]:
    """The fixtures that most books have stored, of both sports."""
    stored = {tuple(row) for row in operated.fleet.sql("select scraper_name, external_id from match_sources")}
    books: dict[int, int] = {}
    for scraper, events in key.items():
        for event, answer in events.items():
            books[answer["fixture"]] = books.get(answer["fixture"], 0) + ((scraper, event) in stored)
    return sorted(books, key=lambda fixture: -books[fixture])[:CHANGES]


def await_rows(operated: Operated, key: dict[str, dict[str, Any]], changed: dict[int, float]) -> Seen:
    wanted = {
        (scraper, event): changed[answer["fixture"]]
        for scraper, events in key.items()
        for event, answer in events.items()
        if answer["fixture"] in changed
    }
    offered = operated.fleet.sql(
        "select s.scraper_name, s.external_id from match_sources s join odds o using (match_id, bookmaker_id)"
        " where not o.suspended and o.market = 'h2h' group by 1, 2"
    )
    waiting = {(scraper, event) for scraper, event in offered if (scraper, event.rpartition(":")[2]) in wanted}
    seen, deadline = Seen(), time.monotonic() + PATIENCE
    arrived = (
        "select distinct s.scraper_name, s.external_id, extract(epoch from c.written_at) from odds_history h"
        " join scraper_cycles c using (cycle_id) join match_sources s on s.match_id = h.match_id"
        " and s.bookmaker_id = h.bookmaker_id and s.scraper_name = c.scraper_name"
        f" where not h.is_opening and c.written_at > to_timestamp({min(changed.values())}) order by 3"
    )
    while waiting and time.monotonic() < deadline:
        for scraper, event, written in operated.fleet.sql(arrived):
            moment = wanted.get((scraper, event.rpartition(":")[2]))
            if (scraper, event) in waiting and moment is not None and float(written) > moment:
                seen.seconds.append(float(written) - moment)
                waiting.discard((scraper, event))
        print(f"{len(seen.seconds)} rows are there, {len(waiting)} are awaited", flush=True)
        time.sleep(2)
    seen.missing = len(waiting)
    for scraper, event in sorted(waiting):
        print(f"  never came: {catalog.get(scraper).title}, event {event}", flush=True)
    return seen


if __name__ == "__main__":
    sys.exit(main())
