"""The bookmakers' sites: `/<scraper>/...` is answered by the wire format of the scraper's platform."""

import gzip
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from scrapers import catalog
from simulator import spoil, wires
from simulator.board import Answer, Asked, Board
from simulator.faults import Fault
from simulator.state import State
from simulator.wires import Wire

COMPRESS_FROM = 512  # bytes


class Sites:
    def __init__(self, state: State) -> None:
        self._state = state

    def target(self, request: Request) -> str:
        return str(request.path_params["scraper"])

    async def respond(self, request: Request, fault: Fault | None) -> Response:
        name = self.target(request)
        try:
            book = catalog.get(name).at(str(request.base_url))
        except KeyError as error:
            return PlainTextResponse(str(error.args[0]), 404)
        try:
            wire = wires.load(book.platform)
        except ModuleNotFoundError as error:
            if error.name != f"simulator.wires.{book.platform}":
                raise
            return PlainTextResponse(f"{name}: the simulator does not speak the wire format {book.platform!r}", 501)
        asked = await _asked(request)
        answer = spoilt(fault.kind if fault else "", self._state.board(book), asked, wire)
        return _response(answer, asked)


def spoilt(kind: str, board: Board, asked: Asked, wire: Wire) -> Answer:
    match kind:
        case "empty":
            return wire.answer(replace(board, lines=()), asked)
        case "hostile":
            return spoil.hostile(board, lambda changed: wire.answer(changed, asked))
        case "malformed":
            return spoil.malformed(wire.answer(board, asked))
        case "leak":
            navigation = "text/html" in asked.headers.get("accept", "")
            return spoil.leaking(wire.answer(board, asked), navigation=navigation)
        case _:
            return wire.answer(board, asked)


async def _asked(request: Request) -> Asked:
    return Asked(
        method=request.method,
        path="/" + request.path_params["path"],
        query=dict(request.query_params),
        headers=dict(request.headers),
        body=await request.body(),
    )


def _response(answer: Answer, asked: Asked) -> Response:
    headers = {"vary": "accept-encoding", "cache-control": "no-store"}
    body = answer.body
    if len(body) >= COMPRESS_FROM and "gzip" in asked.headers.get("accept-encoding", ""):
        body = gzip.compress(body, compresslevel=1, mtime=0)
        headers["content-encoding"] = "gzip"
    return Response(body, answer.status, headers, media_type=answer.content_type)
