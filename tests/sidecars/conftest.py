"""Sidecars on the real database, which each test finds empty."""

import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from common.settings import AlertSettings, GeneratorSettings, Secret
from scrapers import catalog
from scrapers.odds import Outcome
from sidecars.alerting import Alerting
from sidecars.json_generator import BUCKET, Generator
from store.rpc import Rpc
from store.spool import Spool
from store.storage import Bucket
from store.writer import Delivery, Writer
from tests.cycles import cycle, page_event
from tests.fleet import Fleet

TABLES = (
    "scraper_status, scraper_cycles, scraper_leases, dead_letters, unmatched_names, odds, odds_history, match_sources,"
    " matches, team_aliases, teams, surebets, surebet_alerts"
)


@pytest.fixture
def database(fleet: Fleet) -> Fleet:
    fleet.sql(f"truncate {TABLES} restart identity cascade")
    return fleet


@pytest.fixture
async def rpc(database: Fleet) -> AsyncIterator[Rpc]:
    async with Rpc(database.store_settings) as rpc:
        yield rpc


class Books:
    """Bookmakers that all show the same match, Home v Away, and whatever else a test gives them."""

    def __init__(self, rpc: Rpc, folder: Path) -> None:
        self._rpc = rpc
        self._folder = folder
        self._writers: dict[str, Writer] = {}

    async def show(
        self,
        name: str,
        prices: Mapping[Outcome, float],
        *events: Any,  # noqa: ANN401
        **changes: Any,  # noqa: ANN401
    ) -> Delivery:
        if name not in self._writers:
            book = replace(catalog.get("superbet"), name=name, title=name.title())
            spool = Spool(self._folder / name, name, 10)
            self._writers[name] = Writer(self._rpc, spool, book, holder=uuid.uuid4().hex, interval=30)
            await self._writers[name].take_lease()
        event = page_event(1, prices, home="Grêmio Novorizontino", away="Ferroviária")
        return await self._writers[name].write(cycle(name, event, *events, **changes))

    async def fall_silent(self, fleet: Fleet, name: str, seconds: float) -> None:
        """As if its last cycle had been so long ago."""
        ago = f"interval '{seconds} seconds'"
        fleet.sql(f"update match_sources set fetched_at = now() - {ago} where scraper_name = '{name}'")
        fleet.sql(
            f"update scraper_status set last_heartbeat = now() - {ago}, last_success = now() - {ago}"
            f" where scraper_name = '{name}'"
        )


@pytest.fixture
def books(rpc: Rpc, tmp_path: Path) -> Books:
    return Books(rpc, tmp_path)


HIGH_HOME: Mapping[Outcome, float] = {"home": 3.2, "draw": 3.4, "away": 2.3}
HIGH_AWAY: Mapping[Outcome, float] = {"home": 2.4, "draw": 3.1, "away": 2.9}


class Published:
    """What anybody sees: no key is sent."""

    def __init__(self, fleet: Fleet) -> None:
        self.url = f"{fleet.supabase_url}/storage/v1/object/public/{BUCKET}"
        self._client = httpx.Client()

    def get(self, name: str = "odds.json") -> httpx.Response:
        return self._client.get(f"{self.url}/{name}").raise_for_status()

    def odds(self) -> dict[str, Any]:
        loaded: dict[str, Any] = self.get().json()
        return loaded

    def books_of_the_match(self) -> list[str]:
        return sorted(book["key"] for event in self.odds()["events"] for book in event["bookmakers"])

    def close(self) -> None:
        self._client.close()


@pytest.fixture
async def published(database: Fleet) -> AsyncIterator[Published]:
    seen = Published(database)
    yield seen
    seen.close()


class Generators:
    """Instances of json-generator, one after the other."""

    def __init__(self, rpc: Rpc, bucket: Bucket, opened: AsyncExitStack) -> None:
        self._rpc = rpc
        self._bucket = bucket
        self._opened = opened

    async def start(self, webhook: str = "", **settings: float) -> Generator:
        values = GeneratorSettings(**settings)
        alerts = AlertSettings(discord_webhook_url=Secret(webhook))
        alerting = await self._opened.enter_async_context(
            Alerting(self._rpc, alerts, values.surebet_min_profit, every=15)
        )
        return Generator(self._rpc, self._bucket, alerting, settings=values, every=15)


@pytest.fixture
async def generators(database: Fleet, rpc: Rpc) -> AsyncIterator[Generators]:
    async with AsyncExitStack() as opened:
        bucket = await opened.enter_async_context(Bucket(database.store_settings, BUCKET))
        yield Generators(rpc, bucket, opened)
