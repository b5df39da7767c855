"""Answers: pages, static files, and the headers that every answer carries."""

import gzip
import hashlib
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.access import is_known_host

STATIC = Path(__file__).parent / "static"
TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
SMALL = 600  # bytes that are not worth packing
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
EVERY_ANSWER = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    # Not "no-referrer": with that a browser hides the origin of our own forms, too.
    "referrer-policy": "same-origin",
}
SERVICE_NAME = "dashboard"  # in the Compose network, where Prometheus may be


class Guard:
    """Around everything: no name but ours, and the same strict headers on every answer."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app = app
        self._hosts = hosts | {SERVICE_NAME}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        host = Headers(scope=scope).get("host", "")

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in EVERY_ANSWER.items():
                    headers.setdefault(name, value)
            await send(message)

        if is_known_host(host, self._hosts):
            await self._app(scope, receive, send_guarded)
        else:
            text = "This name is not known here. If it is yours, put it into DASHBOARD_HOSTS and run `make up`.\n"
            await PlainTextResponse(text, 421)(scope, receive, send_guarded)


def page_reply(request: Request, markup: str, status: int = 200) -> Response:
    body = markup.encode()
    headers = {"cache-control": "private, no-cache", "vary": "accept-encoding, accept-language, cookie"}
    if "gzip" in request.headers.get("accept-encoding", "") and len(body) > SMALL:
        body = gzip.compress(body, 5, mtime=0)
        headers["content-encoding"] = "gzip"
    return Response(body, status, headers, media_type="text/html")


class Statics:
    """The few files of the page, read once; their addresses change with their content."""

    def __init__(self) -> None:
        self._files: MutableMapping[str, tuple[bytes, bytes, str]] = {}
        self.addresses: dict[str, str] = {}
        for path in sorted(STATIC.iterdir()):
            if path.suffix in TYPES:
                content = path.read_bytes()
                version = hashlib.blake2b(content, digest_size=6).hexdigest()
                self._files[path.name] = (content, gzip.compress(content, 9, mtime=0), TYPES[path.suffix])
                self.addresses[path.name] = f"/static/{path.name}?v={version}"

    async def reply(self, request: Request) -> Response:
        found = self._files.get(request.path_params["name"])
        if found is None:
            return PlainTextResponse("There is no such file.\n", 404)
        plain, packed, kind = found
        headers: dict[str, Any] = {"cache-control": "public, max-age=31536000, immutable", "vary": "accept-encoding"}
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(plain, headers=headers, media_type=kind)
        return Response(packed, headers=headers | {"content-encoding": "gzip"}, media_type=kind)
