"""Restart, pause and resume: wishes that are written down for the watchdog, by who has the token."""

from collections.abc import Callable
from urllib.parse import parse_qs

from loguru import logger
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from dashboard.access import COOKIE, HOURS, Access, is_same_origin
from dashboard.html import Child, Html, join, tag
from dashboard.pages import NAME, Topic
from dashboard.readers import language_of, session_of
from dashboard.source import Source
from dashboard.view_scraper import ACTIONS, actions
from dashboard.words import SPEAKERS, Words
from scrapers.errors import Refused
from store.rpc import StoreDown
from store.watchdog import WatchdogStore

BY = "dashboard"
ASKED = (*ACTIONS, "nothing")
LARGEST_FORM = 4096
Show = Callable[[Request, str, Child, int], Response]


class Acting:
    def __init__(self, source: Source, access: Access, watchdog: WatchdogStore, show: Show) -> None:
        self._source = source
        self._access = access
        self._watchdog = watchdog
        self._show = show

    def routes(self) -> list[Route]:
        return [
            Route("/login", self.ask_token, methods=["GET"]),
            Route("/login", self.log_in, methods=["POST"]),
            Route("/logout", self.log_out, methods=["POST"]),
            Route("/scraper/{name}/{action}", self.act, methods=["POST"]),
        ]

    # --- Sessions ---

    async def ask_token(self, request: Request) -> Response:
        return self._login_page(request)

    async def log_in(self, request: Request) -> Response:
        form, words = await read_form(request), words_of(request)
        if not is_same_origin(request.headers):
            return self._show(request, "403", words("forged"), 403)
        if wait := self._access.wait():
            answer = self._login_page(request, words("token_wait", seconds=f"{wait + 0.5:.0f}"), 429)
            answer.headers["retry-after"] = f"{wait + 1:.0f}"
            return answer
        session = self._access.log_in(form.get("token", ""))
        if session is None:
            logger.warning("[acting] a wrong token was given")
            return self._login_page(request, words("token_wrong"), 403)
        answer = RedirectResponse(safe_path(form.get("next", "")), 303)
        secure = request.url.scheme == "https"
        answer.set_cookie(COOKIE, session, max_age=HOURS * 3600, httponly=True, samesite="strict", secure=secure)
        return answer

    async def log_out(self, request: Request) -> Response:
        if not is_same_origin(request.headers):
            return self._show(request, "403", words_of(request)("forged"), 403)
        answer = RedirectResponse("/", 303)
        answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return answer

    def _login_page(self, request: Request, error: str = "", status: int = 200) -> Response:
        words = words_of(request)
        if not self._access.is_possible:
            return self._show(request, words("log_in"), words("read_only"), 404)
        label = tag("label", words("token"), " ", tag(
            "input", type="password", name="token", required=True, autocomplete="current-password", autofocus=True,
        ))  # fmt: skip
        form = tag(
            "form",
            tag("input", type="hidden", name="next", value=safe_path(request.query_params.get("next", ""))),
            label, " ", tag("button", words("log_in")),
            method="post", action="/login", class_="login",
        )  # fmt: skip
        told = tag("p", error, class_="banner bad", role="alert") if error else None
        return self._show(request, words("log_in"), (told, form), status)

    # --- Actions ---

    async def block(self, request: Request, topic: Topic) -> Html:
        """What this reader may do with a scraper, and what was just asked for."""
        words, name = topic.words, topic.about
        snapshot, shown = await self._source.scraper(name)
        if shown is None:
            return Html("")
        unit = snapshot.unit_of(name)
        asked = request.query_params.get("asked")
        notice = tag("p", words(f"asked_{asked}", name=unit), class_="banner good") if asked in ASKED else None
        csrf = self._access.form_token(session_of(request))
        return join(notice, actions(shown, unit, words, csrf=csrf, can_log_in=self._access.is_possible))

    async def act(self, request: Request) -> Response:
        name, action, words = request.path_params["name"], request.path_params["action"], words_of(request)
        if action not in ACTIONS or not NAME.fullmatch(name):
            raise HTTPException(404)
        form = await read_form(request)
        own = is_same_origin(request.headers)
        if not own or not self._access.is_own_form(session_of(request), form.get("csrf", "")):
            return self._show(request, "403", words("forged"), 403)
        snapshot = await self._source.news()
        if snapshot.scraper(name) is None and not snapshot.down:
            raise HTTPException(404)
        if action == "resume" and snapshot.runs_unpaused(name):
            return RedirectResponse(f"/scraper/{name}?asked=nothing", 303)
        unit = snapshot.unit_of(name)
        desired = "paused" if action == "pause" else "run"
        try:
            await self._watchdog.wish(unit, desired, restart=action != "pause", by=BY)
        except (StoreDown, Refused) as error:
            logger.warning("[acting] {} of {} was not written down: {}", action, unit, error)
            return self._show(request, "503", words("not_asked"), 503)
        logger.info("[acting] {} of {} is asked for", action, unit)
        return RedirectResponse(f"/scraper/{name}?asked={action}", 303)


def words_of(request: Request) -> Words:
    return SPEAKERS[language_of(request)]


async def read_form(request: Request) -> dict[str, str]:
    """A small form; 413 for anything else."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > LARGEST_FORM:
            raise HTTPException(413)
    return {name: values[-1] for name, values in parse_qs(body.decode(errors="replace")).items()}


def safe_path(path: str) -> str:
    """Only to a page of ours."""
    name = path.removeprefix("/scraper/")
    return path if path.startswith("/scraper/") and NAME.fullmatch(name) else "/"
