"""Through a real proxy, to the real simulator."""

import gc
from pathlib import Path

import pytest

from scrapers.catalog import Engine
from scrapers.errors import Blocked, Unavailable
from scrapers.fetch import open_fetcher
from tests.conftest import Simulator
from tests.scrapers.fetch.conftest import SCRAPER, first_request, quick, simulated, states, through
from tests.scrapers.fetch.servers import Proxy

ENGINES: tuple[Engine, ...] = ("http", "impersonate")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("scheme", ["http", "socks5", "socks5h"])
async def test_answers_come_through_it(simulator: Simulator, tmp_path: Path, engine: Engine, scheme: str) -> None:
    book = simulated(simulator, engine)
    async with (
        Proxy().listening() as proxy,
        open_fetcher(book, quick(tmp_path, proxy_list=through(proxy.url(scheme)))) as fetcher,
    ):
        response = await fetcher.get(first_request(book))
        assert response.status == 200
        assert len(response.body) > 1000
        assert proxy.served == 1
        assert fetcher.describe() == {
            "proxies": [{"proxy": f"#1 127.0.0.1:{proxy.port}", "state": "healthy", "strikes": 0}]
        }


@pytest.mark.parametrize("engine", ENGINES)
async def test_a_refused_proxy_gives_way_to_the_next(simulator: Simulator, tmp_path: Path, engine: Engine) -> None:
    book = simulated(simulator, engine)
    async with Proxy().listening() as first, Proxy().listening() as second:
        first.refuses = True
        settings = quick(tmp_path, proxy_list=through(first.url(), second.url()))
        async with open_fetcher(book, settings) as fetcher:
            for _ in range(3):
                assert (await fetcher.get(first_request(book))).status == 200
            assert (first.served, second.served) == (1, 3)
            second.refuses = True
            with pytest.raises(Blocked, match="answers 403"):
                await fetcher.get(first_request(book))
            with pytest.raises(Blocked, match="no healthy proxy of 2, next in"):
                await fetcher.get(first_request(book))
    assert simulator.requests(SCRAPER)["count"] == 3


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("scheme", ["http", "socks5"])
async def test_wrong_credentials(
    simulator: Simulator, tmp_path: Path, engine: Engine, scheme: str, log: list[str]
) -> None:
    book = simulated(simulator, engine)
    async with (
        Proxy(username="maria").listening() as proxy,
        open_fetcher(book, quick(tmp_path, proxy_list=through(proxy.url(scheme, password="wr0ng-w0rd")))) as fetcher,
    ):
        with pytest.raises((Unavailable, Blocked)) as failed:
            await fetcher.get(first_request(book))
        shown = f"{failed.value} {fetcher.describe()} {log}"
        assert "not working" in shown
        assert "maria" not in shown
        assert "wr0ng-w0rd" not in shown
        assert proxy.served == 0
    gc.collect()  # httpcore leaves the socket of a refused SOCKS login to the collector, which warns


@pytest.mark.parametrize("engine", ENGINES)
async def test_a_dead_proxy_gives_way_to_the_next(simulator: Simulator, tmp_path: Path, engine: Engine) -> None:
    book = simulated(simulator, engine)
    async with Proxy().listening() as proxy:
        settings = quick(tmp_path, proxy_list=through("http://127.0.0.1:9", proxy.url()))
        async with open_fetcher(book, settings) as fetcher:
            assert (await fetcher.get(first_request(book))).status == 200
            assert states(fetcher) == ["not working", "healthy"]
