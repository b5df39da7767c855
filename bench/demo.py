"""The demo with all nineteen, in a project of its own: what the benches of the whole fleet stand on."""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scrapers import catalog
from tests.operated import Operated, Order

SCRAPERS = [book.name for book in catalog.BOOKMAKERS]
LIGHT = [book.name for book in catalog.BOOKMAKERS if not book.is_heavy]
HEAVY = [book.name for book in catalog.BOOKMAKERS if book.is_heavy]


@contextmanager
def demo(name: str) -> Iterator[Operated]:
    """Not started yet; gone when the block ends."""
    with tempfile.TemporaryDirectory() as folder:
        operated = Operated(f"oddsfleet-bench-{name}-{os.getpid()}", Path(folder))
        try:
            yield operated
        finally:
            operated.remove()


def switch(operated: Operated, order: Order) -> float:
    """By the operator's own command. Seconds until the first odds of everybody are there."""
    print(f"make {order} ...", flush=True)
    started, since = time.monotonic(), time.time()
    operated.switch(order, check=False)  # on a busy machine it may end before everybody is there, and says so
    operated.await_cycles(SCRAPERS, 1, since)
    seconds = time.monotonic() - started
    print(f"make {order}: all nineteen have brought odds after {seconds:.0f} s", flush=True)
    return seconds


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]
