"""Where the pages get their data: asked while somebody looks, once for all of them, and kept when it is away."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from loguru import logger

from dashboard.docker import Docker, DockerAway
from dashboard.model import Container, Snapshot
from dashboard.view_scraper import ScraperPage
from scrapers.errors import Refused
from store.dashboard import DashboardStore, IncidentRow, MatchDetail, ScraperDetail, State, Surebets
from store.rpc import StoreDown

K = TypeVar("K")
T = TypeVar("T")
PATIENCE = 1.0  # seconds that a page waits for news when there is something older to show
OLD, PATIENCE_WITH_OLD = 15.0, 3.0  # … and when nobody has looked for so long that it may be wrong by now
CONTAINERS_EVERY, LOG_EVERY, MATCH_EVERY = 5.0, 3.0, 10.0
MOST_KEPT = 60  # details that are remembered, the latest


class Kept(Generic[T]):
    """What was read last, and why the next reading failed if it did. One reading at a time, whoever asks."""

    def __init__(self, read: Callable[[], Awaitable[T]], clock: Callable[[], float] = time.monotonic) -> None:
        self._read = read
        self._clock = clock
        self._reading: asyncio.Task[None] | None = None
        self._tried = -1e9
        self.value: T | None = None
        self.read_at = -1e9  # by the monotonic clock
        self.away = ""

    async def get(self, max_age: float, patience: float | None = None, news: float = PATIENCE) -> T | None:
        """The latest. Where there is nothing yet, it is waited for, `patience` at most; where there is, `news`, and
        longer where that is old."""
        if self._reading is None and self._clock() - self._tried >= max_age:
            self._reading = asyncio.create_task(self._refresh())
        if self._reading is not None:
            least = PATIENCE_WITH_OLD if self._is_old else 0
            await asyncio.wait({self._reading}, timeout=patience if self.value is None else max(news, least))
        return self.value

    async def anew(self, patience: float) -> T | None:
        """As it is now: what is being read already began before this was asked."""
        if self._reading is not None:
            await asyncio.wait({self._reading}, timeout=patience)
        return await self.get(0, patience, patience)

    @property
    def _is_old(self) -> bool:
        """Not of what is known to be away: no page waits for that."""
        return not self.away and self._clock() - self.read_at > OLD

    async def _refresh(self) -> None:
        try:
            self.value = await self._read()
        except (StoreDown, Refused, DockerAway) as error:
            if not self.away:
                logger.warning("[source] {}", error)
            self.away = str(error)
        except Exception as error:  # noqa: BLE001 - what was read before is better than no page
            logger.opt(exception=error).error("[source] a fault of our own, please report it: {}", error)
            self.away = f"{type(error).__name__}: {error}"
        else:
            self.away, self.read_at = "", self._clock()
        finally:
            self._tried, self._reading = self._clock(), None


class Source:
    def __init__(self, store: DashboardStore, docker: Docker, poll: float) -> None:
        self._store = store
        self._docker = docker
        self.poll = poll
        self._state: Kept[State] = Kept(store.state)
        self._containers: Kept[tuple[Container, ...]] = Kept(docker.containers)
        self._listed: Kept[tuple[Container, ...]] = Kept(docker.listed)
        self._incidents: Kept[tuple[IncidentRow, ...]] = Kept(store.incidents)
        self._surebets: Kept[Surebets] = Kept(store.surebets)
        self._details: dict[str, Kept[ScraperDetail | None]] = {}
        self._matches: dict[int, Kept[MatchDetail | None]] = {}
        self._logs: dict[str, Kept[list[str]]] = {}

    @property
    def now(self) -> float:
        """By the database's clock, also while it is away."""
        state = self._state.value
        return state.now + time.monotonic() - self._state.read_at if state else time.time()

    async def state(self) -> tuple[State | None, str]:
        """What the database says, and why not if it is away."""
        return await self._state.get(self.poll * 0.9), self._state.away

    async def snapshot(self, max_age: float | None = None) -> Snapshot:
        # A little less than the time between two looks, so that each look is a new one.
        age = self.poll * 0.9 if max_age is None else max_age
        await asyncio.gather(
            self._state.get(age),
            # Docker takes a second to measure thirty containers: no open page waits for that, the next look has it.
            self._containers.get(max(age, CONTAINERS_EVERY * 0.9), PATIENCE, news=0),
        )
        return self._latest(self._containers)

    async def news(self) -> Snapshot:
        """For a decision: who runs now, whatever it uses."""
        await asyncio.gather(self._state.anew(PATIENCE_WITH_OLD), self._listed.anew(PATIENCE_WITH_OLD))
        return self._latest(self._listed)

    def _latest(self, containers: Kept[tuple[Container, ...]]) -> Snapshot:
        return Snapshot(
            state=self._state.value,
            down=self._state.away,
            containers=containers.value or () if not containers.away else (),
            docker_down=containers.away,
        )

    async def scraper(self, name: str) -> tuple[Snapshot, ScraperPage | None]:
        snapshot = await self.snapshot()
        row = snapshot.scraper(name)
        if row is None:
            return snapshot, None
        unit, container = snapshot.unit_of(name), snapshot.container_of(name)
        detail = keep(self._details, name, lambda: Kept(lambda: self._store.scraper(name, unit)))
        found, (log, log_away) = await asyncio.gather(detail.get(self.poll * 0.9), self._log_of(container))
        return snapshot, ScraperPage(
            row=row,
            detail=found or ScraperDetail(),
            container=container,
            log=log,
            log_away=log_away or snapshot.docker_down,
        )

    async def _log_of(self, container: Container | None) -> tuple[tuple[str, ...], str]:
        if container is None:
            return (), ""
        name = container.name
        kept = keep(self._logs, name, lambda: Kept(lambda: self._docker.log(name)))
        lines = await kept.get(LOG_EVERY * 0.9)
        return tuple(lines or ()), kept.away

    async def incidents(self) -> tuple[Snapshot, tuple[IncidentRow, ...]]:
        snapshot, incidents = await asyncio.gather(self.snapshot(), self._incidents.get(self.poll * 0.9))
        return snapshot, incidents or ()

    async def surebets(self) -> tuple[Snapshot, Surebets]:
        snapshot, found = await asyncio.gather(self.snapshot(), self._surebets.get(self.poll * 0.9))
        return snapshot, found or Surebets()

    async def match(self, number: int) -> tuple[Snapshot, MatchDetail | None]:
        kept = keep(self._matches, number, lambda: Kept(lambda: self._store.match(number)))
        snapshot, found = await asyncio.gather(self.snapshot(), kept.get(MATCH_EVERY * 0.9))
        return snapshot, found


def keep(known: dict[K, Kept[T]], key: K, make: Callable[[], Kept[T]]) -> Kept[T]:
    """The one of this key; of too many, the oldest is forgotten."""
    kept = known.pop(key, None) or make()
    known[key] = kept
    while len(known) > MOST_KEPT:
        known.pop(next(iter(known)))
    return kept
