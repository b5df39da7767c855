"""What spools leave on the disk: damaged files, evidence, and spools that have been empty for long."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

DAY = 86400.0


def remains(folder: Path, days: float, now: float) -> Iterator[Path]:
    """Files that may go. A spool in which cycles wait stays, whatever its age."""
    for path in sorted(folder.glob("*.broken")) + sorted(folder.glob("evidence/*.txt")):
        if is_old(path, days, now):
            yield path
    for path in sorted(folder.glob("*.sqlite")):
        companions = [Path(f"{path}{ending}") for ending in ("-wal", "-shm")]
        if all(is_old(one, days, now) for one in (path, *companions) if one.exists()) and is_empty(path):
            yield path
            yield from (one for one in companions if one.exists())


def is_old(path: Path, days: float, now: float) -> bool:
    try:
        return path.stat().st_mtime < now - days * DAY
    except OSError:
        return False


def is_empty(path: Path) -> bool:
    """Sure of it: what cannot be read is not empty."""
    try:
        # Read-only and immutable: looking must not make the file young, nor leave files beside it.
        with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as db:
            wal = Path(f"{path}-wal")
            unwritten = wal.exists() and wal.stat().st_size > 0
            return not unwritten and db.execute("select count(*) from waiting").fetchone()[0] == 0
    except (sqlite3.Error, OSError):
        return False
