"""Where cycles wait while Supabase is away: SQLite on a volume, first in, first out.

When the disk is full too, the newest cycles wait in memory, and the log says so until there is room again.
"""

import sqlite3
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec
from loguru import logger

from store.cycle import Cycle

IN_MEMORY = 50
KEPT_UNREADABLE = 20

Row = tuple[int, str, bytes]
T = TypeVar("T")


class Spool:
    def __init__(self, folder: Path, scraper: str, max_mb: int) -> None:
        self._path = folder / f"{scraper}.sqlite"
        self._max_bytes = max_mb * 1024 * 1024
        self._memory: deque[Cycle] = deque()
        self._lost = 0
        self._passed = 0  # rows up to this one have arrived, and stay only because the disk is full
        self._db: sqlite3.Connection | None = None
        self._inode: int | None = None  # of the file that is open
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
            row = self._run(self._first) if self._size else None
            if row is None:
                self._size = 0
                if not self._memory:
                    return
                yield self._memory[0]
            elif cycle := self._decode(*row):
                yield cycle

    def remove(self, cycle: Cycle) -> None:
        if self._memory and self._memory[0].cycle_id == cycle.cycle_id:
            self._memory.popleft()
            return
        query = "select id from waiting where cycle_id = ?"
        row = self._run(lambda db: db.execute(query, (cycle.cycle_id,)).fetchone())
        self._passed = row[0] if row else self._passed
        self._sweep()
        self._size = self._count_waiting()

    def _first(self, db: sqlite3.Connection) -> Row | None:
        query = "select id, cycle_id, body from waiting where id > ? order by id limit 1"
        row: Row | None = db.execute(query, (self._passed,)).fetchone()
        return row

    def _decode(self, number: int, cycle_id: str, body: bytes) -> Cycle | None:
        try:
            return msgspec.json.decode(zlib.decompress(body), type=Cycle)
        except (zlib.error, msgspec.DecodeError) as error:
            logger.error("cycle {} in the spool cannot be read, and is put apart: {}", cycle_id, error)
        self._passed = number
        try:
            self._run(partial(put_apart, number))
        except sqlite3.Error as error:  # it has been passed, so nothing waits for it
            logger.error("cycle {} cannot be put apart either: {}", cycle_id, error)
        self._size = self._count_waiting()
        return None

    def _sweep(self) -> None:
        """Take away what has arrived. Even that needs room on the disk; without it, the next call does it."""
        try:
            self._run(lambda db: db.execute("delete from waiting where id <= ?", (self._passed,)))
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
            return lost + self._run(take_count)
        except sqlite3.Error:  # a full disk: asked again after the next cycles that wait
            return lost

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _write_down(self) -> None:
        while self._memory:
            self._run(partial(self._insert, self._memory[0]))
            self._memory.popleft()
            self._size = self._count_waiting()

    def _insert(self, cycle: Cycle, db: sqlite3.Connection) -> None:
        body = zlib.compress(msgspec.json.encode(cycle), 6)
        db.execute("delete from waiting where id <= ?", (self._passed,))
        db.execute("insert or ignore into waiting (cycle_id, body) values (?, ?)", (cycle.cycle_id, body))
        self._make_room(db)

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
            return self._run(lambda db: int(db.execute(query, (self._passed,)).fetchone()[0]))
        except (sqlite3.Error, OSError) as error:  # a full disk, a lost mount: scraping goes on
            logger.error("the spool {} cannot be read: {}", self._path, error)
            return 0

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._db = connect(self._path)
            self._inode = inode_of(self._path)
        elif inode_of(self._path) != self._inode:
            self._db = self._move(self._db)
        return self._db

    def _move(self, old: sqlite3.Connection) -> sqlite3.Connection:
        """The file was deleted or replaced, and a restart would not find what is written to it: what waits goes on in
        the one that has its name. As long as that cannot be written, the old one is the best there is."""
        query = "select cycle_id, body from waiting where id > ? order by id"
        try:
            rows = old.execute(query, (self._passed,)).fetchall()
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if not self._path.exists():
                for part in ("-wal", "-shm"):  # of the deleted one: SQLite would mix them up with those of the new
                    Path(f"{self._path}{part}").unlink(missing_ok=True)
            new = connect_with(self._path, rows)
        except (sqlite3.Error, OSError) as error:
            logger.error("the spool {} was deleted or replaced, and cannot be made anew: {}", self._path, error)
            return old
        old.close()
        self._inode = inode_of(self._path)
        self._passed = 0  # a new file counts from one
        logger.error("the spool {} was deleted or replaced: {} cycles moved on to a new file", self._path, len(rows))
        return new

    def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """In one transaction; once more on a new file when this one proves to be damaged."""
        try:
            with self._open() as db:
                return work(db)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            self._put_aside(error)
        with self._open() as db:
            return work(db)

    def _put_aside(self, error: sqlite3.DatabaseError) -> None:
        self.close()
        aside = self._path.with_suffix(".broken")
        for part in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                Path(f"{self._path}{part}").replace(f"{aside}{part}")
        self._passed = self._size = 0  # a new file counts from one
        logger.error("the spool was damaged ({}): kept as {}, starting a new one", error, aside)


def connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=5)
    try:
        db.executescript(
            """
            pragma journal_mode = wal;
            pragma synchronous = full;
            create table if not exists waiting
                (id integer primary key autoincrement, cycle_id text not null unique, body blob not null);
            create table if not exists dropped (only integer primary key check (only = 1), cycles integer not null);
            """
        )
    except sqlite3.Error:
        db.close()  # before a new file takes this name
        raise
    return db


def connect_with(path: Path, rows: Iterable[tuple[str, bytes]]) -> sqlite3.Connection:
    db = connect(path)
    try:
        with db:
            db.executemany("insert or ignore into waiting (cycle_id, body) values (?, ?)", rows)
    except sqlite3.Error:
        db.close()
        raise
    return db


def inode_of(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except OSError:
        return None


def put_apart(number: int, db: sqlite3.Connection) -> None:
    db.execute("create table if not exists unreadable (id integer primary key, cycle_id text not null, body blob)")
    db.execute("insert into unreadable select id, cycle_id, body from waiting where id = ?", (number,))
    db.execute("delete from waiting where id = ?", (number,))
    older = "delete from unreadable where id not in (select id from unreadable order by id desc limit ?)"
    db.execute(older, (KEPT_UNREADABLE,))


def take_count(db: sqlite3.Connection) -> int:
    row = db.execute("select cycles from dropped").fetchone()
    if row is None:
        return 0
    db.execute("delete from dropped")
    return int(row[0])
