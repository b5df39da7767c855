"""One page in a context of its own: cookies and cache are not shared, and go with it."""

import asyncio

from playwright.async_api import BrowserContext, Page

from scrapers.fetch.blocking import block_ballast
from scrapers.fetch.chromium import Chromium
from scrapers.fetch.finishing import finish
from scrapers.fetch.proxies import Proxy


class Tab:
    def __init__(self, context: BrowserContext, page: Page, proxy: Proxy | None) -> None:
        self.context = context
        self.page = page
        self.proxy = proxy
        self.is_busy = True
        self.is_on_site = False
        self.requests = 0
        self.crashed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        page.on("crash", self._note_crash)

    @property
    def is_broken(self) -> bool:
        return self.crashed.done() or self.page.is_closed()

    def _note_crash(self, _page: Page) -> None:
        if not self.crashed.done():
            self.crashed.set_result(None)


async def open_tab(chromium: Chromium, proxy: Proxy | None) -> Tab:
    context = await chromium.new_context(proxy)
    try:
        await block_ballast(context)
        return Tab(context, await context.new_page(), proxy)
    except BaseException:
        await finish(context.close())
        raise
