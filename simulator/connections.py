"""The sockets below HTTP, for faults that HTTP cannot express: an answer cut short, a connection that just ends."""

import asyncio

from starlette.types import Receive, Scope
from uvicorn.protocols.http.h11_impl import H11Protocol

Peer = tuple[str, int]


class Connections:
    def __init__(self) -> None:
        self._open: dict[Peer, asyncio.Transport] = {}
        self.stopping = asyncio.Event()

    def protocol(self) -> type[H11Protocol]:
        """A protocol for uvicorn that tells us of each connection."""
        connections = self._open

        class Tracked(H11Protocol):
            def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
                super().connection_made(transport)
                if self.client:
                    connections[self.client] = transport

            def connection_lost(self, exc: Exception | None) -> None:
                if self.client:
                    connections.pop(self.client, None)
                super().connection_lost(exc)

        return Tracked

    def close(self, scope: Scope) -> None:
        """What was written is still sent."""
        if transport := self._transport(scope):
            transport.close()

    def abort(self, scope: Scope) -> None:
        if transport := self._transport(scope):
            transport.abort()

    def is_open(self, scope: Scope) -> bool:
        transport = self._transport(scope)
        return transport is not None and not transport.is_closing()

    def _transport(self, scope: Scope) -> asyncio.Transport | None:
        host, port = scope["client"]
        return self._open.get((host, port))


async def gone(receive: Receive) -> None:
    """Returns when the client has left. The request's body must have been read."""
    while (await receive())["type"] != "http.disconnect":
        pass
