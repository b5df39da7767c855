"""Asking from inside a page, and visiting one. Answers are taken from the network, never from what is drawn."""

import asyncio
import base64
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
from playwright.async_api import CDPSession, Error, Page
from playwright.async_api import Request as PageRequest
from playwright.async_api import Response as PageResponse

from scrapers.errors import Changed, ScrapeError, Unavailable
from scrapers.fetch.chromium import first_line
from scrapers.fetch.proxies import Proxy, ProxyDown
from scrapers.fetch.reading import too_large
from scrapers.wire import Request, Response

REDIRECTED = 302  # a page is not told which redirect it met
PROXY_FAULTS = ("ERR_PROXY", "ERR_TUNNEL", "ERR_SOCKS")

# Reads the body piece by piece and stops when it is too much. Without event handlers: they would not run in a page
# whose scripts were stopped.
FETCH = """async ({url, method, headers, body, referrer, limit}) => {
  let answer;
  try {
    answer = await fetch(url, {method, headers, body, referrer, credentials: "include", redirect: "manual"});
  } catch (error) {
    return {failure: String(error)};
  }
  if (answer.type === "opaqueredirect") return {status: 0, headers: {}, body: ""};
  const status = answer.status, names = Object.fromEntries(answer.headers);
  const pieces = [];
  let size = 0;
  try {
    if (answer.body) for (const reader = answer.body.getReader();;) {
      const {done, value} = await reader.read();
      if (done) break;
      size += value.length;
      if (size > limit) {
        reader.cancel();
        return {status, headers: names, tooLarge: true};
      }
      pieces.push(value);
    }
  } catch (error) {
    return {failure: "the answer was cut off in the middle", status};
  }
  const whole = new Uint8Array(size);
  let end = 0;
  for (const piece of pieces) { whole.set(piece, end); end += piece.length; }
  let text = "";
  for (let at = 0; at < size; at += 32768) text += String.fromCharCode.apply(null, whole.subarray(at, at + 32768));
  return {status, headers: names, body: btoa(text)};
}"""


class PageAnswer(msgspec.Struct, rename="camel"):
    status: int = 0
    headers: dict[str, str] = {}
    body: str = ""
    failure: str = ""
    too_large: bool = False


async def fetch_in_page(page: Page, request: Request, url: str, limit: int) -> Response:
    """The page's own `fetch`: cookies, handshake and headers are those of the site's scripts."""
    failures: list[str] = []

    def note_failure(failed: PageRequest) -> None:
        if failed.url == url and failed.failure:
            failures.append(failed.failure)

    headers = dict(request.headers)
    question: dict[str, Any] = {
        "url": url,
        "method": request.method,
        "referrer": headers.pop("referer", "about:client"),
        "headers": headers,
        "limit": limit,
    }
    if request.json is not None:
        question["body"] = msgspec.json.encode(request.json).decode()
        headers["content-type"] = "application/json"
    page.on("requestfailed", note_failure)
    try:
        answer = msgspec.convert(await page.evaluate(FETCH, question), PageAnswer)
    finally:
        page.remove_listener("requestfailed", note_failure)
    if answer.too_large:
        raise too_large(limit)
    if answer.failure:
        raise Error(failures[-1] if failures else answer.failure)
    return Response(request, answer.status or REDIRECTED, answer.headers, base64.b64decode(answer.body))


async def visit(page: Page, request: Request, url: str, limit: int, *, follow: bool = False) -> Response:
    """What the address bar would get. The document is weighed while it comes, as the browser would take any size;
    a page that was too heavy is still at it, and has to be closed."""
    answers: list[PageResponse] = []
    broken: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def is_ours(asked: PageRequest) -> bool:
        return asked.is_navigation_request() and asked.frame == page.main_frame

    def note_answer(answer: PageResponse) -> None:
        if is_ours(answer.request):
            answers.append(answer)

    def give_up(reason: str) -> None:
        if not broken.done():
            broken.set_result(reason)

    def note_failure(failed: PageRequest) -> None:
        if is_ours(failed):
            give_up(failed.failure or "the connection broke")

    session = await page.context.new_cdp_session(page)
    scale = Scale(session, limit, lambda: give_up("too large"))
    await scale.start()
    headers = {name: value for name, value in request.headers.items() if name not in ("referer", "origin")}
    await page.set_extra_http_headers(headers)
    page.on("response", note_answer)
    page.on("requestfailed", note_failure)
    try:
        await unless_broken(
            page.goto(url, wait_until="domcontentloaded", referer=request.headers.get("referer"), timeout=0), broken
        )
        await session.detach()  # only now: while a page loads, this would wait for it
    except Error:
        if scale.is_over:
            raise too_large(limit) from None
        # Chromium takes a refusal without a body, and a redirect that leads nowhere, for a broken connection.
        if not answers or answers[0].status == 200:
            raise
    finally:
        page.remove_listener("response", note_answer)
        page.remove_listener("requestfailed", note_failure)
    if not answers:
        raise Unavailable(f"{url.partition('?')[0]} gave no page")
    answer = answers[-1] if follow else answers[0]
    return Response(request, answer.status, await answer.all_headers(), await body_of(answer))


async def body_of(answer: PageResponse) -> bytes:
    try:
        return await answer.body()
    except Error:
        if answer.status == 200:
            raise
        return b""  # redirects have none, and those of refusals are not always kept


async def unless_broken(going: Coroutine[Any, Any, Any], broken: "asyncio.Future[str]") -> None:
    """Playwright waits for ever for a document whose connection broke in the middle, and as long as one goes on."""
    task = asyncio.ensure_future(going)
    either: set[asyncio.Future[Any]] = {task, broken}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Error(broken.result())
        task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait([task])


class Scale:
    """Counts the bytes of documents as they arrive, unpacked."""

    def __init__(self, session: CDPSession, limit: int, tell: Callable[[], None]) -> None:
        self._session = session
        self._limit = limit
        self._tell = tell
        self._documents: set[str] = set()
        self._bytes = 0

    async def start(self) -> None:
        self._session.on("Network.requestWillBeSent", self._note_request)
        self._session.on("Network.dataReceived", self._note_bytes)
        await self._session.send("Network.enable")

    @property
    def is_over(self) -> bool:
        return self._bytes > self._limit

    def _note_request(self, event: dict[str, Any]) -> None:
        if event.get("type") == "Document":
            self._documents.add(event["requestId"])

    def _note_bytes(self, event: dict[str, Any]) -> None:
        if event["requestId"] in self._documents:
            self._bytes += event["dataLength"]
            if self.is_over:
                self._tell()


async def stop_scripts(page: Page) -> None:
    """From now on only what we evaluate runs: a page that nobody looks at needs no clock, no feed and no leak."""
    session = await page.context.new_cdp_session(page)
    await session.send("Emulation.setScriptExecutionDisabled", {"value": True})
    # The session is left open: the browser forgets the setting with it.


def translate(error: Exception, host: str, proxy: Proxy | None) -> ScrapeError:
    text = first_line(error)
    if proxy and any(fault in text for fault in PROXY_FAULTS):
        return ProxyDown(f"proxy {proxy.name} does not work: {proxy.hide(text)}")
    if "ERR_CONTENT_DECODING" in text:
        return Changed("the answer is not compressed as it says")
    return Unavailable(f"{host} cannot be asked: {proxy.hide(text) if proxy else text}")
