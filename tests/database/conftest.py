"""Tests on the real PostgreSQL behind the embedded Supabase. Each has a scraper and a bookmaker of its own."""

import uuid
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from scrapers import catalog
from scrapers.catalog import Bookmaker
from store.rpc import Rpc
from store.spool import Spool
from store.writer import Writer
from tests.database.books import another_book
from tests.fleet import Fleet


@pytest.fixture
async def rpc(fleet: Fleet) -> AsyncIterator[Rpc]:
    async with Rpc(fleet.store_settings) as rpc:
        yield rpc


@pytest.fixture
def book() -> Bookmaker:
    return replace(catalog.get("superbet"), name=f"t{uuid.uuid4().hex[:12]}")


@pytest.fixture
async def writer(rpc: Rpc, book: Bookmaker, tmp_path: Path) -> AsyncIterator[Writer]:
    """An instance of the scraper that holds the lease."""
    spool = Spool(tmp_path, book.name, 10)
    writer = Writer(rpc, spool, book, holder="first", interval=30)
    await writer.take_lease()
    yield writer
    spool.close()


@pytest.fixture
async def other(rpc: Rpc, book: Bookmaker, tmp_path: Path) -> Writer:
    """Another bookmaker's scraper."""
    return await another_book(rpc, book, tmp_path / "other")
