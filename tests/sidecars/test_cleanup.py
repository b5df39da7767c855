"""cleanup-service: what is old goes, what no setting names stays."""

import os
import sqlite3
import time
import uuid
from pathlib import Path

import pytest

from common.settings import CleanupSettings, ServiceSettings
from sidecars.cleanup import Cleanup, days_of, preview, remove_files
from sidecars.loop import Loop
from sidecars.remains import remains
from store.cleanup import KINDS, CleanupStore
from store.rpc import Rpc
from store.spool import Spool
from tests.cycles import EVEN, cycle, page_event
from tests.fleet import Fleet
from tests.sidecars.conftest import HIGH_HOME, Books

COUNTS = {
    "matches": "select count(*) from matches",
    "sources": "select count(*) from match_sources",
    "odds": "select count(*) from odds",
    "history": "select count(*) from odds_history",
    "cycles": "select count(*) from scraper_cycles",
    "leases": "select count(*) from scraper_leases",
    "statuses": "select count(*) from scraper_status where kind = 'scraper'",
    "letters": "select count(*) from dead_letters",
    "names": "select count(*) from unmatched_names",
    "surebets": "select count(*) from surebets",
    "alerts": "select count(*) from surebet_alerts",
    "teams": "select count(*) from teams",
}


def counts(fleet: Fleet) -> dict[str, int]:
    query = "select " + ", ".join(f"({sql})" for sql in COUNTS.values())
    return dict(zip(COUNTS, map(int, fleet.sql(query)[0]), strict=True))


OLD = "select match_id from match_sources where external_id = '2'"


@pytest.fixture
async def aged(database: Fleet, books: Books) -> Fleet:
    """Everything twice: once as it is kept, once too old."""
    await books.show("kto", HIGH_HOME, page_event(2, prefix="old"))
    await books.show("kto", {**HIGH_HOME, "home": 3.3}, page_event(2, {**EVEN, "home": 2.6}, prefix="old"))
    await books.show("kto", {**HIGH_HOME, "home": 3.4}, page_event(2, {**EVEN, "home": 2.7}, prefix="old"))
    await books.show("closed_book", HIGH_HOME)
    database.sql(
        """
        update matches set commence_time = now() - interval '4 days' where id in (OLD);
        update match_sources set fetched_at = now() - interval '4 days' where match_id in (OLD);
        update odds_history set changed_at = now() - interval '15 days'
            where match_id not in (OLD) and price in (3.2, 3.3);
        update scraper_cycles set finished_at = now() - interval '8 days'
            where cycle_id = (select cycle_id from scraper_cycles where scraper_name = 'kto' limit 1);
        delete from scraper_cycles where scraper_name = 'closed_book';
        update scraper_leases set renewed_at = now() - interval '31 days' where scraper_name = 'closed_book';
        update scraper_status set updated_at = now() - interval '31 days' where scraper_name = 'closed_book';
        insert into dead_letters (scraper_name, reason, created_at)
            values ('kto', 'old', now() - interval '31 days'), ('kto', 'new', now());
        insert into unmatched_names (bookmaker_id, external_id, sport, league, home, away, starts_at, reason, last_seen)
            select id, e.key, 'football', 'soccer_epl', 'A', 'B', now() - e.age, 'x', now() - e.age
            from bookmakers b, (values ('o', interval '15 days'), ('n', interval '1 day')) e(key, age)
            where b.key = 'kto';
        insert into surebets (match_id, key, home, away, league, commence_time, legs, implied_sum, profit_percent,
                best_profit_percent, suspicious, ended_at)
            select 1, n::text, 'A', 'B', 'x', now(), '[]', 0.99, 1, 1, false, now() - n * interval '91 days'
            from generate_series(0, 1) n;
        insert into surebets (match_id, key, home, away, league, commence_time, legs, implied_sum, profit_percent,
                best_profit_percent, suspicious, first_seen)
            values (1, 'open', 'A', 'B', 'x', now(), '[]', 0.99, 1, 1, false, now() - interval '1 year');
        insert into surebet_alerts (match_id, message_id, shown, closed_at)
            values (1, '1', '{}', now() - interval '31 days'), (2, '2', '{}', now()), (3, '3', '{}', null);
        """.replace("OLD", OLD)
    )
    return database


EXPECTED = {
    "match_history": 5,  # three openings and two changes of the match that is over
    "matches": 1,
    "history": 1,  # the change to 3.3; 3.2 was the opening price, and 3.4 is young
    "cycles": 1,
    "leases": 1,
    "dead_letters": 1,
    "unmatched": 1,
    "surebets": 1,
    "alerts": 1,
    "incidents": 0,
    "restarts": 0,
}


def cleanup(rpc: Rpc, folder: Path) -> Cleanup:
    return Cleanup(rpc, CleanupSettings(spool_dir=folder), Loop("cleanup-service", rpc, 300, ServiceSettings()))


@pytest.mark.docker
async def test_what_is_old_goes_and_the_rest_stays(aged: Fleet, rpc: Rpc, tmp_path: Path) -> None:
    before = counts(aged)
    removed = await cleanup(rpc, tmp_path / "none").round()
    after = counts(aged)

    assert removed == EXPECTED | {"spool": 0}
    assert {name: before[name] - after[name] for name in COUNTS} == {
        "matches": 1,
        "sources": 1,
        "odds": 3,
        "history": 6,
        "cycles": 1,
        "leases": 1,
        "statuses": 1,
        "letters": 1,
        "names": 1,
        "surebets": 1,
        "alerts": 1,
        "teams": 0,
    }
    assert aged.sql("select price, is_opening from odds_history where outcome = 'home' order by id") == [
        ["3.2000", "t"], ["3.4000", "f"], ["3.2000", "t"],
    ]  # fmt: skip
    row = aged.sql(
        "select odds_collected, outcome, (extra_data -> 'removed' ->> 'matches')::int,"
        " (extra_data -> 'tables' -> 'odds_history' ->> 'mb')::numeric >= 0 from scraper_status"
        " where scraper_name = 'cleanup-service'"
    )
    assert row == [[str(sum(EXPECTED.values())), "ok", "1", "t"]]
    assert sum((await cleanup(rpc, tmp_path / "none").round()).values()) == 0


@pytest.mark.docker
async def test_a_dry_run_counts_the_same_and_deletes_nothing(aged: Fleet, rpc: Rpc, tmp_path: Path) -> None:
    before = counts(aged)
    keep, store = CleanupSettings(spool_dir=tmp_path), CleanupStore(rpc)
    assert {kind: await store.count(kind, days_of(keep, kind)) for kind in KINDS} == EXPECTED
    assert await preview(keep, aged.store_settings) == 0
    assert counts(aged) == before
    assert aged.value("select count(*) from scraper_status where scraper_name = 'cleanup-service'") == "0"


@pytest.mark.docker
async def test_a_retired_scraper_goes_after_its_last_cycle(
    database: Fleet, books: Books, rpc: Rpc, tmp_path: Path
) -> None:
    """Whichever of the two settings is the longer one, nothing of it stays for ever."""
    await books.show("closed_book", HIGH_HOME)
    database.sql(
        "update scraper_leases set renewed_at = now() - interval '31 days';"
        "update scraper_status set updated_at = now() - interval '31 days';"
        "update scraper_cycles set finished_at = now() - interval '31 days'"
    )
    keep, loop = CleanupSettings(spool_dir=tmp_path, cycles=60), Loop("cleanup-service", rpc, 300, ServiceSettings())
    assert await CleanupStore(rpc).count("leases", keep.leases) == 0
    removed = await Cleanup(rpc, keep, loop).round()
    assert (removed["cycles"], removed["leases"], counts(database)["statuses"]) == (0, 0, 1)
    database.sql("update scraper_cycles set finished_at = now() - interval '61 days'")
    removed = await Cleanup(rpc, keep, loop).round()
    assert (removed["cycles"], removed["leases"], counts(database)["statuses"]) == (1, 1, 0)


@pytest.mark.docker
async def test_a_match_that_a_book_still_shows_stays(aged: Fleet, rpc: Rpc, tmp_path: Path) -> None:
    aged.sql("update match_sources set fetched_at = now() where external_id = '2'")
    removed = await cleanup(rpc, tmp_path).round()
    assert (removed["match_history"], removed["matches"]) == (0, 0)


@pytest.mark.docker
async def test_many_batches_take_all_of_it(database: Fleet, books: Books, rpc: Rpc, tmp_path: Path) -> None:
    await books.show("kto", HIGH_HOME)
    database.sql(
        "insert into odds_history (match_id, bookmaker_id, market, outcome, price, changed_at, cycle_id)"
        " select m.id, b.id, 'h2h', 'home', 2, now() - interval '20 days',"
        f" '{uuid.uuid4()}' from matches m, bookmakers b, generate_series(1, 9001) where b.key = 'kto'"
    )
    assert (await cleanup(rpc, tmp_path).round())["history"] == 9001
    assert counts(database)["history"] == 3


@pytest.mark.docker
async def test_a_row_that_somebody_holds_waits_for_the_next_round(
    database: Fleet, books: Books, rpc: Rpc, tmp_path: Path
) -> None:
    """Clean-up gives way to ingest, and not the other way round."""
    await books.show("kto", HIGH_HOME)
    database.sql(
        "update matches set commence_time = now() - interval '9 days';"
        "update match_sources set fetched_at = now() - interval '9 days';"
        "delete from odds_history where price > 0"
    )
    with database.holding("select * from matches for update"):
        assert (await cleanup(rpc, tmp_path).round())["matches"] == 0
    assert (await cleanup(rpc, tmp_path).round())["matches"] == 1


def age(path: Path, days: float) -> Path:
    moment = time.time() - days * 86400
    os.utime(path, (moment, moment))
    return path


def test_of_spools_only_what_is_broken_or_empty_and_old_goes(tmp_path: Path) -> None:
    empty, waiting, young = (Spool(tmp_path, name, 10) for name in ("empty", "waiting", "young"))
    collected = cycle("waiting", page_event(1))
    for spool in (empty, waiting, young):
        spool.append(collected)
    for spool in (empty, young):
        spool.remove(collected)
    for spool in (empty, waiting, young):
        spool.close()
    for name in ("empty", "waiting"):
        age(tmp_path / f"{name}.sqlite", 20)
    for ending in ("", "-wal", "-shm"):
        (tmp_path / f"kto.broken{ending}").write_bytes(b"x")
    (tmp_path / "stake.broken").write_bytes(b"x")
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "kto-1.txt").write_bytes(b"x")
    (tmp_path / "notes.md").write_bytes(b"mine")
    for name in ("kto.broken", "kto.broken-wal", "kto.broken-shm", "evidence/kto-1.txt", "notes.md"):
        age(tmp_path / name, 20)

    gone = {path.relative_to(tmp_path).as_posix() for path in remains(tmp_path, 14, time.time())}
    assert gone == {"empty.sqlite", "kto.broken", "kto.broken-wal", "kto.broken-shm", "evidence/kto-1.txt"}


def test_only_what_went_counts_as_removed(tmp_path: Path) -> None:
    (tmp_path / "stake.broken").write_bytes(b"x")
    (tmp_path / "kto.broken").mkdir()  # cannot be unlinked, by root neither
    for path in tmp_path.iterdir():
        age(path, 20)
    assert remove_files(CleanupSettings(spool_dir=tmp_path)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["kto.broken"]


def test_a_spool_that_a_scraper_has_open_stays(tmp_path: Path) -> None:
    """It was emptied long ago, and nothing has touched it since: the connection alone says that it is in use."""
    collected = cycle("kto", page_event(1))
    spool = Spool(tmp_path, "kto", 10)
    spool.append(collected)
    spool.remove(collected)
    spool.close()
    running = Spool(tmp_path, "kto", 10)
    for path in tmp_path.iterdir():
        age(path, 20)
    assert list(remains(tmp_path, 14, time.time())) == []
    running.close()
    closed = age(tmp_path / "kto.sqlite", 20)
    assert list(remains(tmp_path, 14, time.time())) == [closed]


def test_what_cannot_be_read_is_not_empty(tmp_path: Path) -> None:
    (tmp_path / "odd.sqlite").write_bytes(b"not a database")
    age(tmp_path / "odd.sqlite", 20)
    assert list(remains(tmp_path, 14, time.time())) == []
    with sqlite3.connect(tmp_path / "other.sqlite") as db:
        db.execute("create table something (id integer)")
    db.close()
    age(tmp_path / "other.sqlite", 20)
    assert list(remains(tmp_path, 14, time.time())) == []
