"""Manners, with an engine that answers what the test says."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from scrapers.errors import Blocked, Changed, ScrapeError, Unavailable
from scrapers.fetch.polite import TRIES, Manners, PoliteFetcher
from scrapers.fetch.proxies import Proxies, Proxy, ProxyDown, parse_proxies
from scrapers.wire import Request, Response
from tests.scrapers.fetch.conftest import quick, states

REQUEST = Request("https://site.test/feed")
LIST = "http://a.test:1,http://b.test:2,http://c.test:3,http://d.test:4"


class Script:
    """An engine that plays its part line by line, the last line for ever."""

    timeout = 60.0

    def __init__(self, *lines: int | ScrapeError, retry_after: str = "", keeps_proxy: bool = False) -> None:
        self.keeps_proxy = keeps_proxy
        self.sent: list[Proxy | None] = []
        self.times: list[float] = []
        self.asked: list[str | None] = []
        self._lines = list(lines)
        self._headers = {"retry-after": retry_after} if retry_after else {}

    async def prepare(self) -> None:
        pass

    async def send(self, request: Request, proxy: Proxy | None) -> Response:
        self.sent.append(proxy)
        self.times.append(asyncio.get_running_loop().time())
        self.asked.append(urlsplit(request.url).hostname)
        line = self._lines.pop(0) if len(self._lines) > 1 else self._lines[0]
        if isinstance(line, ScrapeError):
            raise line
        return Response(request, line, self._headers, b"{}")

    def describe(self) -> dict[str, object]:
        return {}

    async def close(self) -> None:
        pass


class Sleeper(Script):
    timeout = 0.01

    async def send(self, request: Request, proxy: Proxy | None) -> Response:
        await super().send(request, proxy)
        await asyncio.Event().wait()
        raise AssertionError


def fetcher(engine: Script, tmp_path: Path, proxies: str = "", gap: float = 0.0) -> PoliteFetcher:
    return PoliteFetcher(engine, quick(tmp_path, request_gap=gap), Manners(Proxies(parse_proxies(proxies))))


def hosts(sent: Sequence[Proxy | None]) -> list[str]:
    return [proxy.host[0] if proxy else "" for proxy in sent]


async def test_unavailable_is_tried_again(tmp_path: Path) -> None:
    engine = Script(500, Unavailable("no route"), 200)
    assert (await fetcher(engine, tmp_path).get(REQUEST)).status == 200
    assert len(engine.sent) == 3


@pytest.mark.parametrize(("line", "error"), [(403, Blocked), (404, Changed), (Changed("other shape"), Changed)])
async def test_the_rest_is_not(tmp_path: Path, line: int | ScrapeError, error: type[ScrapeError]) -> None:
    engine = Script(line)
    with pytest.raises(error):
        await fetcher(engine, tmp_path).get(REQUEST)
    assert len(engine.sent) == 1


async def test_no_answer_in_time(tmp_path: Path) -> None:
    engine = Sleeper(200)
    with pytest.raises(Unavailable, match=r"site\.test did not answer within 0\.01 s"):
        await fetcher(engine, tmp_path).get(REQUEST)
    assert len(engine.sent) < TRIES, "what did not answer twice is not there"


async def test_a_short_pause_is_waited_for(tmp_path: Path) -> None:
    engine = Script(503, 200, retry_after="3")
    await fetcher(engine, tmp_path).get(REQUEST)
    assert engine.times[1] - engine.times[0] >= 3


@pytest.mark.parametrize(("status", "error"), [(503, Unavailable), (429, Blocked)])
async def test_a_long_pause_ends_the_request_and_those_after_it(
    tmp_path: Path, status: int, error: type[ScrapeError]
) -> None:
    engine = Script(status, 200, retry_after="120")
    polite = fetcher(engine, tmp_path)
    for _ in range(3):
        with pytest.raises(error):
            await polite.get(REQUEST)
    assert len(engine.sent) == 1
    assert (await polite.get(Request("https://other.test/"))).status == 200


async def test_pace_is_per_host(tmp_path: Path) -> None:
    engine = Script(200)
    polite = fetcher(engine, tmp_path, gap=0.2)
    await asyncio.gather(*(polite.get(REQUEST) for _ in range(3)), polite.get(Request("https://other.test/")))
    # Two gaps of 0.2 s lie between the first and the third; a busy machine may be late with the first by one of them.
    first, *_, third = engine.times
    assert third - first >= 0.2
    assert engine.asked[1] == "other.test", "the other host waited for nobody"


async def test_each_request_takes_the_next_proxy(tmp_path: Path) -> None:
    engine = Script(200)
    polite = fetcher(engine, tmp_path, LIST)
    for _ in range(5):
        await polite.get(REQUEST)
    assert hosts(engine.sent) == ["a", "b", "c", "d", "a"]


async def test_an_engine_may_keep_its_proxy_until_it_is_blocked(tmp_path: Path) -> None:
    engine = Script(200, 200, 403, 200, keeps_proxy=True)
    polite = fetcher(engine, tmp_path, LIST)
    for _ in range(4):
        await polite.get(REQUEST)
    assert hosts(engine.sent) == ["a", "a", "a", "b", "b"]


async def test_a_block_costs_the_proxy_its_turn(tmp_path: Path, log: list[str]) -> None:
    engine = Script(403, 200)
    polite = fetcher(engine, tmp_path, LIST)
    assert (await polite.get(REQUEST)).status == 200
    assert hosts(engine.sent) == ["a", "b"]
    assert states(polite) == ["blocked", "healthy", "healthy", "healthy"]
    assert any("#1 a.test:1 rests for 60 s" in line for line in log)


async def test_not_all_proxies_are_burnt_on_one_request(tmp_path: Path) -> None:
    engine = Script(403)
    polite = fetcher(engine, tmp_path, LIST)
    with pytest.raises(Blocked, match=r"site\.test answers 403"):
        await polite.get(REQUEST)
    assert hosts(engine.sent) == ["a", "b", "c"]
    with pytest.raises(Blocked, match=r"site\.test answers 403"):
        await polite.get(REQUEST)
    with pytest.raises(Blocked, match=r"no healthy proxy of 4, next in \d+ s"):
        await polite.get(REQUEST)
    assert hosts(engine.sent) == ["a", "b", "c", "d"]


async def test_a_proxy_that_does_not_work_is_passed_over(tmp_path: Path) -> None:
    engine = Script(ProxyDown("proxy #1 a.test:1 does not work"), 407, 200)
    polite = fetcher(engine, tmp_path, LIST)
    assert (await polite.get(REQUEST)).status == 200
    assert hosts(engine.sent) == ["a", "b", "c"]
    assert states(polite) == ["not working", "not working", "healthy", "healthy"]
