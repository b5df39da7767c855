"""Every platform against every fault that a site can have, over a real socket: the right class each time."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from common.settings import ScraperSettings
from scrapers import catalog
from scrapers.catalog import Bookmaker
from scrapers.collect import collect
from scrapers.errors import ScrapeError
from scrapers.fetch import open_fetcher
from tests.conftest import Simulator

# The first brand of each platform. What a browser would fetch is fetched plainly: the answers are the same.
BOOKS = {book.platform: replace(book, engine="http") for book in reversed(catalog.BOOKMAKERS)}
FAULTS = {
    "403": {"blocked"},
    "429": {"blocked"},
    "challenge": {"blocked"},
    "500": {"unavailable"},
    "hang": {"unavailable"},
    "drop": {"unavailable"},
    "truncated": {"unavailable"},
    "malformed": {"changed"},
    "huge": {"changed"},
    # A list without a single match is normal in one sport, and on some platforms what a wrong brand name looks like.
    "empty": {"empty", "changed"},
}


async def outcome(book: Bookmaker, settings: ScraperSettings) -> str:
    try:
        async with open_fetcher(book, settings) as fetcher:
            collected = await collect(book, fetcher)
    except ScrapeError as error:
        return error.kind
    if collected.error:
        return collected.error.kind
    return "ok" if collected.events else "empty"


@pytest.mark.parametrize("fault", ["ok", *FAULTS])
async def test_the_right_class_is_reported(simulator: Simulator, fault: str, tmp_path: Path) -> None:
    settings = ScraperSettings(request_timeout=2 if fault == "hang" else 30, request_gap=0, spool_dir=tmp_path)
    books = [replace(book.at(simulator.url), params={**book.params, "key": "simulated"}) for book in BOOKS.values()]
    for book in books:
        if fault != "ok":
            simulator.fault(book.name, fault, megabytes=20)

    outcomes = await asyncio.gather(*(outcome(book, settings) for book in books))

    expected = FAULTS.get(fault, {"ok"})
    assert {book.platform: kind for book, kind in zip(books, outcomes, strict=True) if kind not in expected} == {}
