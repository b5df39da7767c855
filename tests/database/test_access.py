"""What each key may do, asked with Supabase's own client."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from postgrest.exceptions import APIError
from supabase import Client, create_client

from scrapers.catalog import Bookmaker
from store.rpc import Rpc
from store.status import read_status
from store.writer import Writer
from tests.cycles import cycle, page_event
from tests.fleet import Fleet

pytestmark = [pytest.mark.docker, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture
def anonymous(fleet: Fleet) -> Iterator[Client]:
    yield from connected(fleet, "supabase_anon_key")


@pytest.fixture
def service(fleet: Fleet) -> Iterator[Client]:
    yield from connected(fleet, "supabase_key")


def connected(fleet: Fleet, key: str) -> Iterator[Client]:
    client = create_client(fleet.supabase_url, fleet.secret(key))
    yield client
    client.postgrest.session.close()


def our_tables(fleet: Fleet) -> list[str]:
    return [
        name
        for (name,) in fleet.sql("select tablename from pg_tables where schemaname = 'public'")
        if name != "oddsfleet_migrations"
    ]


async def test_anonymous_reads_the_status_view(anonymous: Client, writer: Writer, book: Bookmaker) -> None:
    await writer.write(cycle(book.name, page_event(1, prefix=book.name)))
    rows: Any = anonymous.table("scraper_status_view").select("*").eq("scraper_name", book.name).execute().data
    assert [row["computed_status"] for row in rows] == ["ok"]


async def test_anonymous_sees_no_error_and_no_proxy(
    anonymous: Client, rpc: Rpc, writer: Writer, book: Bookmaker
) -> None:
    await writer.write(
        cycle(book.name, outcome="blocked", error="403 of #1 proxy:8080", extra={"proxies": ["#1 proxy"]})
    )
    shown: Any = anonymous.table("scraper_status_view").select("*").eq("scraper_name", book.name).execute().data
    (row,) = shown
    assert (row["outcome"], row["last_error"], row["extra_data"]) == ("blocked", None, {})
    (own,) = [one for one in await read_status(rpc) if one.scraper_name == book.name]
    assert own.last_error == "403 of #1 proxy:8080"


async def test_anonymous_reads_no_table(anonymous: Client, fleet: Fleet, writer: Writer, book: Bookmaker) -> None:
    await writer.write(cycle(book.name, page_event(1, prefix=book.name)))
    assert our_tables(fleet)
    for name in [*our_tables(fleet), "current_odds"]:
        with pytest.raises(APIError):
            anonymous.table(name).select("*").limit(1).execute()


async def test_anonymous_writes_nothing(anonymous: Client, fleet: Fleet) -> None:
    writes: list[Callable[[], object]] = [
        anonymous.table("teams").insert({"sport": "football", "name": "x", "folded": "x"}).execute,
        anonymous.table("scraper_status_view").update({"status": "ok"}).eq("scraper_name", "superbet").execute,
        anonymous.table("odds").delete().gt("price", 0).execute,
        anonymous.rpc("release_lease", {"p_scraper": "superbet", "p_epoch": 1}).execute,
        anonymous.rpc(
            "ingest_cycle", {"p_epoch": 1, "p_sent_at": "2026-01-01T00:00:00Z", "p_names_seen": 0, "p_cycle": {}}
        ).execute,
        anonymous.rpc(
            "add_dead_letter", {"p_scraper": "x", "p_cycle_id": None, "p_reason": "x", "p_payload": None}
        ).execute,
    ]
    for write in writes:
        with pytest.raises(APIError):
            write()


def test_every_function_of_ours_is_closed_to_anonymous(fleet: Fleet) -> None:
    open_ones = fleet.sql(
        "select p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace"
        " where n.nspname = 'public' and has_function_privilege('anon', p.oid, 'execute')"
    )
    assert open_ones == []


async def test_the_official_client_reads_what_we_wrote(service: Client, writer: Writer, book: Bookmaker) -> None:
    await writer.write(cycle(book.name, page_event(1, prefix=book.name)))
    rows: Any = service.table("current_odds").select("outcome,price").eq("bookmaker", book.name).execute().data
    assert {row["outcome"]: row["price"] for row in rows} == {"home": 2.5, "draw": 3.2, "away": 2.9}
