"""The browser opens the site once, and plain HTTP goes on with the cookies and tokens that the site gave it.

The browser is closed again at once, so this costs memory for seconds only. It is opened anew when the site refuses us,
at most once a minute and less and less often while that does not help. A site that cannot be opened is no reason not
to ask: some APIs answer without.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import msgspec
from loguru import logger
from playwright.async_api import BrowserContext, Error, Page
from playwright.async_api import Request as PageRequest

from common.settings import ScraperSettings
from scrapers.catalog import Bookmaker
from scrapers.errors import ScrapeError, Unavailable
from scrapers.fetch.answers import check, is_block
from scrapers.fetch.chromium import Chromium
from scrapers.fetch.engine import Engine
from scrapers.fetch.in_page import translate, visit
from scrapers.fetch.proxies import Proxy
from scrapers.fetch.reading import MEGABYTE
from scrapers.fetch.tabs import open_tab
from scrapers.wire import Request, Response

FIRST_REST = 60.0  # seconds from one visit to the next
LONGEST_REST = 3600.0
SETTLING = 5.0  # seconds for the page to ask its API, which shows the token


@dataclass
class Identity:
    """What the site takes us for."""

    proxy: Proxy | None = None
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    cookies: dict[str, str] = field(default_factory=dict, repr=False)  # host to the header's value

    def dress(self, request: Request) -> Request:
        cookie = self.cookies.get(urlsplit(request.url).hostname or "", "")
        return msgspec.structs.replace(
            request, headers={**request.headers, **self.headers, **({"cookie": cookie} if cookie else {})}
        )


class Schedule:
    """When the site may be opened: when what we know is stale, but ever less often while that does not help."""

    def __init__(self, rest: float = FIRST_REST) -> None:
        self.rest = rest  # seconds from one visit to the next, if that one brings a good answer
        self.visits = 0
        self._fruitless = 0
        self._is_stale = True
        self._not_before = 0.0

    def is_due(self, now: float) -> bool:
        return self._is_stale and now >= self._not_before

    def visited(self, now: float) -> float:
        """Called before the visit. Seconds until the next may begin."""
        seconds = min(self.rest * 2.0 ** min(self._fruitless, 16), LONGEST_REST)
        self.visits += 1
        self._fruitless += 1
        self._not_before = now + seconds
        return seconds

    def succeeded(self) -> None:
        self._is_stale = False

    def refused(self) -> None:
        self._is_stale = True

    def answered(self) -> None:
        self._fruitless = 0

    def start_over(self) -> None:
        """Another address: what was learnt about the last one does not count."""
        self._is_stale, self._fruitless, self._not_before = True, 0, 0.0


class OnceEngine:
    keeps_proxy = True

    def __init__(self, book: Bookmaker, settings: ScraperSettings, light: Engine, rest: float = FIRST_REST) -> None:
        self.timeout = settings.browser_timeout + settings.request_timeout
        self._light = light
        self._book = book
        self._settings = settings
        self._limit = settings.max_answer_mb * MEGABYTE
        self._chromium = Chromium(settings)
        self._identity = Identity()
        self._schedule = Schedule(rest)
        self._visiting = asyncio.Lock()

    async def prepare(self) -> None:
        await self._light.prepare()

    async def send(self, request: Request, proxy: Proxy | None) -> Response:
        if proxy != self._identity.proxy:
            self._schedule.start_over()
        await self._renew(proxy)
        response = await self._send_dressed(request, proxy)
        if is_block(response):
            self._schedule.refused()
            if await self._renew(proxy):
                response = await self._send_dressed(request, proxy)
        if not is_block(response):
            self._schedule.answered()
        return response

    async def _send_dressed(self, request: Request, proxy: Proxy | None) -> Response:
        try:
            async with asyncio.timeout(self._light.timeout):
                answer = await self._light.send(self._identity.dress(request), proxy)
        except TimeoutError:
            host = urlsplit(request.url).hostname
            raise Unavailable(f"{host} did not answer within {self._light.timeout:g} s") from None
        return msgspec.structs.replace(answer, request=request)

    async def _renew(self, proxy: Proxy | None) -> bool:
        """Visit the site if what we know is stale and it is time. True when there is something new to try."""
        clock = asyncio.get_running_loop().time
        async with self._visiting:
            if not self._schedule.is_due(clock()):
                return False
            rest = self._schedule.visited(clock())
            self._identity = Identity(proxy)
            try:
                async with asyncio.timeout(self._settings.browser_timeout):
                    self._identity = await self._visit(proxy)
            except (ScrapeError, TimeoutError) as error:
                reason = str(error) or f"not within {self._settings.browser_timeout:g} s"
                logger.warning("the site was not opened: {}. Going on without, again in {:.0f} s", reason, rest)
                return False
            self._schedule.succeeded()
            logger.info("the browser opened {} and is closed again", self._book.site)
            return True

    async def _visit(self, proxy: Proxy | None) -> Identity:
        site = self._book.site.rstrip("/") + "/"
        try:
            await self._chromium.start()
            tab = await open_tab(self._chromium, proxy)
            ear = Ear(tab.page, self._book.api)
            check(await visit(tab.page, Request(site), site, self._limit, follow=True))
            await ear.listen()
            cookies = {
                urlsplit(url).hostname or "": await cookie_header(tab.context, url) for url in (self._book.api, site)
            }
            return Identity(proxy, {"user-agent": self._chromium.user_agent, **ear.headers}, cookies)
        except Error as error:
            raise translate(error, urlsplit(site).hostname or "", proxy) from error
        finally:
            await self._chromium.close()

    def describe(self) -> dict[str, object]:
        return {"browser": {"visits": self._schedule.visits}}

    async def close(self) -> None:
        await self._chromium.close()
        await self._light.close()


class Ear:
    """Hears what the page tells its own API: a token goes in a header of that name or of the site's making."""

    def __init__(self, page: Page, api: str) -> None:
        self.headers: dict[str, str] = {}
        self._api = api
        self._heard = asyncio.Event()
        page.on("request", self._note)

    async def listen(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(SETTLING):
                await self._heard.wait()

    def _note(self, request: PageRequest) -> None:
        if request.url.startswith(self._api) and request.resource_type in ("fetch", "xhr"):
            self.headers |= {
                name: value
                for name, value in request.headers.items()
                if name == "authorization" or name.startswith("x-")
            }
            self._heard.set()


async def cookie_header(context: BrowserContext, url: str) -> str:
    cookies = await context.cookies(url)
    return "; ".join(f"{cookie.get('name')}={cookie.get('value')}" for cookie in cookies)
