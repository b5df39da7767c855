"""A scraper that misbehaves on command, for the fault suite: `echo loop >/var/spool/oddsfleet/fault-superbet`.

A fault is met once; one that begins with "always" stays, also over restarts.
"""

import asyncio
import os
import sys
import threading
from pathlib import Path
from typing import Any

from scrapers import __main__, collect, cycling

MARKUP = "<script>window.pwned = 'error'</script><img src=x onerror=\"window.pwned='error'\">"
FAULTS = Path("/var/spool/oddsfleet")
real_collect = collect.collect


def take_fault(scraper: str) -> str:
    path = FAULTS / f"fault-{scraper}"
    try:
        fault = path.read_text().strip()
    except OSError:
        return ""
    if not fault.startswith("always"):
        path.unlink()
    return fault


async def faulty_collect(book: Any, fetcher: Any, watch: Any = None) -> Any:  # noqa: ANN401
    match take_fault(book.name):
        case "loop":
            while True:
                pass
        case "await":  # one that even the cycle's timeout cannot end
            while True:
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    continue
        case "memory":
            hoard = []
            while True:
                hoard.append(os.urandom(4_000_000))
        case "exit":
            os._exit(3)
        case "always markup":
            raise RuntimeError(f"{MARKUP} in an error")
        case "internal":
            raise RuntimeError("token=abcdefghijkl at http://user:pw@proxy.example:8080")
    return await real_collect(book, fetcher, watch)


if __name__ == "__main__":
    name = sys.argv[1]
    fault = take_fault(name) if (FAULTS / f"fault-{name}").exists() else ""
    if fault.startswith("always exit after "):
        threading.Timer(float(fault.split()[-1]), os._exit, [3]).start()
    setattr(cycling, "collect", faulty_collect)  # noqa: B010
    sys.argv = ["scrapers", "run", name, "--interval", os.environ.get("TEST_INTERVAL", "5")]
    sys.exit(__main__.main())
