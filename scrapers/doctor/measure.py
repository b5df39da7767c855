"""Measures this machine: memory and cores as the kernel tells them, also from inside a container, and the way out."""

import asyncio
import os
import shutil
import socket
import time
from collections import defaultdict
from collections.abc import Sequence
from email.utils import parsedate_to_datetime
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

import httpx

from scrapers.catalog import Bookmaker
from scrapers.doctor.machine import MEGABYTE, Clock, Machine, Visit
from scrapers.fetch.http import HEADERS

AT_ONCE = 4  # more would measure each other
DNS_PATIENCE, PATIENCE = 5.0, 10.0
MEMINFO = Path("/proc/meminfo")


async def measure(books: Sequence[Bookmaker], volumes: Path, store_url: str) -> Machine:
    visits, clocks = await visit_all(books)
    async with httpx.AsyncClient(timeout=DNS_PATIENCE) as client:
        _, of_store = await ask(client, store_url)
    if of_store is not None:
        seen: Clock | None = Clock(of_store, "the database")
    else:
        seen = Clock(median(clocks), "the bookmakers' sites") if clocks else None
    memory = read_meminfo()
    return Machine(
        memory_mb=memory.get("MemTotal"),
        cores=os.cpu_count(),
        load=os.getloadavg()[1] if hasattr(os, "getloadavg") else None,
        disk_free_mb=free_mb(volumes),
        clock=seen,
        visits=tuple(visits),
    )


def read_meminfo(path: Path = MEMINFO) -> dict[str, int]:
    """In MB. A container sees the machine's own: control groups limit it, but do not change what it reads here."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return {}
    fields = (line.split() for line in lines)
    return {words[0].rstrip(":"): int(words[1]) // 1024 for words in fields if len(words) == 3 and words[2] == "kB"}


def free_mb(path: Path) -> int | None:
    """A container's volume lies where Docker keeps everything."""
    for place in (path, Path("/")):
        try:
            return shutil.disk_usage(place).free // MEGABYTE
        except OSError:
            continue
    return None


def origins(books: Sequence[Bookmaker]) -> dict[str, tuple[str, ...]]:
    """What each is read from; a browser opens the site as well."""
    readers: dict[str, list[str]] = defaultdict(list)
    for book in books:
        for origin in dict.fromkeys((book.api, book.site) if book.is_heavy else (book.api,)):
            readers[origin].append(book.name)
    return {origin: tuple(names) for origin, names in readers.items()}


async def visit_all(books: Sequence[Bookmaker]) -> tuple[list[Visit], list[float]]:
    turns = asyncio.Semaphore(AT_ONCE)
    async with httpx.AsyncClient(timeout=PATIENCE, headers=HEADERS) as client:

        async def one(origin: str, scrapers: tuple[str, ...]) -> tuple[Visit, float | None]:
            async with turns:
                return await visit(client, origin, scrapers)

        seen = await asyncio.gather(*(one(*item) for item in origins(books).items()))
    return [item for item, _ in seen], [ahead for _, ahead in seen if ahead is not None]


async def visit(client: httpx.AsyncClient, origin: str, scrapers: tuple[str, ...]) -> tuple[Visit, float | None]:
    address = urlsplit(origin)
    short = f"{address.netloc}{address.path}"
    try:
        async with asyncio.timeout(DNS_PATIENCE):
            await asyncio.get_running_loop().getaddrinfo(address.hostname, address.port or 443, type=socket.SOCK_STREAM)
    except (OSError, TimeoutError) as error:
        return Visit(
            origin=short, scrapers=scrapers, error=f"its name is unknown: {error or 'no answer in time'}"
        ), None
    answer, ahead = await ask(client, origin)
    if isinstance(answer, str):
        return Visit(origin=short, scrapers=scrapers, resolved=True, error=answer), None
    status, seconds = answer
    return Visit(origin=short, scrapers=scrapers, resolved=True, seconds=seconds, status=status), ahead


async def ask(client: httpx.AsyncClient, url: str) -> tuple[tuple[int, float] | str, float | None]:
    """Status and seconds, or why there is none; and how far our clock is ahead of the one who answers."""
    started, began = time.monotonic(), time.time()
    try:
        async with client.stream("GET", url) as answer:
            seconds = time.monotonic() - started
            return (answer.status_code, seconds), ahead_of(answer.headers.get("date"), began + seconds / 2)
    except httpx.HTTPError as error:
        return str(error) or type(error).__name__, None


def ahead_of(date: str | None, here: float) -> float | None:
    try:
        there = parsedate_to_datetime(date).timestamp() + 0.5 if date else None  # whole seconds, cut off
    except ValueError:
        return None
    return None if there is None else here - there
