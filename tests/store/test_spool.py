"""Cycles that wait: in order, over restarts, within bounds, and never lost in silence."""

import shutil
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from loguru import logger

from store.spool import IN_MEMORY, Spool
from tests.cycles import cycle, page_event


def drain(spool: Spool) -> list[int]:
    numbers = []
    for waiting in spool.oldest():
        numbers.append(waiting.number)
        spool.remove(waiting)
    return numbers


def test_first_in_first_out_over_a_restart(tmp_path: Path) -> None:
    spool = Spool(tmp_path, "superbet", 10)
    for number in range(3):
        spool.append(cycle("superbet", page_event(number), number=number))
    spool.close()

    again = Spool(tmp_path, "superbet", 10)
    again.append(cycle("superbet", number=3))
    assert len(again) == 4
    assert drain(again) == [0, 1, 2, 3]
    assert len(again) == 0
    again.close()


def test_what_is_spooled_comes_back_the_same(tmp_path: Path) -> None:
    spool = Spool(tmp_path, "superbet", 10)
    kept = cycle("superbet", page_event(1), extra={"skipped": {"live": 2}})
    spool.append(kept)
    assert next(spool.oldest()) == kept
    spool.close()


def test_nothing_is_made_on_disk_while_nothing_waits(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool", "superbet", 10)
    assert len(spool) == 0
    assert drain(spool) == []
    assert not (tmp_path / "spool").exists()


def test_the_oldest_make_room_and_are_counted(tmp_path: Path) -> None:
    spool = Spool(tmp_path, "superbet", max_mb=1)
    spool._max_bytes = 4000
    for number in range(20):
        spool.append(cycle("superbet", *(page_event(i) for i in range(20)), number=number))
    waiting = drain(spool)
    assert waiting == list(range(20 - len(waiting), 20))
    assert spool.take_dropped() == 20 - len(waiting)
    assert spool.take_dropped() == 0
    spool.close()


def test_a_damaged_spool_is_kept_aside(tmp_path: Path) -> None:
    (tmp_path / "superbet.sqlite").write_bytes(b"this is no database" * 100)
    spool = Spool(tmp_path, "superbet", 10)
    spool.append(cycle("superbet", number=7))
    assert drain(spool) == [7]
    assert (tmp_path / "superbet.broken").exists()
    spool.close()


@pytest.mark.parametrize("deleted", [["", "-wal", "-shm"], [""]])
def test_a_file_deleted_under_a_running_scraper_loses_nothing(tmp_path: Path, deleted: list[str]) -> None:
    spool = Spool(tmp_path, "superbet", 10)
    for number in range(3):
        spool.append(cycle("superbet", number=number))
    spool.remove(next(spool.oldest()))
    for part in deleted:
        (tmp_path / f"superbet.sqlite{part}").unlink()
    spool.append(cycle("superbet", number=3))
    assert len(spool) == 3

    after_a_kill = Spool(tmp_path, "superbet", 10)
    assert drain(after_a_kill) == [1, 2, 3]
    after_a_kill.close()
    assert drain(spool) == []
    spool.close()


def test_a_file_replaced_under_a_running_scraper_keeps_what_both_hold(tmp_path: Path) -> None:
    spool = Spool(tmp_path, "superbet", 10)
    spool.append(cycle("superbet", number=1))
    for part in ("", "-wal", "-shm"):
        (tmp_path / f"superbet.sqlite{part}").unlink()
    other = Spool(tmp_path, "superbet", 10)
    other.append(cycle("superbet", number=0))
    other.close()
    spool.append(cycle("superbet", number=2))
    assert drain(spool) == [0, 1, 2]
    spool.close()


def test_a_deleted_file_that_cannot_be_made_anew_is_used_on(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool", "superbet", 10)
    spool.append(cycle("superbet", number=0))
    shutil.rmtree(tmp_path / "spool")
    (tmp_path / "spool").write_text("in the way")
    spool.append(cycle("superbet", number=1))
    assert len(spool) == 2
    (tmp_path / "spool").unlink()
    spool.append(cycle("superbet", number=2))
    again = Spool(tmp_path / "spool", "superbet", 10)
    assert drain(again) == [0, 1, 2]
    again.close()
    spool.close()


@pytest.fixture
def used_spool(tmp_path: Path) -> Path:
    """Three cycles wait in it, of several pages each."""
    spool = Spool(tmp_path, "superbet", 10)
    for number in range(3):
        spool.append(cycle("superbet", *(page_event(i, prefix=f"{number}") for i in range(200)), number=number))
    spool.close()
    return tmp_path / "superbet.sqlite"


@pytest.mark.parametrize("sound", [1, 3])
def test_a_spool_damaged_behind_its_first_pages_is_kept_aside_too(used_spool: Path, sound: int) -> None:
    kept = used_spool.read_bytes()[: sound * 4096]
    used_spool.write_bytes(kept + b"\xa5" * (used_spool.stat().st_size - len(kept)))
    spool = Spool(used_spool.parent, "superbet", 10)
    assert drain(spool) == []
    spool.append(cycle("superbet", number=7))
    assert drain(spool) == [7]
    assert used_spool.with_suffix(".broken").exists()
    spool.close()


def test_damage_that_shows_later_loses_nothing_new(used_spool: Path) -> None:
    spool = Spool(used_spool.parent, "superbet", 10)
    next(spool.oldest())
    with used_spool.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (used_spool.stat().st_size - 4096))
    spool.append(cycle("superbet", number=7))
    assert drain(spool) == [7]
    assert spool.take_dropped() == 0
    spool.close()


@pytest.mark.parametrize("body", [b"not compressed", zlib.compress(b'{"scraper":"superbet"}')])
def test_a_row_that_cannot_be_read_is_put_apart(used_spool: Path, body: bytes) -> None:
    with closing(sqlite3.connect(used_spool)) as db, db:
        db.execute("update waiting set body = ? where id = 2", (body,))
    spool = Spool(used_spool.parent, "superbet", 10)
    assert drain(spool) == [0, 2]
    assert len(spool) == 0
    spool.close()
    with closing(sqlite3.connect(used_spool)) as db:
        assert db.execute("select body from unreadable").fetchall() == [(body,)]


def test_cycles_of_an_older_version_are_read(used_spool: Path) -> None:
    """They do not tell when each event was read."""
    old = msgspec.to_builtins(cycle("superbet", page_event(1)))
    for event in old["events"]:
        del event["fetched_at"]
    with closing(sqlite3.connect(used_spool)) as db, db:
        db.execute("update waiting set body = ? where id = 1", (zlib.compress(msgspec.json.encode(old)),))
    spool = Spool(used_spool.parent, "superbet", 10)
    assert [event.fetched_at for event in next(spool.oldest()).events] == [None]
    spool.close()


@pytest.fixture
def full_disk(tmp_path: Path) -> Path:
    """A place where nothing can be written, for root neither."""
    return Path("/proc/oddsfleet-no-such-place")


def test_a_disk_that_fills_up_neither_repeats_nor_loses_what_waits(tmp_path: Path) -> None:
    """Deleting needs room as well: what has arrived is passed over, and taken away once there is some."""
    spool = Spool(tmp_path, "superbet", 10)
    for number in range(3):
        spool.append(cycle("superbet", number=number))
    spool._open().execute("pragma query_only = on")  # every write fails, as on a full disk
    spool.append(cycle("superbet", number=3))
    assert len(spool) == 4
    assert drain(spool) == [0, 1, 2, 3]
    assert len(spool) == 0
    assert spool.take_dropped() == 0
    spool._open().execute("pragma query_only = off")
    spool.append(cycle("superbet", number=4))
    assert drain(spool) == [4]
    spool.close()
    again = Spool(tmp_path, "superbet", 10)
    assert len(again) == 0
    again.close()


def test_what_no_place_was_left_for_is_counted(full_disk: Path) -> None:
    spool = Spool(full_disk, "superbet", 10)
    for number in range(IN_MEMORY + 3):
        spool.append(cycle("superbet", number=number))
    assert len(spool) == IN_MEMORY
    assert (spool.take_dropped(), spool.take_dropped()) == (3, 0)


def test_a_full_disk_keeps_cycles_in_memory_and_says_so(full_disk: Path) -> None:
    said: list[str] = []
    sink = logger.add(lambda message: said.append(message.record["message"]), level="ERROR")
    spool = Spool(full_disk, "superbet", 10)
    for number in range(3):
        spool.append(cycle("superbet", number=number))
    logger.remove(sink)
    assert len(spool) == 3
    assert drain(spool) == [0, 1, 2]
    assert "would be lost with this process" in said[0]
