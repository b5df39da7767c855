"""What spools leave on the disk: damaged files, evidence, and spools that have been empty for long."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

DAY = 86400.0


def remains(folder: Path, days: float, now: float) -> Iterator[Path]:
    """Files that may go. A spool in which cycles wait stays, whatever its age."""
    for path in sorted(folder.glob("*.broken*")) + sorted(folder.glob("evidence/*.txt")):
        if is_old(path, days, now):
            yield path
    for path in sorted(folder.glob("*.sqlite")):
        if not is_in_use(path) and is_old(path, days, now) and is_empty(path):
            yield path


def is_old(path: Path, days: float, now: float) -> bool:
    try:
        return path.stat().st_mtime < now - days * DAY
    except OSError:
        return False


def is_in_use(path: Path) -> bool:
    """A scraper has it open, and may for weeks without touching it: SQLite takes these two away when it closes a file.
    A crash leaves them too; then the spool stays until its scraper has run once more, which closes it cleanly."""
    return any(Path(f"{path}{ending}").exists() for ending in ("-wal", "-shm"))


def is_empty(path: Path) -> bool:
    """Sure of it: what cannot be read is not empty."""
    try:
        # Read-only and immutable: looking must not make the file young, nor leave files beside it.
        with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as db:
            waiting: int = db.execute("select count(*) from waiting").fetchone()[0]
            return waiting == 0
    except (sqlite3.Error, OSError):
        return False
