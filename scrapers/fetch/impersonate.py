"""HTTP with the handshake of a browser (TLS and HTTP/2 as Chrome speaks them), for sites that look at it.

`params["fingerprint"]` names the browser to look like, as curl_cffi knows them: `chrome` (the newest of them, and the
default), `firefox`, `safari` and others.
"""

from typing import Any
from urllib.parse import urlsplit

import msgspec
from curl_cffi import CurlECode
from curl_cffi.curl import CURL_WRITEFUNC_ERROR
from curl_cffi.requests import AsyncSession
from curl_cffi.requests.exceptions import ProxyError, RequestException

from common.settings import ScraperSettings
from scrapers.catalog import Bookmaker
from scrapers.errors import Changed, ScrapeError, Unavailable
from scrapers.fetch.engine import LANGUAGES
from scrapers.fetch.proxies import Proxy, ProxyDown
from scrapers.fetch.reading import MEGABYTE, too_large
from scrapers.wire import EVIDENCE_BYTES, Request, Response

DEFAULT_FINGERPRINT = "chrome"


class ImpersonateEngine:
    keeps_proxy = False

    def __init__(self, book: Bookmaker, settings: ScraperSettings) -> None:
        self.timeout = settings.request_timeout
        self._limit = settings.max_answer_mb * MEGABYTE
        fingerprint: Any = book.params.get("fingerprint", DEFAULT_FINGERPRINT)  # typed as a list of literals there
        self._session: AsyncSession[Any] = AsyncSession(
            impersonate=fingerprint,
            headers={"accept-language": LANGUAGES},
            timeout=settings.request_timeout,
            allow_redirects=False,
            max_clients=4,
        )

    async def prepare(self) -> None:
        pass

    async def send(self, request: Request, proxy: Proxy | None) -> Response:
        body = Body(self._limit)
        content = None if request.json is None else msgspec.json.encode(request.json)
        headers = dict(request.headers) | ({"content-type": "application/json"} if content is not None else {})
        method: Any = request.method
        try:
            answer = await self._session.request(
                method,
                request.url,
                params=dict(request.params) or None,
                headers=headers,
                data=content,
                proxy=proxy.url if proxy else None,
                content_callback=body.take,
            )
        except RequestException as error:
            raise self._translate(error, request, proxy, body) from None
        names = {name.lower(): value for name, value in answer.headers.items() if value is not None}
        return Response(request, answer.status_code, names, bytes(body.content))

    def _translate(self, error: RequestException, request: Request, proxy: Proxy | None, body: "Body") -> ScrapeError:
        host = urlsplit(request.url).hostname
        if body.is_too_large:
            return too_large(self._limit, body.content)
        if error.code == CurlECode.BAD_CONTENT_ENCODING:
            return Changed("the answer is not compressed as it says", bytes(body.content[:EVIDENCE_BYTES]))
        text = str(error).split(". See http", maxsplit=1)[0]
        if proxy and (isinstance(error, ProxyError) or error.code == CurlECode.COULDNT_CONNECT):
            return ProxyDown(f"proxy {proxy.name} does not work: {proxy.hide(text)}")
        return Unavailable(f"{host} cannot be reached: {proxy.hide(text) if proxy else text}")

    def describe(self) -> dict[str, object]:
        return {}

    async def close(self) -> None:
        await self._session.close()


class Body:
    """Grows with what curl has unpacked so far, and stops the transfer when it is too much."""

    def __init__(self, limit: int) -> None:
        self.content = bytearray()
        self._limit = limit

    @property
    def is_too_large(self) -> bool:
        return len(self.content) > self._limit

    def take(self, chunk: bytes) -> int:
        self.content += chunk
        return CURL_WRITEFUNC_ERROR if self.is_too_large else len(chunk)
