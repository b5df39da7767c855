"""The simulator's own door, for tests and for people: faults, prices, counters and the answer key."""

import time
from typing import Annotated

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from scrapers import catalog
from scrapers.catalog import Bookmaker
from simulator import model
from simulator.faults import FAULTS, Fault, refusal
from simulator.reply import json_reply, read
from simulator.schedule import fixtures
from simulator.state import State, clock


class Prices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    freeze: bool | None = None  # stop the world at this instant, or let it go on
    fixture: int | None = None
    shift: Annotated[float, msgspec.Meta(ge=-3, le=3)] | None = None  # log-odds towards home, at once on every book
    reset: bool = False


class Control:
    def __init__(self, state: State) -> None:
        self._state = state

    def routes(self) -> list[Route]:
        return [
            Route("/_control", self.show, methods=["GET"]),
            Route("/_control", self.reset, methods=["DELETE"]),
            Route("/_control/faults", self.clear_faults, methods=["DELETE"]),
            Route("/_control/faults/{target}", self.put_fault, methods=["PUT"]),
            Route("/_control/faults/{target}", self.clear_faults, methods=["DELETE"]),
            Route("/_control/requests/{target}", self.show_requests, methods=["GET"]),
            Route("/_control/prices", self.change_prices, methods=["POST"]),
            Route("/_control/answers", self.show_answers, methods=["GET"]),
            Route("/_control/board/{target}", self.show_board, methods=["GET"]),
            Route("/_control/discord", self.show_discord, methods=["GET"]),
            Route("/_control/discord", self.clear_discord, methods=["DELETE"]),
        ]

    async def show(self, _request: Request) -> Response:
        return json_reply(
            {
                **self._times(),
                "faults": self._state.faults.state(time.monotonic()),
                "requests": self._state.counters.totals(),
                "scrapers": [book.name for book in catalog.BOOKMAKERS],
                "known_faults": FAULTS,
            }
        )

    async def reset(self, _request: Request) -> Response:
        self._state.reset()
        return json_reply(self._times())

    async def put_fault(self, request: Request) -> Response:
        target, fault = request.path_params["target"], await read(request, Fault)
        if refused := refusal(fault, target, _targets()):
            raise HTTPException(400, refused)
        self._state.faults.put(target, fault, time.monotonic())
        return json_reply(self._state.faults.state(time.monotonic()).get(target, {}))

    async def clear_faults(self, request: Request) -> Response:
        self._state.faults.clear(request.path_params.get("target"))
        return Response(status_code=204)

    async def show_requests(self, request: Request) -> Response:
        target = request.path_params["target"]
        if target not in _targets():
            raise HTTPException(404, f"no target called {target!r}")
        return json_reply(self._state.counters.of(target).state())

    async def change_prices(self, request: Request) -> Response:
        change = await read(request, Prices)
        if (change.fixture is None) != (change.shift is None):
            raise HTTPException(400, "`fixture` and `shift` belong together")
        if change.fixture is not None and change.fixture not in self._fixtures():
            raise HTTPException(400, f"no fixture {change.fixture} now; see /_control/answers")
        if change.reset:
            self._state.reset_prices()
        if change.freeze is not None:
            self._state.freeze(change.freeze)
        if change.fixture is not None and change.shift is not None:
            self._state.shift(change.fixture, change.shift)
        return json_reply(self._times())

    async def show_answers(self, _request: Request) -> Response:
        return json_reply(model.answers(catalog.BOOKMAKERS, self._state.world_now(), self._state.world))

    async def show_board(self, request: Request) -> Response:
        board = self._state.board(_book(request.path_params["target"]))
        return json_reply({"book": board.book.name, "now": board.now, "lines": board.lines})

    async def show_discord(self, _request: Request) -> Response:
        return json_reply(self._state.discord.state())

    async def clear_discord(self, _request: Request) -> Response:
        self._state.discord.clear()
        return Response(status_code=204)

    def _times(self) -> dict[str, object]:
        state = self._state
        return {"now": clock(), "frozen_at": state.frozen_at, "shifts": state.world.shifts}

    def _fixtures(self) -> set[int]:
        return {fixture.number for fixture in fixtures(self._state.world.seed, self._state.world_now())}


def _targets() -> set[str]:
    return {"discord", *(book.name for book in catalog.BOOKMAKERS)}


def _book(name: str) -> Bookmaker:
    try:
        return catalog.get(name)
    except KeyError as error:
        raise HTTPException(404, str(error.args[0])) from error
