"""Discord is told once, whatever happens to the generator or to Discord."""

from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress

import pytest

from sidecars.json_generator import BUCKET
from store.rpc import Rpc, StoreDown
from store.storage import Bucket
from tests.conftest import Simulator
from tests.fleet import Fleet
from tests.sidecars.conftest import HIGH_AWAY, HIGH_HOME, Books, Generators

pytestmark = pytest.mark.docker


@pytest.fixture
def webhook(simulator: Simulator) -> str:
    return f"{simulator.url}/discord/api/webhooks/42/secret"


async def two_books(books: Books) -> None:
    await books.show("kto", HIGH_HOME)
    await books.show("stake", HIGH_AWAY)


async def test_told_once_edited_and_closed_over_restarts(
    database: Fleet, books: Books, generators: Generators, simulator: Simulator, webhook: str
) -> None:
    await two_books(books)
    await (await generators.start(webhook)).round()
    (told,) = simulator.discord()
    assert told["embeds"][0]["title"].startswith("Surebet de 5,10 %")
    assert len(told["embeds"][0]["fields"]) == 3

    restarted = await generators.start(webhook)
    await restarted.round()
    await two_books(books)
    await restarted.round()
    assert [(message["id"], message["edits"]) for message in simulator.discord()] == [(told["id"], [])]

    await books.show("kto", {**HIGH_HOME, "home": 3.3})
    await (await generators.start(webhook)).round()
    (edited,) = simulator.discord()
    assert len(edited["edits"]) == 1
    assert "6,15" in edited["embeds"][0]["title"]

    await books.show("kto", {**HIGH_HOME, "home": 3.1})
    await (await generators.start(webhook)).round()
    assert "4,00" in simulator.discord()[0]["embeds"][0]["title"]

    await books.show("kto", {**HIGH_HOME, "home": 2.2})
    again = await generators.start(webhook)
    await again.round()
    (closed,) = simulator.discord()
    assert closed["embeds"][0]["title"].startswith("Encerrada")
    assert "até 6,15 %" in closed["embeds"][0]["description"]
    await books.show("kto", {**HIGH_HOME, "home": 2.3})
    await again.round()
    assert len(simulator.discord()[0]["edits"]) == 3, "closed once"
    assert database.sql("select message_id, closed_at is not null from surebet_alerts") == [[told["id"], "t"]]


async def test_below_the_limit_nobody_is_told(
    books: Books, generators: Generators, simulator: Simulator, webhook: str
) -> None:
    await two_books(books)
    await (await generators.start(webhook, surebet_min_profit=7.0)).round()
    assert simulator.discord() == []


@pytest.mark.parametrize("fault", ["429", "500"])
async def test_what_discord_did_not_take_is_told_later(
    database: Fleet, books: Books, generators: Generators, simulator: Simulator, webhook: str, fault: str
) -> None:
    await two_books(books)
    simulator.fault("discord", fault, retry_after=0.01)
    generator = await generators.start(webhook)
    await generator.round()
    assert simulator.discord() == []
    assert database.value("select count(*) from surebet_alerts") == "0", "the claim is given back"

    simulator.clear()
    second = await generators.start(webhook)  # which knows of no pause
    await second.round()
    assert len(simulator.discord()) == 1


async def test_what_discord_may_have_taken_is_told_once_and_closed_in_our_books(
    database: Fleet, books: Books, generators: Generators, simulator: Simulator, webhook: str
) -> None:
    await two_books(books)
    simulator.fault("discord", "truncated", count=1)
    await (await generators.start(webhook)).round()
    second = await generators.start(webhook)  # which knows of no pause
    await second.round()
    assert [message["edits"] for message in simulator.discord()] == [[]]
    assert database.sql("select message_id, closed_at is null from surebet_alerts") == [["", "t"]]
    await books.show("kto", {**HIGH_HOME, "home": 2.2})
    await second.round()
    assert [message["edits"] for message in simulator.discord()] == [[]]
    assert database.value("select closed_at is not null from surebet_alerts") == "t"


class Unsteady(Rpc):
    """The real database, which is away for some calls."""

    away_for = ""

    async def call(self, function: str, arguments: Mapping[str, object]) -> object:
        if function == self.away_for:
            raise StoreDown("away, as the test wants it")
        return await super().call(function, arguments)


@pytest.mark.parametrize("refused", [False, True])
async def test_a_database_that_goes_away_after_the_claim_leaves_no_message_behind(
    database: Fleet, books: Books, simulator: Simulator, webhook: str, *, refused: bool
) -> None:
    """The note of what was sent, or that it was not, is made when the database is back."""
    await two_books(books)
    async with AsyncExitStack() as opened:
        rpc = await opened.enter_async_context(Unsteady(database.store_settings))
        bucket = await opened.enter_async_context(Bucket(database.store_settings, BUCKET))
        generator = await Generators(rpc, bucket, opened).start(webhook)
        rpc.away_for = "settle_surebet_alert"
        if refused:
            simulator.fault("discord", "429", count=1, retry_after=0.01)
        with suppress(StoreDown):
            await generator.round()
        assert database.sql("select message_id from surebet_alerts") == [[""]]
        rpc.away_for = ""
        await generator.round()
        (told,) = simulator.discord()
        assert database.sql("select message_id from surebet_alerts") == [[told["id"]]]
        await books.show("kto", {**HIGH_HOME, "home": 2.2})
        await generator.round()
        (closed,) = simulator.discord()
        assert closed["embeds"][0]["title"].startswith("Encerrada")


async def test_discord_away_does_not_keep_the_file_back(
    books: Books, generators: Generators, simulator: Simulator, webhook: str
) -> None:
    await two_books(books)
    simulator.fault("discord", "drop")
    assert await (await generators.start(webhook)).round()


async def test_a_deleted_message_is_let_be(
    database: Fleet, books: Books, generators: Generators, simulator: Simulator, webhook: str
) -> None:
    await two_books(books)
    generator = await generators.start(webhook)
    await generator.round()
    database.sql("update surebet_alerts set message_id = '7'")
    await books.show("kto", {**HIGH_HOME, "home": 3.3})
    await generator.round()
    await books.show("kto", {**HIGH_HOME, "home": 2.2})
    await generator.round()
    assert database.value("select closed_at is not null from surebet_alerts") == "t"
