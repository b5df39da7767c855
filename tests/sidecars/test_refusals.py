"""What goes on while a part of Supabase refuses."""

import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from common.settings import AlertSettings, GeneratorSettings, Secret, ServiceSettings
from sidecars.alerting import Alerting
from sidecars.json_generator import SERVICE, Generator
from sidecars.loop import Loop
from store.rpc import StoreDown
from tests.conftest import Simulator
from tests.sidecars.notes import Notes, Shelf
from tests.sidecars.rows import KTO, STAKE, SUREBET, line, match

NO_BET = match(1, line(KTO, 2.2, 3.4, 2.3), line(STAKE, 2.4, 3.1, 2.9))


@pytest.fixture
async def notes() -> AsyncIterator[Notes]:
    async with Notes(SUREBET) as notes:
        yield notes


@pytest.fixture
async def shelf() -> AsyncIterator[Shelf]:
    async with Shelf() as shelf:
        yield shelf


@pytest.fixture
async def generator(simulator: Simulator, notes: Notes, shelf: Shelf) -> AsyncIterator[Generator]:
    hook = AlertSettings(discord_webhook_url=Secret(f"{simulator.url}/discord/api/webhooks/42/secret"))
    async with AsyncExitStack() as opened:
        alerting = await opened.enter_async_context(Alerting(notes, hook, 1.0, every=15))
        yield Generator(notes, shelf, alerting, settings=GeneratorSettings(), every=15)


def titles(simulator: Simulator) -> list[str]:
    return [message["embeds"][0]["title"].split(" ")[0] for message in simulator.discord()]


async def test_surebets_are_told_and_closed_while_storage_refuses(
    simulator: Simulator, generator: Generator, notes: Notes, shelf: Shelf
) -> None:
    shelf.refuses = {"odds.json"}
    with pytest.raises(StoreDown):
        await generator.round()
    assert (notes.surebets, titles(simulator)) == ({1}, ["Surebet"])
    notes.matches, notes.version = [NO_BET], "2"
    with pytest.raises(StoreDown):
        await generator.round()
    assert (notes.surebets, titles(simulator)) == (set(), ["Encerrada"])
    assert notes.beats == [], "a round without a file is no success"


@pytest.mark.parametrize("refused", ["odds.csv", "odds.json"])
async def test_a_refused_file_is_tried_again_though_nothing_changed(
    generator: Generator, notes: Notes, shelf: Shelf, refused: str
) -> None:
    await generator.round()
    before = dict(shelf.files)
    notes.matches, notes.version = [NO_BET], "2"
    shelf.refuses = {refused}
    for _ in range(2):
        with pytest.raises(StoreDown):
            await generator.round()
    notes.matches = [SUREBET]  # as in the last whole file
    shelf.refuses = set()
    assert await generator.round()
    assert shelf.files == before
    assert not await generator.round()


@pytest.mark.parametrize("database_too", [False, True])
async def test_the_status_says_why_and_a_beat_that_fails_ends_nothing(notes: Notes, *, database_too: bool) -> None:
    loop = Loop(SERVICE, notes, 0.01, ServiceSettings())
    rounds = iter(["refused", "refused", ""])
    notes.away_for = {"service_beat"} if database_too else set()

    async def work() -> None:
        if why := next(rounds, None):
            raise StoreDown(why)
        signal.raise_signal(signal.SIGTERM)

    await loop.run(work)
    assert notes.beats == ([] if database_too else ["refused", "refused"])
    assert next(rounds, None) is None
