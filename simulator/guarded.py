"""An endpoint whose answers can be made to go wrong, whatever it answers when they do not."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from simulator.connections import gone
from simulator.faults import NEEDS_BOARD, Fault
from simulator.spoil import CHALLENGE, huge, zipped
from simulator.state import State, clock

ELSEWHERE = "https://blocked.invalid/restricted-location"

# What a site answers, knowing of the fault only when it is about the content.
Respond = Callable[[Request, Fault | None], Awaitable[Response]]


class Guarded:
    def __init__(self, state: State, target: Callable[[Request], str], respond: Respond) -> None:
        self._state = state
        self._target = target
        self._respond = respond

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        target = self._target(request)
        visited = f"{request.method} {request.url.path}?{request.url.query}"
        with self._state.counters.visit(target, visited, request.headers.get("user-agent"), clock()):
            await request.body()  # kept by the request; after it only the client's leaving can be received
            fault = self._state.take_fault(target)
            if fault is None or fault.kind in NEEDS_BOARD:
                response = await self._respond(request, fault)
                await response(scope, receive, send)
            else:
                await self._until_stopping(scope, self._fail(fault, request, send))

    async def _until_stopping(self, scope: Scope, failing: Awaitable[None]) -> None:
        """A fault may hold its connection for ever, but not the simulator's end."""
        work = asyncio.ensure_future(failing)
        stopping = asyncio.ensure_future(self._state.connections.stopping.wait())
        try:
            await asyncio.wait({work, stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            if not work.done():
                work.cancel()
                self._state.connections.abort(scope)
            with suppress(asyncio.CancelledError):
                await work

    async def _fail(self, fault: Fault, request: Request, send: Send) -> None:
        scope, receive = request.scope, request.receive
        connections = self._state.connections
        match fault.kind:
            case "hang":
                await gone(receive)
            case "drop":
                connections.abort(scope)
                await gone(receive)
            case "slow":
                with suppress(TimeoutError):
                    await asyncio.wait_for(gone(receive), fault.delay)
                if connections.is_open(scope):
                    await (await self._respond(request, None))(scope, receive, send)
            case "truncated":
                right = await self._respond(request, None)
                body = bytes(right.body)
                await send({"type": "http.response.start", "status": 200, "headers": right.raw_headers})
                await send({"type": "http.response.body", "body": body[: len(body) // 2], "more_body": True})
                connections.close(scope)
                await gone(receive)
            case "huge" | "huge_gzip":
                await self._stream(fault, scope, send)
            case _:
                await _short(fault, self._target(request))(scope, receive, send)

    async def _stream(self, fault: Fault, scope: Scope, send: Send) -> None:
        headers = [(b"content-type", b"application/json")]
        chunks: Iterator[bytes] = huge(fault.megabytes)
        if fault.kind == "huge_gzip":
            headers.append((b"content-encoding", b"gzip"))
            chunks = zipped(chunks)
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for chunk in chunks:
            if not self._state.connections.is_open(scope):
                return
            if chunk:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await asyncio.sleep(0)  # a fast reader never makes `send` wait, and other sites must be served too
        await send({"type": "http.response.body", "body": b""})


def _short(fault: Fault, target: str) -> Response:
    retry = {"Retry-After": f"{fault.retry_after:g}"}
    match fault.kind:
        case "403":
            page = "<html><head><title>403 Forbidden</title></head><body><h1>Access denied</h1></body></html>"
            return HTMLResponse(page, 403, {"Server": "cloudflare"})
        case "429" if target == "discord":
            limited = {"message": "You are being rate limited.", "retry_after": fault.retry_after, "global": False}
            scope = {"X-RateLimit-Scope": "user", "X-RateLimit-Reset-After": f"{fault.retry_after:g}"}
            return JSONResponse(limited, 429, {**retry, **scope})
        case "429":
            return PlainTextResponse("Too Many Requests", 429, retry)
        case "challenge":
            return HTMLResponse(CHALLENGE, 200, {"Server": "cloudflare", "cf-mitigated": "challenge"})
        case "redirect":
            return Response(status_code=302, headers={"Location": ELSEWHERE})
        case _:
            return PlainTextResponse("Internal Server Error", 500)
