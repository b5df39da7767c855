"""Manners, the same for every engine: a pace per host, retries with jitter, pauses that a site asks for, proxies."""

import asyncio
import random
from collections.abc import Callable
from urllib.parse import urlsplit

from loguru import logger
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, stop_after_delay

from common.settings import ScraperSettings
from scrapers.errors import Blocked, Unavailable
from scrapers.fetch.answers import check
from scrapers.fetch.engine import Engine
from scrapers.fetch.proxies import Proxies, Proxy, ProxyDown
from scrapers.wire import Request, Response

TRIES = 3
PATIENCE = 1.5  # times an engine's timeout, for all tries together: what did not answer twice is not there
PROXIES_PER_REQUEST = 3
LONGEST_WAIT = 10.0  # seconds inside a cycle; a site that asks for more is left alone until then
PROXY_AUTHENTICATION = 407


class Manners:
    """What a site and the proxies have asked for. It may outlive the engine, by the same event loop's clock."""

    def __init__(self, proxies: Proxies) -> None:
        self.proxies = proxies
        self.pauses: dict[str, tuple[float, type[Blocked | Unavailable]]] = {}


class PoliteFetcher:
    def __init__(self, engine: Engine, settings: ScraperSettings, manners: Manners) -> None:
        self._engine = engine
        self._proxies = manners.proxies
        self._pauses = manners.pauses
        self._clock: Callable[[], float] = asyncio.get_running_loop().time
        self._pace = Pace(settings.request_gap)

    async def get(self, request: Request) -> Response:
        """A block costs the proxy its turn: the next one tries, while there is one."""
        left = min(PROXIES_PER_REQUEST, len(self._proxies))
        while True:
            try:
                return await self._retrying(request)
            except Blocked:
                left -= 1
                if left <= 0 or not self._proxies.any_healthy(self._clock()):
                    raise

    async def _retrying(self, request: Request) -> Response:
        retrying = AsyncRetrying(
            retry=retry_if_exception(is_worth_another_try),
            stop=stop_after_attempt(TRIES) | stop_after_delay(PATIENCE * self._engine.timeout),
            wait=wait_with_jitter,
            reraise=True,
        )
        return await retrying(self._get_once, request)

    async def _get_once(self, request: Request) -> Response:
        host = urlsplit(request.url).hostname or ""
        self._respect_pause(host)
        proxy = self._proxies.pick(self._clock(), keep=self._engine.keeps_proxy)
        await self._engine.prepare()
        await self._pace.wait(host)
        try:
            response = check(await self._send(request, proxy, host))
        except Blocked as error:
            if proxy:
                seconds = self._proxies.blocked(proxy, self._clock(), error.retry_after)
                logger.warning("{}: proxy {} rests for {:.0f} s", error, proxy.name, seconds)
            else:
                self._note_pause(host, error)
            raise
        except ProxyDown as error:
            if proxy:
                seconds = self._proxies.failed(proxy, self._clock())
                logger.warning("{}: it rests for {:.0f} s", error, seconds)
            raise
        except Unavailable as error:
            self._note_pause(host, error)
            raise
        if proxy:
            self._proxies.worked(proxy)
        return response

    async def _send(self, request: Request, proxy: Proxy | None, host: str) -> Response:
        try:
            async with asyncio.timeout(self._engine.timeout):
                response = await self._engine.send(request, proxy)
        except TimeoutError:
            raise Unavailable(f"{host} did not answer within {self._engine.timeout:g} s") from None
        if proxy and response.status == PROXY_AUTHENTICATION:
            raise ProxyDown(f"proxy {proxy.name} does not accept its credentials")
        return response

    def _respect_pause(self, host: str) -> None:
        until, kind = self._pauses.get(host, (0.0, Unavailable))
        if (left := until - self._clock()) > 0:
            raise kind(f"{host} asked to be left alone for {left:.0f} s more", left)

    def _note_pause(self, host: str, error: Blocked | Unavailable) -> None:
        if error.retry_after and (isinstance(error, Blocked) or error.retry_after > LONGEST_WAIT):
            self._pauses[host] = (self._clock() + error.retry_after, type(error))

    def describe(self) -> dict[str, object]:
        proxies = {"proxies": self._proxies.describe(self._clock())} if len(self._proxies) else {}
        return {**proxies, **self._engine.describe()}

    async def close(self) -> None:
        await self._engine.close()


def is_worth_another_try(error: BaseException) -> bool:
    return isinstance(error, Unavailable) and (error.retry_after or 0.0) <= LONGEST_WAIT


def wait_with_jitter(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after if isinstance(error, Unavailable) else None
    backoff: float = random.uniform(0.5, 1.0) * 2.0 ** (state.attempt_number - 1)  # noqa: S311 - no secret
    return max(backoff, asked or 0.0)


class Pace:
    """At least `gap` seconds from one request to the next of the same host, with a little jitter."""

    def __init__(self, gap: float) -> None:
        self._gap = gap
        self._next: dict[str, float] = {}

    async def wait(self, host: str) -> None:
        now = asyncio.get_running_loop().time()
        start = max(now, self._next.get(host, 0.0))
        self._next[host] = start + self._gap * random.uniform(1.0, 1.5)  # noqa: S311
        await asyncio.sleep(start - now)
