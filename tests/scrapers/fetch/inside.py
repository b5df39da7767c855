"""Runs in the container that has a browser, and does what a test outside tells it: one JSON object per line, each way.

python -m tests.scrapers.fetch.inside '{"book": "betano", "simulator": "http://simulator:9000"}'
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

from common import logs
from common.settings import LogSettings, ScraperSettings, Secret
from scrapers import catalog
from scrapers.catalog import Bookmaker
from scrapers.collect import collect
from scrapers.errors import ScrapeError
from scrapers.fetch import Fetcher, make_engine, open_fetcher, processes
from scrapers.fetch.answers import check
from scrapers.fetch.engine import Engine
from scrapers.wire import Request, Response
from tests.scrapers.fetch.servers import Proxy, TokenSite

Answer = dict[str, Any]


def role(command: str) -> str:
    """What part of a browser a process is; empty for others."""
    if "run-driver" in command:
        return "driver"
    if "chromium" not in command:
        return ""
    return "renderer" if "--type=renderer" in command else "helper" if "--type=" in command else "browser"


def browser_processes() -> list[tuple[int, str]]:
    alive = (process for process in processes.processes() if process.is_alive)
    return [(process.pid, part) for process in alive if (part := role(processes.command(process.pid)))]


class Bare:
    """The engine without manners: an error of its own is not hidden by a second try."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def get(self, request: Request) -> Response:
        await self._engine.prepare()
        async with asyncio.timeout(60):
            return check(await self._engine.send(request, None))

    def describe(self) -> dict[str, object]:
        return self._engine.describe()


@asynccontextmanager
async def open_bare(book: Bookmaker, settings: ScraperSettings) -> AsyncIterator[Fetcher]:
    engine = make_engine(book, settings)
    if book.engine == "browser_once":
        from scrapers.fetch.http import HttpEngine
        from scrapers.fetch.once import OnceEngine

        engine = OnceEngine(book, settings, HttpEngine(settings), rest=0.0)
    try:
        yield Bare(engine)
    finally:
        await engine.close()


class Inside:
    def __init__(self, book: Bookmaker, fetcher: Fetcher, proxy: Proxy, site: TokenSite) -> None:
        self._book = book
        self._fetcher = fetcher
        self._proxy = proxy
        self._site = site
        self._background: asyncio.Task[Answer] | None = None

    async def do(self, command: Answer) -> Answer:
        answer: Answer = await getattr(self, f"do_{command['do']}")(command)
        return answer

    async def do_get(self, command: Answer) -> Answer:
        request = Request(command["url"], command.get("params", {}), headers=command.get("headers", {}))
        try:
            response = await self._fetcher.get(request)
        except ScrapeError as error:
            return {"error": error.kind, "message": str(error)}
        return {"status": response.status, "body": response.body[:2000].decode(errors="replace")}

    async def do_begin(self, command: Answer) -> Answer:
        """A request that is not waited for: `end` or `cancel` comes later."""
        self._background = asyncio.create_task(self.do_get(command))
        return {}

    async def do_many(self, command: Answer) -> Answer:
        """The same request so many times at once."""
        return {"answers": await asyncio.gather(*(self.do_get(command) for _ in range(command["times"])))}

    async def do_end(self, _: Answer) -> Answer:
        assert self._background
        return await self._background

    async def do_cancel(self, _: Answer) -> Answer:
        assert self._background
        self._background.cancel()
        with suppress(asyncio.CancelledError):
            return await self._background
        return {"cancelled": True}

    async def do_collect(self, _: Answer) -> Answer:
        try:
            collected = await collect(self._book, self._fetcher)
        except ScrapeError as error:
            return {"error": error.kind, "message": str(error)}
        return {"events": len(collected.events), "error": collected.error and collected.error.kind}

    async def do_kill(self, command: Answer) -> Answer:
        for pid, part in browser_processes():
            if part == command["role"]:
                os.kill(pid, signal.SIGKILL)
        return {}

    async def do_processes(self, _: Answer) -> Answer:
        return {"processes": browser_processes()}

    async def do_describe(self, _: Answer) -> Answer:
        return self._fetcher.describe()

    async def do_expire(self, _: Answer) -> Answer:
        self._site.is_expired = True
        return {}

    async def do_counts(self, _: Answer) -> Answer:
        return {"proxied": self._proxy.served, "visits": self._site.visits, "answers": self._site.answers}


async def commands() -> AsyncIterator[Answer]:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        yield json.loads(line)


def say(answer: Answer) -> None:
    print(json.dumps(answer), flush=True)  # noqa: T201


async def serve(told: Answer) -> None:
    book = catalog.get(told["book"]).at(told["simulator"])
    book = replace(book, **{**told.get("row", {}), "params": {**book.params, **told.get("params", {})}})
    async with Proxy().listening() as proxy, TokenSite().listening() as site:
        if told.get("at_token_site"):
            book = replace(book, site=site.url, api=f"{site.url}/api")
        settings = ScraperSettings(
            request_gap=0.0,
            proxy_list=Secret(proxy.url() if told.get("through_proxy") else ""),
            **told.get("settings", {}),
        )
        async with (open_bare if told.get("bare") else open_fetcher)(book, settings) as fetcher:
            inside = Inside(book, fetcher, proxy, site)
            say({"ready": True, "api": book.api})
            async for command in commands():
                say(await inside.do(command))


async def main() -> None:
    logs.configure(LogSettings(log_level="DEBUG", log_format="json"))
    work = asyncio.create_task(serve(json.loads(sys.argv[1])))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, work.cancel)
    with suppress(asyncio.CancelledError):
        await work
    say({"closed": True, "processes": browser_processes(), "left_in_tmp": os.listdir("/tmp")})


if __name__ == "__main__":
    asyncio.run(main())
