"""Small real servers on the loopback: a proxy that counts and can refuse, and a site that wants a token."""

import asyncio
import base64
from abc import ABC, abstractmethod
from asyncio import StreamReader as Reader
from asyncio import StreamWriter as Writer
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Self


class Server(ABC):
    """One connection, one exchange: then it is closed."""

    def __init__(self) -> None:
        self.port = 0
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[Self]:
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: Reader, writer: Writer) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await self.talk(reader, writer)
        finally:
            self._tasks.discard(task)
            writer.close()

    @abstractmethod
    async def talk(self, reader: Reader, writer: Writer) -> None: ...


class Proxy(Server):
    """HTTP (absolute addresses and CONNECT) and SOCKS5 on one port, with a password."""

    def __init__(self, username: str = "ana", password: str = "s3cret-w0rd") -> None:
        super().__init__()
        self.username, self.password = username, password
        self.served = 0
        self.refuses = False  # as if the site blocked this address

    def url(self, scheme: str = "http", password: str | None = None) -> str:
        return f"{scheme}://{self.username}:{self.password if password is None else password}@127.0.0.1:{self.port}"

    async def talk(self, reader: Reader, writer: Writer) -> None:
        first = await reader.readexactly(1)
        if first == b"\x05":
            await self._socks(reader, writer)
        else:
            await self._http(first + await reader.readuntil(b"\r\n\r\n"), reader, writer)

    async def _http(self, head: bytes, reader: Reader, writer: Writer) -> None:
        expected = base64.b64encode(f"{self.username}:{self.password}".encode()).decode()
        line, _, headers = head.decode().partition("\r\n")
        if f"basic {expected}".lower() not in headers.lower():
            writer.write(
                b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=x\r\n"
                b"Content-Length: 0\r\nConnection: close\r\n\r\n"
            )
            return await writer.drain()
        method, target, version = line.split(" ")
        if method == "CONNECT":
            host, _, port = target.partition(":")
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            return await self._join(host, int(port), b"", reader, writer)
        host, _, path = target.removeprefix("http://").partition("/")
        kept = [h for h in headers.split("\r\n") if h and not h.lower().startswith(("proxy-", "connection"))]
        request = "\r\n".join([f"{method} /{path} {version}", *kept, "Connection: close", "", ""])
        name, _, port = host.partition(":")
        return await self._join(name, int(port or 80), request.encode(), reader, writer)

    async def _socks(self, reader: Reader, writer: Writer) -> None:
        await reader.readexactly((await reader.readexactly(1))[0])
        writer.write(b"\x05\x02")
        await reader.readexactly(1)
        username = await reader.readexactly((await reader.readexactly(1))[0])
        password = await reader.readexactly((await reader.readexactly(1))[0])
        good = (username.decode(), password.decode()) == (self.username, self.password)
        writer.write(b"\x01\x00" if good else b"\x01\x01")
        await writer.drain()
        if not good:
            return
        kind = (await reader.readexactly(4))[3]
        if kind == 1:
            host = ".".join(str(part) for part in await reader.readexactly(4))
        else:
            host = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
        port = int.from_bytes(await reader.readexactly(2), "big")
        writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
        await self._join(host, port, b"", reader, writer)

    async def _join(self, host: str, port: int, start: bytes, reader: Reader, writer: Writer) -> None:
        self.served += 1
        if self.refuses:
            if not start:
                await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return await writer.drain()
        far_reader, far_writer = await asyncio.open_connection(host, port)
        try:
            far_writer.write(start)
            await asyncio.gather(pour(reader, far_writer), pour(far_reader, writer))
        finally:
            far_writer.close()
        return None


async def pour(source: Reader, sink: Writer) -> None:
    while chunk := await source.read(65536):
        sink.write(chunk)
        await sink.drain()
    if sink.can_write_eof():
        sink.write_eof()


class TokenSite(Server):
    """A page whose script sends a token to the API; the API refuses whoever lacks the token or the page's cookie."""

    def __init__(self) -> None:
        super().__init__()
        self.visits = 0  # of the page; the token is the number of the visit
        self.answers = 0
        self.is_expired = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def talk(self, reader: Reader, writer: Writer) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        path = head.split(" ")[1]
        if path.startswith("/api/"):
            good = f"authorization: token-{self.visits}\r\n" in head.lower() and f"visit={self.visits}" in head
            status = "200 OK" if good and not self.is_expired else "403 Forbidden"
            self.answers += status == "200 OK"
            reply(writer, status, "application/json", '{"events": []}')
        elif path == "/":
            self.visits += 1
            self.is_expired = False
            script = f"fetch('/api/feed', {{headers: {{authorization: 'token-{self.visits}'}}}})"
            page = f"<!doctype html><title>site</title><script>{script}</script>"
            reply(writer, "200 OK", "text/html", page, f"Set-Cookie: visit={self.visits}; Path=/\r\n")
        else:
            reply(writer, "404 Not Found", "text/plain", "")
        await writer.drain()


def reply(writer: Writer, status: str, kind: str, body: str, headers: str = "") -> None:
    writer.write(
        f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{headers}"
        f"Connection: close\r\n\r\n{body}".encode()
    )
