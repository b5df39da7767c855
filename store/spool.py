"""Where cycles wait while Supabase is away: SQLite on a volume, first in, first out.

When the disk is full too, the newest cycles wait in memory, and the log says so until there is room again.
"""

import sqlite3
import zlib
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import msgspec
from loguru import logger

from store.cycle import Cycle

IN_MEMORY = 50


class Spool:
    def __init__(self, folder: Path, scraper: str, max_mb: int) -> None:
        self._path = folder / f"{scraper}.sqlite"
        self._max_bytes = max_mb * 1024 * 1024
        self._memory: deque[Cycle] = deque()
        self._lost = 0
        self._passed = 0  # rows up to this one have arrived, and stay only because the disk is full
        self._db: sqlite3.Connection | None = None
        self._size = self._count_waiting()

    def __len__(self) -> int:
        return self._size + len(self._memory)

    def append(self, cycle: Cycle) -> None:
        self._memory.append(cycle)
        try:
            self._write_down()
        except (sqlite3.Error, OSError) as error:
            logger.error(
                "the spool cannot be written: {}. {} cycles wait in memory and would be lost with this process;"
                " free space for {}",
                error, len(self._memory), self._path.parent,
            )  # fmt: skip
            if len(self._memory) > IN_MEMORY:
                lost = self._memory.popleft()
                self._lost += 1
                logger.error("no room left in memory either: cycle {} is lost", lost.cycle_id)

    def oldest(self) -> Iterator[Cycle]:
        """What waits, in order. Remove each when it has arrived."""
        while len(self):
            query = "select body from waiting where id > ? order by id limit 1"
            row = self._open().execute(query, (self._passed,)).fetchone() if self._size else None
            if row is None:
                self._size = 0
                if not self._memory:
                    return
                yield self._memory[0]
            else:
                yield msgspec.json.decode(zlib.decompress(row[0]), type=Cycle)

    def remove(self, cycle: Cycle) -> None:
        if self._memory and self._memory[0].cycle_id == cycle.cycle_id:
            self._memory.popleft()
            return
        row = self._open().execute("select id from waiting where cycle_id = ?", (cycle.cycle_id,)).fetchone()
        self._passed = row[0] if row else self._passed
        self._sweep()
        self._size = self._count_waiting()

    def _sweep(self) -> None:
        """Take away what has arrived. Even that needs room on the disk; without it, the next call does it."""
        try:
            with self._open() as db:
                db.execute("delete from waiting where id <= ?", (self._passed,))
        except sqlite3.Error as error:
            logger.error(
                "the spool cannot be emptied: {}. What it holds has arrived; free space for {}",
                error, self._path.parent,
            )  # fmt: skip

    def take_dropped(self) -> int:
        """How many cycles had to make room, or found none, since this was last asked."""
        lost, self._lost = self._lost, 0
        if self._db is None and not self._path.exists():
            return lost
        try:
            with self._open() as db:
                row = db.execute("select cycles from dropped").fetchone()
                if row:
                    db.execute("delete from dropped")
        except sqlite3.Error:  # a full disk: asked again after the next cycles that wait
            return lost
        return lost + (int(row[0]) if row else 0)

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _write_down(self) -> None:
        while self._memory:
            cycle = self._memory[0]
            body = zlib.compress(msgspec.json.encode(cycle), 6)
            with self._open() as db:
                db.execute("delete from waiting where id <= ?", (self._passed,))
                db.execute("insert or ignore into waiting (cycle_id, body) values (?, ?)", (cycle.cycle_id, body))
                self._make_room(db)
            self._memory.popleft()
            self._size = self._count_waiting()

    def _make_room(self, db: sqlite3.Connection) -> None:
        total, count = db.execute("select coalesce(sum(length(body)), 0), count(*) from waiting").fetchone()
        while total > self._max_bytes and count > 1:
            identity, length, cycle_id = db.execute(
                "select id, length(body), cycle_id from waiting order by id limit 1"
            ).fetchone()
            db.execute("delete from waiting where id = ?", (identity,))
            db.execute(
                "insert into dropped (only, cycles) values (1, 1) on conflict (only) do update set cycles = cycles + 1"
            )
            logger.error("the spool has reached SPOOL_MAX_MB: cycle {} had to make room", cycle_id)
            total, count = total - length, count - 1

    def _count_waiting(self) -> int:
        if self._db is None and not self._path.exists():
            return 0
        try:
            query = "select count(*) from waiting where id > ?"
            return int(self._open().execute(query, (self._passed,)).fetchone()[0])
        except sqlite3.OperationalError as error:  # a full disk, a lost mount: scraping goes on
            logger.error("the spool {} cannot be read: {}", self._path, error)
            return 0

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._db = connect(self._path)
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError as error:
                aside = self._path.with_suffix(".broken")
                self._path.replace(aside)
                logger.error("the spool was damaged ({}): kept as {}, starting a new one", error, aside)
                self._db = connect(self._path)
        return self._db


def connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=5)
    db.executescript(
        """
        pragma journal_mode = wal;
        pragma synchronous = full;
        create table if not exists waiting
            (id integer primary key autoincrement, cycle_id text not null unique, body blob not null);
        create table if not exists dropped (only integer primary key check (only = 1), cycles integer not null);
        """
    )
    return db
