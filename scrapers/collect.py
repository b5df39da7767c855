"""One cycle's collecting: what a bookmaker offers now, as far as its site answers."""

import asyncio
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import msgspec

from scrapers import platforms
from scrapers.catalog import Bookmaker
from scrapers.errors import Blocked, Changed, ScrapeError, Unavailable
from scrapers.fetch import Fetcher
from scrapers.odds import Event, Page
from scrapers.wire import Response

MOST_REQUESTS = 200  # a site that answers each request with another must not keep us for ever
MOST_FAILURES = 2  # requests in a row, each with its retries: then the site is down, and is not asked the rest
LONGEST_BEGUN, LONGEST_AHEAD = timedelta(days=1), timedelta(days=730)  # of a kick-off that can be true

Watch = Callable[[Response, Page, float], None]  # answer, what it gave, seconds it took


class Collected:
    def __init__(self) -> None:
        self._events: dict[str, Event] = {}
        self.fetched_at: dict[str, datetime] = {}  # by event id; of several answers, when the first was read
        self.skipped: dict[str, int] = {}
        self.answers = 0
        self.error: ScrapeError | None = None  # the first; what the other requests gave is kept

    @property
    def events(self) -> list[Event]:
        return list(self._events.values())

    @property
    def price_count(self) -> int:
        return sum(event.price_count for event in self.events)

    def take(self, page: Page, read_at: datetime) -> None:
        self.answers += 1
        for reason, count in page.skipped.items():
            self.skipped[reason] = self.skipped.get(reason, 0) + count
        for event in page.events:
            if event.league is None:
                self.skip("league not collected")
            elif not read_at - LONGEST_BEGUN <= event.starts_at <= read_at + LONGEST_AHEAD:
                self.skip("impossible kick-off")
            elif known := self._events.get(event.external_id):
                # Some books price early payout in an answer of its own.
                new = tuple(market for market in event.markets if market.key not in {had.key for had in known.markets})
                self._events[event.external_id] = msgspec.structs.replace(known, markets=known.markets + new)
                if not new:
                    self.skip("listed twice")
            else:
                self._events[event.external_id] = event
                self.fetched_at[event.external_id] = read_at

    def skip(self, reason: str) -> None:
        self.skipped[reason] = self.skipped.get(reason, 0) + 1


async def collect(book: Bookmaker, fetcher: Fetcher, watch: Watch | None = None) -> Collected:
    """Ask everything the platform wants to ask. A block ends it at once, and so does a site that is down; any other
    error costs only its own request.

    Raises that error when nothing at all was answered.
    """
    platform = platforms.load(book.platform)
    collected = Collected()
    waiting = deque(platform.requests(book, datetime.now(UTC)))
    asked = failures_in_a_row = 0
    while waiting:
        request = waiting.popleft()
        asked += 1
        started = asyncio.get_running_loop().time()
        try:
            if asked > MOST_REQUESTS:
                raise Changed(f"more than {MOST_REQUESTS} requests in one cycle: the site leads in circles")
            response = await fetcher.get(request)
            read_at = datetime.now(UTC)
            page = platform.parse(book, response)
        except ScrapeError as error:
            collected.error = collected.error or error
            failures_in_a_row = failures_in_a_row + 1 if isinstance(error, Unavailable) else 0
            if isinstance(error, Blocked) or failures_in_a_row >= MOST_FAILURES or asked > MOST_REQUESTS:
                break
            continue
        failures_in_a_row = 0
        waiting.extend(page.follow)
        collected.take(page, read_at)
        if watch:
            watch(response, page, asyncio.get_running_loop().time() - started)
    if collected.error and not collected.answers:
        raise collected.error
    return collected
