"""The loop of a sidecar while Supabase is away."""

import asyncio
import signal
from collections.abc import AsyncIterator

import pytest

from common.settings import ServiceSettings
from sidecars.loop import Loop
from store.rpc import StoreDown
from tests.sidecars.notes import Notes

RARE = 86400.0
ENDS = 30.0  # seconds after which a loop that waits for its regular round is given up


class Beats(Notes):
    def __init__(self) -> None:
        super().__init__()
        self.intervals: list[object] = []

    def service_beat(self, *, p_error: str | None, **others: object) -> None:
        super().service_beat(p_error=p_error)
        self.intervals.append(others["p_interval"])


class Work:
    """Fails as it is told, and then ends the loop."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)

    async def __call__(self) -> None:
        if self.errors:
            raise self.errors.pop(0)
        signal.raise_signal(signal.SIGTERM)


@pytest.fixture
async def beats() -> AsyncIterator[Beats]:
    async with Beats() as beats:
        yield beats


async def run(beats: Beats, work: Work) -> None:
    async with asyncio.timeout(ENDS):
        await Loop("cleanup-service", beats, RARE, ServiceSettings(), retry=0.0).run(work)


async def test_after_an_outage_the_next_try_does_not_wait_for_the_next_round(beats: Beats) -> None:
    work = Work(StoreDown("starting"), StoreDown("still starting"), StoreDown("nearly there"))
    await run(beats, work)
    assert work.errors == []
    assert beats.beats == ["starting"], "one round failed, as far as the watchdog counts"
    assert beats.intervals == [RARE], "what the status expects of it stays the same"


async def test_a_failed_round_whose_heartbeat_was_lost_is_told_with_the_next_try(beats: Beats) -> None:
    beats.away_for = {"service_beat"}

    class Coming(Work):
        async def __call__(self) -> None:
            if len(self.errors) == 1:
                beats.away_for = set()
            await super().__call__()

    await run(beats, Coming(StoreDown("all is away"), StoreDown("a part is away")))
    assert beats.beats == ["a part is away"]


async def test_a_fault_of_our_own_waits_for_the_next_round() -> None:
    class Stopping(Beats):
        def service_beat(self, *, p_error: str | None, **others: object) -> None:
            super().service_beat(p_error=p_error, **others)
            if p_error and "ours" in p_error:
                signal.raise_signal(signal.SIGTERM)

    async with Stopping() as beats:
        work = Work(StoreDown("starting"), ValueError("ours"), ValueError("too soon"))
        await run(beats, work)
    assert beats.beats == ["starting", "ValueError: ours"]
    assert [str(error) for error in work.errors] == ["too soon"]
