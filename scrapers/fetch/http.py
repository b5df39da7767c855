"""Plain HTTP: pooled, HTTP/2 where the site speaks it."""

import ssl
from collections import OrderedDict

import httpx
import msgspec

from common.settings import ScraperSettings
from scrapers.errors import Unavailable
from scrapers.fetch.engine import LANGUAGES, USER_AGENT
from scrapers.fetch.proxies import Proxy, ProxyDown
from scrapers.fetch.reading import MEGABYTE, read_bounded
from scrapers.wire import Request, Response

HEADERS = {"user-agent": USER_AGENT, "accept-encoding": "gzip", "accept-language": LANGUAGES}
MOST_CLIENTS = 8  # one per proxy, each with its connections; the one that was not used for longest goes


class HttpEngine:
    keeps_proxy = False

    def __init__(self, settings: ScraperSettings) -> None:
        self.timeout = settings.request_timeout
        self._limit = settings.max_answer_mb * MEGABYTE
        self._trust: ssl.SSLContext | None = None  # one for all clients: it costs a megabyte
        self._clients: OrderedDict[Proxy | None, httpx.AsyncClient] = OrderedDict()

    async def prepare(self) -> None:
        pass

    async def send(self, request: Request, proxy: Proxy | None) -> Response:
        host = httpx.URL(request.url).host
        try:
            return await self._exchange(await self._client(proxy), request)
        except (httpx.ProxyError, httpx.ConnectError, httpx.ConnectTimeout) as error:
            if proxy is None:
                raise unreachable(host, error) from error
            # Whom a client with a proxy connects to is the proxy.
            raise ProxyDown(f"proxy {proxy.name} does not work: {proxy.hide(describe(error))}") from None
        except httpx.TimeoutException as error:
            raise Unavailable(f"{host} did not answer in time ({type(error).__name__})") from error
        except httpx.TransportError as error:
            raise unreachable(host, error) from error

    async def _exchange(self, client: httpx.AsyncClient, request: Request) -> Response:
        content = None if request.json is None else msgspec.json.encode(request.json)
        headers = dict(request.headers) | ({"content-type": "application/json"} if content is not None else {})
        async with client.stream(
            request.method, request.url, params=dict(request.params) or None, headers=headers, content=content
        ) as answer:
            gzipped = "gzip" in answer.headers.get("content-encoding", "")
            body = await read_bounded(answer.aiter_raw(), gzipped=gzipped, limit=self._limit)
            return Response(request, answer.status_code, {k.lower(): v for k, v in answer.headers.items()}, body)

    async def _client(self, proxy: Proxy | None) -> httpx.AsyncClient:
        if known := self._clients.get(proxy):
            self._clients.move_to_end(proxy)
            return known
        self._trust = self._trust or httpx.create_ssl_context()
        client = self._clients[proxy] = httpx.AsyncClient(
            http2=True,
            verify=self._trust,
            proxy=proxy.url if proxy else None,
            timeout=httpx.Timeout(self.timeout, connect=min(10.0, self.timeout)),
            headers=HEADERS,
            limits=httpx.Limits(max_connections=4, max_keepalive_connections=2),
        )
        if len(self._clients) > MOST_CLIENTS:
            _, oldest = self._clients.popitem(last=False)
            await oldest.aclose()
        return client

    def describe(self) -> dict[str, object]:
        return {}

    async def close(self) -> None:
        while self._clients:
            _, client = self._clients.popitem()
            await client.aclose()


def unreachable(host: str, error: Exception) -> Unavailable:
    return Unavailable(f"{host} cannot be reached: {describe(error)}")


def describe(error: Exception) -> str:
    return str(error) or type(error).__name__
