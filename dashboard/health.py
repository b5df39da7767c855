"""Whether the whole of it works, for a probe: six checks, each with its time, asked at most every few seconds."""

import asyncio
import shutil
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

import msgspec

from common.masking import mask
from dashboard.model import has_problem, standing
from dashboard.source import Kept, Source
from dashboard.view import SILENT
from store.dashboard import DashboardStore, State
from store.rpc import StoreDown

KEPT_FOR = 5.0  # seconds: a probe every second costs nothing
TIMEOUT = 4.0
PUBLISHED_WITHIN = 600.0  # seconds; every cycle of any scraper makes a new file
HALF = 0.5  # share of the scrapers that must bring odds
DISK_FREE = 0.05
GIGABYTE = 10**9


class Failed(Exception):  # noqa: N818 - the answer of a check
    """What is wrong, and what to do."""


class Check(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    ok: bool
    detail: str
    ms: float  # that the check took
    decisive: bool = True  # whether this alone makes the answer 503
    checked_at: float


class Report(msgspec.Struct, frozen=True, kw_only=True):
    status: str  # ok or failing
    checks: dict[str, Check]


class Health:
    def __init__(self, source: Source, store: DashboardStore, outside: tuple[str, ...]) -> None:
        self._source = source
        self._store = store
        self._outside = outside
        self._kept: Kept[Report] = Kept(self._check)

    async def report(self) -> Report:
        found = await self._kept.get(KEPT_FOR)
        return found or Report(status="failing", checks={})

    async def _check(self) -> Report:
        checks: list[tuple[str, Callable[[], Awaitable[str]], bool]] = [
            ("database", self._database, True),
            ("storage", self._storage, True),
            ("watchdog", self._watchdog, True),
            ("scrapers", self._scrapers, True),
            ("disk", self._disk, True),
        ]
        if self._outside:
            # It explains, and does not decide: without the internet the scrapers fail, and they decide.
            checks.append(("outside", self._reach_outside, False))
        found = await asyncio.gather(*(timed(check, decisive=decisive) for _, check, decisive in checks))
        by_name = {name: result for (name, _, _), result in zip(checks, found, strict=True)}
        failing = any(not check.ok and check.decisive for check in found)
        return Report(status="failing" if failing else "ok", checks=by_name)

    async def _state(self) -> State:
        state, away = await self._source.state()
        if away or state is None:
            raise Failed(away or "no answer yet")
        return state

    async def _database(self) -> str:
        await self._state()
        return "answers"

    async def _storage(self) -> str:
        try:
            made_at = await self._store.published_at()
        except StoreDown as error:
            raise Failed(str(error)) from error
        age = self._source.now - made_at.timestamp()
        if age > PUBLISHED_WITHIN:
            raise Failed(f"odds.json is {age:.0f} s old: see the log of json-generator")
        return f"odds.json is {max(age, 0):.0f} s old"

    async def _watchdog(self) -> str:
        state = await self._state()
        if state.watchdog is None:
            raise Failed("it has never reported: `make up` starts it")
        age = self._source.now - state.watchdog.beat_at
        if age > SILENT:
            raise Failed(f"silent for {age:.0f} s: see `docker compose logs watchdog`")
        return f"looked {max(age, 0):.0f} s ago"

    async def _scrapers(self) -> str:
        await self._state()
        # Paused and waiting ones are as their operator wants them.
        rows = [row for row in (await self._source.snapshot()).scrapers if standing(row) not in ("paused", "waiting")]
        well = sum(standing(row) == "ok" for row in rows)
        text = f"{well} of {len(rows)} bring odds, {sum(map(has_problem, rows))} with problems"
        if well < HALF * len(rows) or not rows:
            raise Failed(text)
        return text

    async def _disk(self) -> str:
        usage = shutil.disk_usage("/")
        text = f"{usage.free / GIGABYTE:.1f} GB of {usage.total / GIGABYTE:.0f} GB free"
        if usage.free < DISK_FREE * usage.total:
            raise Failed(f"{text}: make room, the database stops without it")
        return text

    async def _reach_outside(self) -> str:
        tries = [asyncio.create_task(reach(place)) for place in self._outside]
        try:
            for done in asyncio.as_completed(tries):
                with suppress(OSError):
                    return f"{await done} answers"
        finally:
            for task in tries:
                task.cancel()
        raise Failed(f"none of {', '.join(self._outside)} can be reached: is this machine online?")


async def reach(place: str) -> str:
    """By name and by TCP; nothing is sent."""
    host, _, port = place.rpartition(":")
    _, writer = await asyncio.open_connection(host, int(port))
    writer.close()
    return place


async def timed(check: Callable[[], Awaitable[str]], *, decisive: bool) -> Check:
    started, at = time.perf_counter(), time.time()
    try:
        async with asyncio.timeout(TIMEOUT):
            ok, detail = True, await check()
    except Failed as failed:
        ok, detail = False, str(failed)
    except TimeoutError:
        ok, detail = False, f"no answer within {TIMEOUT:g} s"
    took = (time.perf_counter() - started) * 1000
    return Check(ok=ok, detail=mask(detail), ms=round(took, 1), decisive=decisive, checked_at=round(at, 1))
