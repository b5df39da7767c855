"""Rounds in sequence, with a database that only knows of leases."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from common.settings import ScraperSettings, Secret, StoreSettings
from scrapers import catalog
from scrapers.cycling import Scraper
from scrapers.runner import Ended
from scrapers.sequential import LIGHT_SECONDS, run_in_turn, take_turn
from scrapers.stopping import Stop
from store.rpc import Rpc
from tests.conftest import Simulator

BOOKS = [catalog.get(name) for name in ("superbet", "kto", "estrelabet")]
PATIENCE = 60.0  # a failing test waits this long, a passing one does not


class Leases:
    """Notes who asks for a lease."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.status = 200
        self.held_by_others: set[str] = set()
        self.stops_at_the_first = False

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        body = await reader.readexactly(int(head.partition("content-length: ")[2].split("\r\n")[0]))
        said: object = None
        if "acquire_lease" in head:
            self.asked.append(asked := msgspec.json.decode(body))
            if self.stops_at_the_first:
                os.kill(os.getpid(), signal.SIGTERM)
                await asyncio.sleep(0.1)
            said = {"granted": asked["p_scraper"] not in self.held_by_others, "epoch": 1}
        text = msgspec.json.encode(said)
        writer.write(b"HTTP/1.1 %d X\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % (self.status, len(text)))
        writer.write(text)
        await writer.drain()
        writer.close()


@pytest.fixture
async def leases() -> AsyncIterator[tuple[Leases, str]]:
    leases = Leases()
    async with await asyncio.start_server(leases.answer, "127.0.0.1", 0) as server:
        yield leases, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def settings_for(simulator: Simulator, folder: Path) -> ScraperSettings:
    return ScraperSettings(simulator_url=simulator.url, spool_dir=folder, request_gap=0, stop_grace=2)


def begin(simulator: Simulator, database: str, folder: Path) -> "asyncio.Task[Ended]":
    store = StoreSettings(supabase_url=database, supabase_key=Secret("key"))
    return asyncio.create_task(run_in_turn(BOOKS, settings_for(simulator, folder), store))


async def end(running: "asyncio.Task[Ended]") -> None:
    for _ in range(2):  # the second ends the cycle in hand
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(0.1)
    async with asyncio.timeout(PATIENCE):
        assert await running is Ended.STOPPED


async def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


async def until_asked(simulator: Simulator, book: str) -> None:
    await until(lambda: simulator.requests(book)["count"] > 0)


async def test_all_say_how_long_a_round_takes_before_the_first_has_its_turn(
    simulator: Simulator, leases: tuple[Leases, str], tmp_path: Path
) -> None:
    database, url = leases
    database.held_by_others = {"kto"}
    simulator.fault("superbet", "hang")
    running = begin(simulator, url, tmp_path)
    await until_asked(simulator, "superbet")
    await end(running)
    expected = len(BOOKS) * LIGHT_SECONDS
    assert [(asked["p_scraper"], asked["p_interval"]) for asked in database.asked] == [
        (book.name, expected) for book in BOOKS
    ]


async def test_a_stop_does_not_wait_for_the_other_leases(
    simulator: Simulator, leases: tuple[Leases, str], tmp_path: Path
) -> None:
    database, url = leases
    database.stops_at_the_first = True
    async with asyncio.timeout(PATIENCE):
        assert await begin(simulator, url, tmp_path) is Ended.STOPPED
    assert [asked["p_scraper"] for asked in database.asked] == ["superbet"]


async def test_when_others_hold_every_lease_the_database_is_not_stormed(
    simulator: Simulator, leases: tuple[Leases, str], tmp_path: Path
) -> None:
    database, url = leases
    database.held_by_others = {book.name for book in BOOKS}
    running = begin(simulator, url, tmp_path)
    await until(lambda: len(database.asked) >= 2 * len(BOOKS))  # at the start, and in the first round
    await asyncio.sleep(1)
    assert len(database.asked) == 2 * len(BOOKS)
    await end(running)


async def test_when_every_site_refuses_at_once_rounds_have_a_least_length(
    simulator: Simulator, leases: tuple[Leases, str], tmp_path: Path
) -> None:
    database, url = leases
    database.status = 503
    for book in BOOKS:
        simulator.fault(book.name, "403")
    running = begin(simulator, url, tmp_path)
    await until_asked(simulator, BOOKS[-1].name)
    asked = simulator.requests("superbet")["count"]
    await asyncio.sleep(2)
    assert simulator.requests("superbet")["count"] == asked
    await end(running)


async def test_a_site_that_asked_to_be_left_alone_is_left_alone_in_its_next_turn(
    simulator: Simulator, tmp_path: Path
) -> None:
    simulator.fault("superbet", "429", retry_after=600)
    settings = settings_for(simulator, tmp_path)
    async with Rpc(StoreSettings(supabase_url="http://127.0.0.1:1", supabase_key=Secret("key"))) as nowhere:
        scraper = Scraper(BOOKS[0], nowhere, settings, 30)
        await take_turn(scraper, settings, Stop(2))
        asked = simulator.requests("superbet")["count"]
        assert asked
        await take_turn(scraper, settings, Stop(2))
        await scraper.close()
    assert simulator.requests("superbet")["count"] == asked


async def test_a_database_that_is_away_keeps_nobody_from_scraping(
    simulator: Simulator, leases: tuple[Leases, str], tmp_path: Path
) -> None:
    database, url = leases
    database.status = 503
    running = begin(simulator, url, tmp_path)
    await until_asked(simulator, BOOKS[-1].name)
    await end(running)
