"""One cycle's collecting, on a site that answers some requests and not others."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain, repeat

import pytest

from scrapers import catalog
from scrapers.collect import MOST_FAILURES, Collected, collect
from scrapers.errors import Blocked, ScrapeError, Unavailable
from scrapers.odds import Page
from scrapers.wire import Request, Response
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
