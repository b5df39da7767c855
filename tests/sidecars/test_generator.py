"""json-generator on the real database and the real Storage."""

import gzip
from datetime import UTC, datetime, timedelta

import httpx
import msgspec
import pytest
from jsonschema import Draft202012Validator

from sidecars.feed import Envelope, schema
from store.beats import beat
from store.export import ExportStore
from store.rpc import Rpc
from store.status import read_status
from tests.cycles import page_event
from tests.fleet import Fleet
from tests.sidecars.conftest import HIGH_AWAY, HIGH_HOME, Books, Generators, Published

pytestmark = pytest.mark.docker


async def test_everybody_reads_a_file_that_validates(
    books: Books, generators: Generators, published: Published
) -> None:
    await books.show("kto", HIGH_HOME, page_event(2, prefix="second"))
    await books.show("stake", HIGH_AWAY)
    assert await (await generators.start()).round()

    answer = published.get()
    Draft202012Validator(schema()).validate(answer.json())
    envelope = msgspec.json.decode(answer.content, type=Envelope)
    assert [(book.key, book.status) for book in envelope.bookmakers] == [("kto", "ok"), ("stake", "ok")]
    assert sorted(len(event.bookmakers) for event in envelope.events) == [1, 2]
    assert [bet.profit_percent for bet in envelope.surebets] == [5.1]
    assert answer.headers["cache-control"] == "max-age=15"
    assert answer.headers["content-type"] == "application/json"
    assert gzip.decompress(published.get("odds.json.gz").content) == answer.content
    assert len(published.get("odds.csv").text.splitlines()) == 1 + 3


@pytest.mark.parametrize(("other", "stored"), [(0, "1"), (2, "2")])
async def test_of_a_match_listed_twice_the_event_whose_price_is_stored_is_shown(
    database: Fleet, books: Books, rpc: Rpc, other: int, stored: str
) -> None:
    twin = page_event(other, HIGH_AWAY, home="Grêmio Novorizontino", away="Ferroviária")
    await books.show("kto", HIGH_HOME, twin)

    price = HIGH_HOME["home"] if stored == "1" else HIGH_AWAY["home"]
    (match,) = (await ExportStore(rpc, 15, 60).page(None)).matches
    assert [(line.sid, line.link, line.home) for line in match.lines()] == [
        (stored, f"https://example.com/{stored}", price)
    ]
    query = "select external_id, url, price from current_odds where outcome = 'home'"
    assert database.sql(query) == [[stored, f"https://example.com/{stored}", f"{price:.4f}"]]


async def test_nobody_without_the_key_replaces_it(
    database: Fleet, books: Books, generators: Generators, published: Published
) -> None:
    await books.show("kto", HIGH_HOME)
    await (await generators.start()).round()
    key = database.secret("supabase_anon_key")
    async with httpx.AsyncClient() as client:
        answer = await client.post(
            f"{database.supabase_url}/storage/v1/object/odds/odds.json",
            headers={"apikey": key, "authorization": f"Bearer {key}", "x-upsert": "true"},
            content=b"{}",
        )
    assert not answer.is_success
    assert published.odds()["events"]


async def test_what_did_not_change_is_not_uploaded_but_the_heart_beats(
    database: Fleet, books: Books, generators: Generators, published: Published
) -> None:
    await books.show("kto", HIGH_HOME, expected_interval=3600.0)
    generator = await generators.start()
    assert await generator.round()
    before = published.get().headers["last-modified"]
    beats = database.value("select cycle_count from scraper_status where scraper_name = 'json-generator'")

    assert not await generator.round()
    assert published.get().headers["last-modified"] == before
    row = database.sql(
        "select cycle_count, odds_collected, kind, extra_data ->> 'events' from scraper_status"
        " where scraper_name = 'json-generator'"
    )
    assert row == [[str(int(beats) + 1), "3", "service", "1"]]


async def test_a_new_price_is_uploaded(books: Books, generators: Generators, published: Published) -> None:
    generator = await generators.start()
    await books.show("kto", HIGH_HOME)
    await generator.round()
    await books.show("kto", {**HIGH_HOME, "home": 3.25})
    assert await generator.round()
    (outcome, *_) = published.odds()["events"][0]["bookmakers"][0]["markets"][0]["outcomes"]
    assert outcome == {"name": "Grêmio Novorizontino", "price": 3.25, "opening": 3.2}


async def test_its_own_heartbeat_shows_in_the_status(books: Books, generators: Generators, rpc: Rpc) -> None:
    await books.show("kto", HIGH_HOME)
    await (await generators.start()).round()
    rows = {row.scraper_name: row for row in await read_status(rpc)}
    assert rows["json-generator"].computed_status == "ok"
    assert rows["json-generator"].odds_collected == 3


async def test_a_round_that_failed_says_why_and_is_no_success(
    database: Fleet, books: Books, generators: Generators, rpc: Rpc
) -> None:
    await books.show("kto", HIGH_HOME)
    await (await generators.start()).round()
    database.sql(
        "update scraper_status set last_success = now() - interval '10 minutes' where scraper_name = 'json-generator'"
    )
    await beat(rpc, "json-generator", 15, error="Storage does not take odds.json")
    row = {row.scraper_name: row for row in await read_status(rpc)}["json-generator"]
    assert (row.computed_status, row.last_error) == ("error", "Storage does not take odds.json")


@pytest.mark.parametrize(
    ("interval", "cycle_lasts", "silent", "there"),
    [(30, 1, 55, True), (30, 1, 65, False), (360, 1, 700, True), (30, 25, 80, True), (30, 25, 90, False)],
)
async def test_a_silent_book_leaves_the_file_and_its_surebets(
    database: Fleet,
    books: Books,
    generators: Generators,
    published: Published,
    *,
    interval: float,
    cycle_lasts: int,
    silent: float,
    there: bool,
) -> None:
    """60 s at an interval of 30 s; in sequential mode, with its interval of minutes, in proportion.

    Half a minute later if a cycle takes so long: what it reads first is as old as that when it comes."""
    await books.show("kto", HIGH_HOME)
    await books.show("stake", HIGH_AWAY, expected_interval=float(interval), duration_ms=cycle_lasts * 1000)
    generator = await generators.start()
    await generator.round()
    assert (published.books_of_the_match(), len(published.odds()["surebets"])) == (["kto", "stake"], 1)

    await books.fall_silent(database, "stake", silent)
    await books.show("kto", HIGH_HOME)
    await generator.round()
    assert published.books_of_the_match() == (["kto", "stake"] if there else ["kto"])
    assert len(published.odds()["surebets"]) == there
    assert (database.value("select count(*) from surebets where ended_at is null") == "1") == there


async def test_time_alone_takes_a_silent_book_away(books: Books, generators: Generators, published: Published) -> None:
    """Nothing is written any more, not even by other scrapers: the first round after the allowance must see it."""
    await books.show("kto", HIGH_HOME, expected_interval=0.5)
    generator = await generators.start(fresh_seconds=2.0)
    await generator.round()
    shown = published.odds()["events"][0]["bookmakers"][0]["last_update"]
    allowed_until = datetime.fromisoformat(shown) + timedelta(seconds=3)  # and the second that the cycle took
    while published.books_of_the_match():
        await generator.round()
    assert datetime.now(UTC) >= allowed_until
    assert published.odds()["bookmakers"][0]["key"] == "kto", "its status stays"


async def test_a_match_that_has_begun_leaves_the_file(
    database: Fleet, books: Books, generators: Generators, published: Published
) -> None:
    await books.show("kto", HIGH_HOME)
    database.sql("update matches set commence_time = now() - interval '1 second'")
    await (await generators.start()).round()
    assert published.odds()["events"] == []


async def test_what_the_book_took_away_leaves_the_file(
    books: Books, generators: Generators, published: Published
) -> None:
    extra = page_event(2, prefix="second")
    await books.show("kto", HIGH_HOME, extra)
    await books.show("kto", HIGH_HOME)
    await (await generators.start()).round()
    assert len(published.odds()["events"]) == 1


async def test_a_file_made_of_many_pages_has_every_match_once(
    rpc: Rpc, books: Books, generators: Generators, published: Published
) -> None:
    from sidecars.export import Export
    from store.export import ExportStore

    several = [page_event(number, prefix="page", starts_at=_tomorrow(number)) for number in range(2, 40)]
    await books.show("kto", HIGH_HOME, *several)
    store = ExportStore(rpc, 15, 60)
    state = await store.look("", None)
    export, after, count = Export(state.bookmakers, state.leagues, 100_000), None, 0
    for _ in range(100):
        page = await store.page(after, limit=7)
        count += sum(1 for match in page.matches if export.add(match))
        after = page.next
        if after is None:
            break
    assert count == 39


def _tomorrow(number: int) -> datetime:
    """Several at each full hour: the page must not end between two of them and forget one."""
    return (datetime.now(UTC) + timedelta(days=1, hours=number // 10)).replace(minute=0, second=0, microsecond=0)


async def test_lifetimes_of_surebets_are_kept(database: Fleet, books: Books, generators: Generators) -> None:
    generator = await generators.start()
    await books.show("kto", HIGH_HOME)
    await books.show("stake", HIGH_AWAY)
    await generator.round()
    await books.show("kto", {**HIGH_HOME, "home": 3.3})
    await generator.round()
    await books.show("kto", {**HIGH_HOME, "home": 3.25})
    await generator.round()
    query = (
        "select count(*), max(profit_percent), max(best_profit_percent), bool_and(last_seen > first_seen),"
        " bool_and(ended_at is null) from surebets"
    )
    assert database.sql(query) == [["1", "5.63", "6.15", "t", "t"]]

    await books.show("kto", {"home": 2.3, "draw": 3.1, "away": 2.3})
    await generator.round()
    assert database.sql("select ended_at >= last_seen from surebets") == [["t"]]


async def test_line_movement_of_one_match(rpc: Rpc, books: Books) -> None:
    for price in (3.2, 3.3, 3.1):
        await books.show("kto", {**HIGH_HOME, "home": price})
    history = msgspec.convert(await rpc.call("match_history", {"p_match": 1}), list[dict[str, object]])
    (home,) = [line for line in history if line["outcome"] == "home"]
    assert (home["bookmaker"], home["market"], home["opening"]) == ("kto", "h2h", 3.2)
    assert [price for _, price in msgspec.convert(home["prices"], list[tuple[str, float]])] == [3.2, 3.3, 3.1]
