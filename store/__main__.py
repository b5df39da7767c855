"""python -m store: the status of the fleet as a table; `wait` shows it once the first odds have arrived."""

import argparse
import asyncio
import sys
import time

from rich.markup import escape
from rich.table import Table

from common import logs, settings
from common.terminal import console
from store.rpc import Rpc, StoreDown
from store.status import ScraperStatus, read_status

MARKS = {"ok": "[green]● ok[/]", "warning": "[yellow]▲ warning[/]", "error": "[red]✖ error[/]"}
POLL = 1.0
TRIES = 45.0  # seconds in which a scraper that found nothing has tried again


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m store", description=__doc__)
    parser.add_argument("command", choices=["status", "wait"])
    parser.add_argument("scrapers", nargs="*", help="which to wait for")
    parser.add_argument("--new", action="store_true", help="count only odds that arrive from now on")
    parser.add_argument("--seconds", type=float, default=120, help="how long at most (default: %(default)s)")
    arguments = parser.parse_args()
    try:
        logs.configure(settings.read(settings.LogSettings))
        store = settings.read(settings.StoreSettings)
        if arguments.command == "status":
            return asyncio.run(show(store))
        return asyncio.run(wait(store, set(arguments.scrapers), arguments.seconds, new=arguments.new))
    except (settings.BadSetting, StoreDown) as error:
        print(f"oddsfleet: {error}", file=sys.stderr)
        return 2


async def show(store: settings.StoreSettings) -> int:
    async with Rpc(store) as rpc:
        rows = await read_status(rpc)
    if not rows:
        print("No scraper has reported yet. Start them with `make up`, or try `make demo`.")
        return 1
    console().print(status_table(rows))
    return 0


async def wait(store: settings.StoreSettings, expected: set[str], seconds: float, *, new: bool = False) -> int:
    """Until every one of these scrapers has brought odds, or at least tried a few times; then the table."""
    screen = console()
    started = time.monotonic()
    rows: list[ScraperStatus] = []
    with screen.status("") as line:
        async with Rpc(store) as rpc:
            while True:
                passed = time.monotonic() - started
                try:
                    rows = await read_status(rpc)
                    missing = expected - {row.scraper_name for row in rows if is_there(row, passed if new else None)}
                    told = f"waiting for {', '.join(sorted(missing))}"
                except StoreDown as error:
                    missing, told = expected, str(error)
                tried = {row.scraper_name for row in rows if has_tried(row, passed)}
                if not missing or passed > seconds or (missing <= tried and passed > TRIES):
                    break
                line.update(escape(told))
                await asyncio.sleep(POLL)
    if rows:
        screen.print(status_table(rows))
    if missing and missing == expected:
        print(f"Not there after {passed:.0f} s: {told}. `make logs S=<scraper>` tells why.", file=sys.stderr)
        return 1
    if missing:
        names = ", ".join(sorted(missing))
        print(f"Running. Without odds so far: {names}. They go on trying; `make logs S=<scraper>` tells why.")
    return 0


def is_there(row: ScraperStatus, oldest: float | None) -> bool:
    """Ok, with odds that are no older than so many seconds; paused; or waiting for a key, which no time brings."""
    if row.desired == "paused":
        return True
    if row.computed_status != "ok" or oldest is None:
        return row.computed_status in ("ok", "waiting")
    return row.seconds_since_success is not None and row.seconds_since_success < oldest


def has_tried(row: ScraperStatus, passed: float) -> bool:
    """It has ended a cycle since: what keeps it from odds is the site's, and no time of ours ends it."""
    return row.seconds_since_heartbeat is not None and row.seconds_since_heartbeat < passed


def status_table(rows: list[ScraperStatus]) -> Table:
    table = Table(
        "scraper", "status", "data age", "odds per cycle", "inserted", "cycle", "cycles", "restarts", "cause",
        "last error",
    )  # fmt: skip
    for row in rows:
        table.add_row(
            row.scraper_name,
            standing(row),
            age(row.seconds_since_success),
            number(row.odds_collected),
            number(row.odds_inserted),
            "–" if row.duration_ms is None else f"{row.duration_ms / 1000:.1f} s",
            number(row.cycle_count),
            restarts(row),
            "" if row.desired == "paused" else escape(row.cause or ""),
            escape(f"{row.outcome}: {row.last_error}") if row.last_error else "",
        )
    return table


def standing(row: ScraperStatus) -> str:
    if row.desired == "paused":
        return "[dim]❚❚ paused[/]"
    return MARKS.get(row.computed_status, f"[dim]○ {row.computed_status}[/]")


def restarts(row: ScraperStatus) -> str:
    """Used of allowed, and the circuit when it is not closed. The watchdog restarts no service."""
    if row.bookmaker_id is None:
        return ""
    if row.restart_budget is None:
        return "–"
    used = f"{row.restarts_used or 0}/{row.restart_budget}"
    return used if row.circuit == "closed" else f"[red]{used} {row.circuit.replace('_', '-')}[/]"


def number(value: int | None) -> str:
    return "–" if value is None else str(value)


def age(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


if __name__ == "__main__":
    sys.exit(main())
