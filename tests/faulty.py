"""A scraper that misbehaves on command, for the fault suite: `echo loop >/var/spool/oddsfleet/fault-superbet`.

Most faults are met once, in the next cycle. What begins with "always" stays until it is taken away, also over restarts;
"3 times exit after 11" lasts for three starts.
"""

import asyncio
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

from loguru import logger

from scrapers import __main__, catalog, collect, cycling
from store import writer

MARKUP = "<script>window.pwned = 'error'</script><img src=x onerror=\"window.pwned='error'\">"
FAULTS = Path("/var/spool/oddsfleet")
real_collect, real_get, real_time = collect.collect, catalog.get, time.time
clock_is_off = 0.0  # seconds


class WrongClock(datetime):
    """The clock of a container that is wrong: for Python, as nothing else here can have one."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Any:  # noqa: ANN401
        return datetime.now(tz) + timedelta(seconds=clock_is_off)


def set_clock(seconds: float) -> None:
    global clock_is_off  # noqa: PLW0603
    clock_is_off = seconds
    for module in (cycling, collect, writer):
        setattr(module, "datetime", WrongClock)  # noqa: B010
    setattr(time, "time", lambda: real_time() + clock_is_off)  # noqa: B010
    logger.warning("the clock is {:g} s off", seconds)


def fault_of(scraper: str) -> str:
    try:
        return (FAULTS / f"fault-{scraper}").read_text().strip()
    except OSError:
        return ""


def take_fault(scraper: str) -> str:
    fault = fault_of(scraper)
    if fault and not fault.startswith("always") and "exit a" not in fault:  # "at start", "after": met elsewhere
        (FAULTS / f"fault-{scraper}").unlink()
    return fault


def meet_fault_of_start(scraper: str) -> None:
    match fault_of(scraper).split():
        case ["always", "exit", "at", "start"]:
            sys.exit(3)
        case [times, "times", "exit", "after", seconds]:
            path = FAULTS / f"fault-{scraper}"
            if times == "1":
                path.unlink()
            else:
                path.write_text(f"{int(times) - 1} times exit after {seconds}")
            threading.Timer(float(seconds), os._exit, [3]).start()


async def faulty_collect(book: Any, fetcher: Any, watch: Any = None) -> Any:  # noqa: ANN401
    match take_fault(book.name).removeprefix("always ").split():
        case ["loop"]:
            while True:
                pass
        case ["await"]:  # one that even the cycle's timeout cannot end
            while True:
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    continue
        case ["memory"]:
            hoard = []
            while True:
                hoard.append(os.urandom(4_000_000))
        case ["exit"]:
            os._exit(3)
        case ["page"]:
            end_pages()
        case ["clock", seconds]:
            set_clock(float(seconds))
        case ["markup"]:
            raise RuntimeError(f"{MARKUP} in an error")
        case ["internal"]:
            raise RuntimeError("token=abcdefghijkl at http://user:pw@proxy.example:8080")
    return await real_collect(book, fetcher, watch)


def end_pages() -> None:
    """The browser's open pages end, so that the site is visited anew."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if b"--type=renderer" in (process / "cmdline").read_bytes():
                os.kill(int(process.name), signal.SIGKILL)


def get_with_running_scripts(name: str) -> catalog.Bookmaker:
    """The scripts of a page run on, which lets it leak (the simulator's fault of that name)."""
    book = real_get(name)
    return replace(book, params={**book.params, "scripts": "run"}) if book.is_heavy else book


if __name__ == "__main__":
    name = sys.argv[1]
    meet_fault_of_start(name)
    setattr(cycling, "collect", faulty_collect)  # noqa: B010
    setattr(catalog, "get", get_with_running_scripts)  # noqa: B010
    sys.argv = ["scrapers", "run", name, "--interval", os.environ.get("TEST_INTERVAL", "5")]
    sys.exit(__main__.main())
