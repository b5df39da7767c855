"""Fetchers on the real simulator, and log lines as they would be written."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from loguru import logger

from common.settings import ScraperSettings, Secret
from scrapers import catalog, platforms
from scrapers.catalog import Bookmaker, Engine
from scrapers.fetch import Fetcher
from scrapers.wire import Request
from tests.conftest import Simulator

SCRAPER = "kto"


def simulated(simulator: Simulator, engine: Engine) -> Bookmaker:
    return replace(catalog.get(SCRAPER).at(simulator.url), engine=engine)


def first_request(book: Bookmaker) -> Request:
    return platforms.load(book.platform).requests(book, datetime.now(UTC))[0]


def quick(tmp_path: Path, **values: object) -> ScraperSettings:
    settings = ScraperSettings(spool_dir=tmp_path, request_gap=0.0, request_timeout=5.0, max_answer_mb=2)
    return replace(settings, **values)  # type: ignore[arg-type]


def through(*urls: str) -> Secret:
    return Secret("\n".join(urls))


def states(fetcher: Fetcher) -> list[str]:
    """Of the proxies, in the order of the list."""
    proxies: Any = fetcher.describe()["proxies"]
    return [proxy["state"] for proxy in proxies]


@pytest.fixture
def log() -> Iterator[list[str]]:
    lines: list[str] = []
    sink = logger.add(lines.append, level="DEBUG", format="{message} {extra} {exception}", diagnose=False)
    yield lines
    logger.remove(sink)
