"""Chromium asks. What the site's own host serves is fetched from inside a page of the site; what another host serves
is visited, as an address typed by hand: that is how readers of those sites got through.

A page's scripts are stopped once it has loaded; `params["scripts"] = "run"` lets them go on, for a site whose scripts
have to renew something. Pages are replaced after a number of requests, after a block, and when memory runs high.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from loguru import logger
from playwright.async_api import Error

from common.settings import ScraperSettings
from scrapers.catalog import Bookmaker
from scrapers.errors import ScrapeError, Unavailable
from scrapers.fetch.answers import check, is_block
from scrapers.fetch.chromium import CLOSING, Chromium
from scrapers.fetch.finishing import finish
from scrapers.fetch.in_page import fetch_in_page, stop_scripts, translate, visit
from scrapers.fetch.proxies import Proxy, ProxyDown
from scrapers.fetch.reading import MEGABYTE
from scrapers.fetch.tabs import Tab, open_tab
from scrapers.wire import Request, Response

WATCHING = 1.0  # seconds between two looks at the memory
HEAVY_LOOKS = 5
STARTING = 60.0  # seconds; a second or two on a machine with nothing else to do
SETTLING = 5000  # milliseconds for the scripts of a page, after its text has come


class BrowserEngine:
    keeps_proxy = True

    def __init__(self, book: Bookmaker, settings: ScraperSettings) -> None:
        self.timeout = settings.browser_timeout
        self._site = book.site.rstrip("/") + "/"
        self._scripts_run = book.params.get("scripts") == "run"
        self._limit = settings.max_answer_mb * MEGABYTE
        self._most_requests = settings.browser_requests
        self._most_memory = settings.browser_memory_mb
        self._room = asyncio.Semaphore(settings.browser_pages)
        self._changing = asyncio.Lock()  # one browser at a time comes or goes
        self._chromium = Chromium(settings)
        self._tabs: set[Tab] = set()
        self._watcher: asyncio.Task[None] | None = None
        self._is_closed = False
        self._memory = 0
        self._counts = {"starts": 0, "recycled_by_count": 0, "recycled_by_memory": 0}

    async def prepare(self) -> None:
        async with self._changing:
            if self._is_closed:
                raise Unavailable("the browser was closed")
            if not self._chromium.is_connected:
                await self._start()

    async def send(self, request: Request, proxy: Proxy | None) -> Response:
        host = urlsplit(request.url).hostname or ""
        if proxy and proxy.scheme.startswith("socks") and proxy.username:
            raise ProxyDown(f"proxy {proxy.name}: a browser cannot log in to a SOCKS proxy; give it as http")
        async with self._room:
            try:
                return await self._send(request, proxy)
            except ScrapeError:
                raise
            except Error as error:
                raise translate(error, host, proxy) from error
            except Exception as error:
                if self._chromium.is_connected:
                    raise
                raise Unavailable("the browser's driver died") from error

    async def _send(self, request: Request, proxy: Proxy | None) -> Response:
        tab = await self._borrow(proxy)
        good = False
        try:
            response = await unless_crashed(tab, self._ask(tab, request))
            good = not is_block(response)  # what a site keeps about a refused visitor goes with the page
            return response
        finally:
            await finish(self._give_back(tab, good=good))

    async def _ask(self, tab: Tab, request: Request) -> Response:
        url = full_url(request)
        if request.method == "GET" and origin(url) != origin(self._site):
            tab.is_on_site = False
            return await visit(tab.page, request, url, self._limit)
        if not tab.is_on_site:
            await self._open_site(tab)
        return await fetch_in_page(tab.page, request, url, self._limit)

    async def _open_site(self, tab: Tab) -> None:
        check(await visit(tab.page, Request(self._site), self._site, self._limit, follow=True))
        with suppress(Error):  # it takes longer, which is no reason to wait
            await tab.page.wait_for_load_state("load", timeout=SETTLING)
        if not self._scripts_run:
            await stop_scripts(tab.page)
        tab.is_on_site = True

    async def _borrow(self, proxy: Proxy | None) -> Tab:
        await self._save_memory()
        await self.prepare()  # it may have died since
        for tab in [tab for tab in self._tabs if not tab.is_busy]:
            if tab.proxy == proxy and not tab.is_broken:
                tab.is_busy = True
                return tab
            await self._close_tab(tab)
        tab = await open_tab(self._chromium, proxy)
        self._tabs.add(tab)
        return tab

    async def _give_back(self, tab: Tab, *, good: bool) -> None:
        tab.is_busy = False
        tab.requests += 1
        if not good or tab.is_broken:
            await self._close_tab(tab)
        elif tab.requests >= self._most_requests:
            self._counts["recycled_by_count"] += 1
            await self._close_tab(tab)
        else:
            await self._save_memory()

    async def _start(self) -> None:
        await self._stop()  # what a crash left
        self._counts["starts"] += 1
        try:
            async with asyncio.timeout(STARTING):
                await self._chromium.start()
        except BaseException as error:
            await self._chromium.close()
            if isinstance(error, TimeoutError):
                raise Unavailable(f"the browser did not start within {STARTING:g} s") from None
            raise
        self._watcher = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        heavy_looks = 0  # in a row, without a page: processes of the last one take a moment to end
        while self._chromium.is_connected:
            await asyncio.sleep(WATCHING)
            if self._tabs:
                heavy_looks = 0
                await self._save_memory()
                continue
            heavy_looks = heavy_looks + 1 if self._measure() > self._most_memory else 0
            if heavy_looks >= HEAVY_LOOKS:
                logger.warning("without a page the browser holds {} MB: it is closed", self._memory)
                async with self._changing:
                    await self._chromium.close()

    def _measure(self) -> int:
        self._memory = self._chromium.memory_mb()
        return self._memory

    async def _save_memory(self) -> None:
        """Too much: all pages go. A request in hand fails, and is tried again with a fresh page."""
        if not self._tabs or self._measure() <= self._most_memory:
            return
        logger.info("the browser holds {} MB, over {}: fresh pages", self._memory, self._most_memory)
        self._counts["recycled_by_memory"] += 1
        for tab in list(self._tabs):
            await self._close_tab(tab)

    async def _close_tab(self, tab: Tab) -> None:
        if tab not in self._tabs:
            return
        self._tabs.discard(tab)
        try:
            async with asyncio.timeout(CLOSING):
                await tab.context.close()
        except TimeoutError:
            logger.warning("a page did not close within {:g} s: the browser goes with it", CLOSING)
            await self._chromium.close()
        except Exception as error:  # noqa: BLE001 - a dead driver raises bare exceptions, and the page is gone with it
            logger.debug("the page was gone already: {}", error)

    async def _stop(self) -> None:
        watcher, self._watcher = self._watcher, None
        if watcher is not None and watcher is not asyncio.current_task():
            watcher.cancel()
            await asyncio.wait([watcher])
        self._tabs.clear()
        await self._chromium.close()

    def describe(self) -> dict[str, object]:
        return {"browser": {"memory_mb": self._memory, **self._counts}}

    async def close(self) -> None:
        self._is_closed = True
        await finish(self._stop())


async def unless_crashed(tab: Tab, work: Coroutine[Any, Any, Response]) -> Response:
    """Playwright leaves some calls waiting for ever when the page's process dies."""
    asking = asyncio.ensure_future(work)
    either: set[asyncio.Future[Any]] = {asking, tab.crashed}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not asking.done():
            raise Unavailable("the page crashed")
        return asking.result()
    finally:
        if not asking.done():
            asking.cancel()
            await asyncio.wait([asking])


def full_url(request: Request) -> str:
    query = urlencode(request.params, quote_via=quote)
    return request.url + (("&" if "?" in request.url else "?") + query if query else "")


def origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port
