"""One cycle's collecting, on a site that answers some requests and not others."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain, repeat
from pathlib import Path

import pytest

from common.settings import ScraperSettings, Secret, StoreSettings
from scrapers import catalog
from scrapers.collect import MOST_FAILURES, Collected, collect
from scrapers.cycling import Scraper
from scrapers.errors import Blocked, ScrapeError, Unavailable
from scrapers.fetch import Fetcher, open_fetcher
from scrapers.odds import MarketKey, Page
from scrapers.wire import Request, Response
from store.rpc import Rpc
from store.spool import Spool
from tests.conftest import Simulator
from tests.cycles import page_event

SEVERAL = catalog.get("novibet")  # a platform that asks for each league apart


class Site:
    """Answers with an empty list, or with the error that is next in line."""

    def __init__(self, *errors: ScrapeError | None, then: ScrapeError | None = None) -> None:
        self.asked = 0
        self._errors: Iterator[ScrapeError | None] = chain(errors, repeat(then))

    async def get(self, request: Request) -> Response:
        self.asked += 1
        if error := next(self._errors):
            raise error
        return Response(request, 200, {}, b"[]")

    def describe(self) -> dict[str, object]:
        return {}


async def test_a_dead_site_is_not_asked_to_the_end() -> None:
    site = Site(then=Unavailable("dead"))
    with pytest.raises(Unavailable):
        await collect(SEVERAL, site)
    assert site.asked == MOST_FAILURES


async def test_a_site_that_dies_half_way_is_left_alone_too() -> None:
    site = Site(None, None, then=Unavailable("dead"))
    collected = await collect(SEVERAL, site)
    assert (site.asked, collected.answers, str(collected.error)) == (2 + MOST_FAILURES, 2, "dead")


async def test_single_failures_cost_only_themselves() -> None:
    whole = Site()
    await collect(SEVERAL, whole)
    patchy = Site(Unavailable("one"), None, Unavailable("two"), None)
    collected = await collect(SEVERAL, patchy)
    assert patchy.asked == whole.asked
    assert (collected.answers, str(collected.error)) == (whole.asked - 2, "one")


async def test_a_block_ends_it_at_once() -> None:
    site = Site(None, then=Blocked("403"))
    collected = await collect(SEVERAL, site)
    assert (site.asked, collected.answers) == (2, 1)


def test_an_event_is_as_old_as_the_first_of_its_answers() -> None:
    """Some books price early payout in an answer of its own."""
    now = datetime.now(UTC)
    collected = Collected()
    answers: list[tuple[MarketKey, int]] = [("h2h", 50), ("h2h_2up", 0)]
    for market, ago in answers:
        page = Page()
        page.events.append(page_event(1, market=market))
        collected.take(page, now - timedelta(seconds=ago))
    assert len(collected.events[0].markets) == 2
    assert collected.fetched_at == {"1": now - timedelta(seconds=50)}


class Noted:
    """A fetcher that notes when it was asked and when it had the answer."""

    def __init__(self, fetcher: Fetcher) -> None:
        self.asked: list[datetime] = []
        self.answered: list[datetime] = []
        self._fetcher = fetcher

    async def get(self, request: Request) -> Response:
        self.asked.append(datetime.now(UTC))
        response = await self._fetcher.get(request)
        self.answered.append(datetime.now(UTC))
        return response

    def describe(self) -> dict[str, object]:
        return self._fetcher.describe()


async def test_events_are_stored_with_the_time_at_which_their_answer_was_read(
    simulator: Simulator, tmp_path: Path
) -> None:
    settings = ScraperSettings(simulator_url=simulator.url, spool_dir=tmp_path, request_gap=0.05)
    async with Rpc(StoreSettings(supabase_url="http://127.0.0.1:1", supabase_key=Secret("key"))) as nowhere:
        scraper = Scraper(SEVERAL, nowhere, settings, 30)
        async with open_fetcher(scraper.book, settings) as fetcher:
            noted = Noted(fetcher)
            await scraper.cycle(noted)
        await scraper.close()
    spool = Spool(tmp_path, SEVERAL.name, 10)
    cycle = next(spool.oldest())
    spool.close()

    pauses = list(zip(noted.answered, [*noted.asked[1:], cycle.finished_at], strict=True))  # after each answer
    for event in cycle.events:
        assert event.fetched_at
        assert any(since <= event.fetched_at <= until for since, until in pauses)
    assert len({event.fetched_at for event in cycle.events}) > 1


def test_a_kick_off_that_cannot_be_is_left_out_and_counted() -> None:
    now = datetime.now(UTC)
    possible = [now - timedelta(hours=3), now, now + timedelta(days=400)]
    absurd = [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC), datetime.fromtimestamp(0, UTC)]
    page = Page()
    page.events += [page_event(number, starts_at=at) for number, at in enumerate(possible + absurd)]
    collected = Collected()
    collected.take(page, now)
    assert [event.starts_at for event in collected.events] == possible
    assert collected.skipped == {"impossible kick-off": len(absurd)}
