"""Every fault of the simulator through the engines without a browser: the class that comes out is what we act on."""

from pathlib import Path

import pytest

from scrapers.catalog import Engine
from scrapers.errors import Blocked, Changed, ScrapeError, Unavailable
from scrapers.fetch import open_fetcher
from simulator.faults import FAULTS
from tests.conftest import Simulator
from tests.scrapers.fetch.conftest import SCRAPER, first_request, quick, simulated

ENGINES: tuple[Engine, ...] = ("http", "impersonate")
BAD: dict[str, type[ScrapeError]] = {
    "hang": Unavailable,
    "403": Blocked,
    "429": Blocked,
    "500": Unavailable,
    "truncated": Unavailable,
    "huge": Changed,
    "huge_gzip": Changed,
    "drop": Unavailable,
    "challenge": Blocked,
    "redirect": Changed,
}
ANSWERED = {"slow", "empty", "malformed", "hostile", "leak"}  # whatever is wrong with it, the platform will see


def test_every_fault_is_known_here() -> None:
    assert BAD.keys() | ANSWERED == FAULTS.keys()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("fault", BAD)
async def test_fault(simulator: Simulator, tmp_path: Path, engine: Engine, fault: str) -> None:
    book = simulated(simulator, engine)
    simulator.fault(SCRAPER, fault)
    settings = quick(tmp_path, request_timeout=0.5 if fault == "hang" else 30.0)
    async with open_fetcher(book, settings) as fetcher:
        with pytest.raises(BAD[fault]):
            await fetcher.get(first_request(book))
    tries = (1, 2) if fault == "hang" else (3,) if BAD[fault] is Unavailable else (1,)
    assert simulator.requests(SCRAPER)["count"] in tries


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("fault", sorted(ANSWERED))
async def test_fault_that_is_an_answer(simulator: Simulator, tmp_path: Path, engine: Engine, fault: str) -> None:
    book = simulated(simulator, engine)
    simulator.fault(SCRAPER, fault, delay=0.1)
    async with open_fetcher(book, quick(tmp_path)) as fetcher:
        response = await fetcher.get(first_request(book))
    assert response.status == 200
    assert response.headers["content-type"].startswith("application/json")


@pytest.mark.parametrize("engine", ENGINES)
async def test_a_passing_fault_is_not_noticed(simulator: Simulator, tmp_path: Path, engine: Engine) -> None:
    book = simulated(simulator, engine)
    simulator.fault(SCRAPER, "drop", count=1)
    async with open_fetcher(book, quick(tmp_path)) as fetcher:
        assert (await fetcher.get(first_request(book))).status == 200
    assert simulator.requests(SCRAPER)["count"] == 2


@pytest.mark.parametrize("engine", ENGINES)
async def test_a_site_that_asks_for_a_pause_gets_it(simulator: Simulator, tmp_path: Path, engine: Engine) -> None:
    book = simulated(simulator, engine)
    simulator.fault(SCRAPER, "429", retry_after=600, count=1)
    async with open_fetcher(book, quick(tmp_path)) as fetcher:
        with pytest.raises(Blocked) as refused:
            await fetcher.get(first_request(book))
        assert refused.value.retry_after == 600
        with pytest.raises(Blocked, match="asked to be left alone for"):
            await fetcher.get(first_request(book))
    assert simulator.requests(SCRAPER)["count"] == 1


async def test_the_handshake_is_that_of_a_browser(simulator: Simulator, tmp_path: Path) -> None:
    book = simulated(simulator, "impersonate")
    async with open_fetcher(book, quick(tmp_path)) as fetcher:
        await fetcher.get(first_request(book))
    assert "Chrome/" in simulator.requests(SCRAPER)["user_agent"]


@pytest.mark.parametrize("engine", ENGINES)
async def test_nobody_listens(tmp_path: Path, engine: Engine) -> None:
    book = simulated(Simulator("http://127.0.0.1:9"), engine)
    async with open_fetcher(book, quick(tmp_path)) as fetcher:
        with pytest.raises(Unavailable, match=r"127\.0\.0\.1 cannot be reached"):
            await fetcher.get(first_request(book))
