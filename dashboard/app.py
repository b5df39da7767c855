"""The routes: pages, live updates, /health and /metrics. Who may act is in acting.py."""

import asyncio
from urllib.parse import urlencode

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from common.settings import DashboardSettings
from dashboard import metrics
from dashboard.access import Access
from dashboard.acting import Acting
from dashboard.feed import Feed
from dashboard.health import Health
from dashboard.html import Child, tag
from dashboard.pages import Topic, parse_topic, render
from dashboard.readers import choices, frame_of, language_of
from dashboard.replies import Guard, Statics, page_reply
from dashboard.source import Source
from dashboard.view import Frame, page
from store.watchdog import WatchdogStore

METRICS_AGE = 5.0  # seconds that a state may be old for Prometheus, which asks every 15 or so
YEAR = 365 * 86400


class Site:
    def __init__(self, source: Source, feed: Feed, health: Health, access: Access, watchdog: WatchdogStore) -> None:
        self._source = source
        self._feed = feed
        self._health = health
        self._statics = Statics()
        self._access = access
        self._acting = Acting(source, access, watchdog, self.show)

    def application(self, settings: DashboardSettings) -> Guard:
        routes = [
            Route("/", self.live),
            Route("/{page:str}", self.live),
            Route("/scraper/{name}", self.scraper),
            Route("/match/{number:int}", self.match),
            Route("/static/{name}", self._statics.reply),
        ]
        fixed = [
            Route("/events", Events(self._feed), methods=["GET"]),
            Route("/health", self.health),
            Route("/metrics", self.metrics),
            *self._acting.routes(),
        ]
        return Guard(Starlette(routes=fixed + routes, exception_handlers={404: self.missing}), settings.host_names)

    async def live(self, request: Request) -> Response:
        topic = parse_topic(request.path_params.get("page", "overview"), language_of(request))
        if topic is None or topic.about:
            raise HTTPException(404)
        return await self._live(request, topic)

    async def match(self, request: Request) -> Response:
        return await self._live(request, Topic("match", str(request.path_params["number"]), language_of(request)))

    async def scraper(self, request: Request) -> Response:
        topic = parse_topic(f"scraper:{request.path_params['name']}", language_of(request))
        if topic is None:
            raise HTTPException(404)
        return await self._live(request, topic, await self._acting.block(request, topic))

    async def _live(self, request: Request, topic: Topic, own: Child = None) -> Response:
        if chosen := choices(request):
            return self._remember(request, chosen)
        found = await render(self._source, topic)
        if found is None:
            snapshot = await self._source.snapshot()
            if snapshot.state is None or snapshot.down:  # what cannot be asked for is not known to be missing
                return self.show(request, topic.words("overview"), topic.words("down_never"), 503)
            raise HTTPException(404)
        frame = self._frame(request)
        document = page(frame, found.title, topic.address, found.version, self._source.now, found.content(own))
        return page_reply(request, document)

    def show(self, request: Request, title: str, content: Child, status: int = 200) -> Response:
        """A page that does not change while it is open."""
        frame = self._frame(request)
        body = (tag("h1", title), content if isinstance(content, tuple) else tag("p", content))
        return page_reply(request, page(frame, title, "", "", self._source.now, *body), status)

    def _frame(self, request: Request) -> Frame:
        return frame_of(request, self._access, self._statics)

    def _remember(self, request: Request, chosen: dict[str, str]) -> Response:
        """The reader's choice, kept in a cookie; then the same page without it in the address."""
        left = urlencode([(name, value) for name, value in request.query_params.multi_items() if name not in chosen])
        answer = RedirectResponse(request.url.path + (f"?{left}" if left else ""), 303)
        for name, value in chosen.items():
            answer.set_cookie(name, value, max_age=YEAR, httponly=True, samesite="strict")
        return answer

    async def missing(self, request: Request, _error: Exception) -> Response:
        words = frame_of(request, self._access, self._statics).words
        name = request.path_params.get("name")
        text = words("no_such_match") if "number" in request.path_params else words("no_such_page")
        text = words("no_such_scraper", name=name) if name else text
        return self.show(request, "404", (tag("p", text), tag("p", tag("a", words("back"), href="/"))), 404)

    async def health(self, _request: Request) -> Response:
        report = await self._health.report()
        status = 200 if report.status == "ok" else 503
        return JSONResponse(msgspec.to_builtins(report), status, {"cache-control": "no-store"})

    async def metrics(self, _request: Request) -> Response:
        text = metrics.exposition(await self._source.snapshot(METRICS_AGE), self._feed.readers)
        return Response(text, headers={"cache-control": "no-store", "content-type": metrics.CONTENT_TYPE})


class Events:
    """The live updates of one page, as an event stream, until it is closed."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        topic = parse_topic(request.query_params.get("topic", ""), language_of(request))
        if topic is None:
            await PlainTextResponse("There is no such page.\n", 404)(scope, receive, send)
            return

        async def write(text: bytes) -> None:
            await send({"type": "http.response.body", "body": text, "more_body": True})

        version = request.headers.get("last-event-id") or request.query_params.get("v", "")
        if self._feed.is_full:
            await PlainTextResponse("Too many pages are open.\n", 503, {"retry-after": "30"})(scope, receive, send)
            return
        headers = [
            (b"content-type", b"text/event-stream"),
            (b"cache-control", b"no-store"),
            (b"x-accel-buffering", b"no"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        reader = await self._feed.join(topic, version, write)
        try:
            while (await receive())["type"] != "http.disconnect":
                pass
        except asyncio.CancelledError:  # we are being stopped
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._feed.leave(topic, reader)
