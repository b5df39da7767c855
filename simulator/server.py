"""The simulator as a server: one port for all bookmakers, Discord and the controls."""

import asyncio
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from simulator.control import Control
from simulator.guarded import Guarded
from simulator.model import World
from simulator.sites import Sites
from simulator.state import State
from simulator.webhooks import Webhooks

GRACE = 3  # seconds for answers in hand; faults that hold a connection end at once


async def health(_request: Request) -> Response:
    return PlainTextResponse("ok")


def application(state: State) -> Starlette:
    sites, webhooks = Sites(state), Webhooks(state)
    discord = Guarded(state, webhooks.target, webhooks.respond)
    hook = "/discord/api/webhooks/{webhook}/{token}"
    return Starlette(
        routes=[
            Route("/health", health),
            *Control(state).routes(),
            Route(hook, discord, methods=["POST"]),
            Route(hook + "/messages/{message}", discord, methods=["GET", "PATCH", "DELETE"]),
            Route("/{scraper}/{path:path}", Guarded(state, sites.target, sites.respond)),
        ]
    )


class Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, state: State, listening: Callable[[], None]) -> None:
        super().__init__(config)
        self._state = state
        self._listening = listening
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)
        self._listening()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        if self._loop:
            self._loop.call_soon_threadsafe(self._state.connections.stopping.set)


def serve(listener: socket.socket, seed: int, listening: Callable[[], None]) -> None:
    """Serves until SIGTERM or SIGINT."""
    state = State(world=World(seed=seed))
    config = uvicorn.Config(
        application(state),
        http=state.connections.protocol(),
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # connections are found by the client's true address
        timeout_keep_alive=75,
        timeout_graceful_shutdown=GRACE,
    )
    Server(config, state, listening).run(sockets=[listener])
