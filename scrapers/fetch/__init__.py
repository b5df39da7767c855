"""Fetching: one protocol, four engines behind it, chosen by the bookmaker's row.

http           pooled HTTP/2
impersonate    the handshake of a browser, without the browser
browser        Chromium asks, from a page of the site
browser_once   Chromium opens the site once; plain HTTP goes on with what it was given

Each engine only sends; pace, retries, proxies and what a status means are the same for all (polite.py, answers.py).
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

from common.settings import ScraperSettings
from scrapers.catalog import Bookmaker
from scrapers.fetch.engine import Engine
from scrapers.fetch.finishing import finish
from scrapers.fetch.polite import Manners, PoliteFetcher
from scrapers.fetch.proxies import Proxies, parse_proxies
from scrapers.wire import Request, Response

__all__ = ["Fetcher", "new_manners", "open_fetcher"]


class Fetcher(Protocol):
    async def get(self, request: Request) -> Response:
        """The site's answer, or `Blocked`, `Unavailable` or `Changed`."""

    def describe(self) -> dict[str, object]:
        """How the proxies and the browser do, for the heartbeat. Empty when there are none."""


@asynccontextmanager
async def open_fetcher(
    book: Bookmaker, settings: ScraperSettings, manners: Manners | None = None
) -> AsyncIterator[Fetcher]:
    """The engine that this bookmaker needs; everything it started is gone when the block ends, but not its manners."""
    fetcher = PoliteFetcher(make_engine(book, settings), settings, manners or new_manners(settings))
    try:
        yield fetcher
    finally:
        await finish(fetcher.close())


def new_manners(settings: ScraperSettings) -> Manners:
    return Manners(Proxies(parse_proxies(settings.proxy_list.reveal())))


def make_engine(book: Bookmaker, settings: ScraperSettings) -> Engine:
    """Imported when needed: a light scraper must not pay for a browser's memory."""
    match book.engine:
        case "http":
            from scrapers.fetch.http import HttpEngine

            return HttpEngine(settings)
        case "impersonate":
            from scrapers.fetch.impersonate import ImpersonateEngine

            return ImpersonateEngine(book, settings)
        case "browser":
            from scrapers.fetch.browser import BrowserEngine

            return BrowserEngine(book, settings)
        case "browser_once":
            from scrapers.fetch.once import OnceEngine

            light = make_light_engine(book, settings)
            return OnceEngine(book, settings, light)


def make_light_engine(book: Bookmaker, settings: ScraperSettings) -> Engine:
    """Who goes on after the browser: a brand that names a fingerprint wants the handshake of a browser."""
    from scrapers.fetch.http import HttpEngine

    if "fingerprint" not in book.params:
        return HttpEngine(settings)
    from scrapers.fetch.impersonate import ImpersonateEngine

    return ImpersonateEngine(book, settings)
