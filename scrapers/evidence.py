"""An answer that no longer has the known shape, kept for the person who has to look at it."""

from contextlib import suppress
from datetime import datetime
from pathlib import Path

from loguru import logger

from scrapers.errors import Changed
from scrapers.wire import EVIDENCE_BYTES

NEWEST = 5  # kept per scraper


def keep_evidence(folder: Path, scraper: str, error: Changed, now: datetime) -> Path | None:
    """Where the answer lies now; None when there was none, or when it cannot be written, which is only told."""
    if not error.evidence:
        return None
    path = folder / f"{scraper}-{now:%Y%m%dT%H%M%S%f}.txt"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(error.evidence[:EVIDENCE_BYTES])
    except OSError as problem:
        logger.warning("the answer could not be kept as evidence: {}", problem)
        return None
    for old in sorted(of_scraper(folder, scraper))[:-NEWEST]:
        with suppress(OSError):
            old.unlink()
    return path


def of_scraper(folder: Path, scraper: str) -> list[Path]:
    """Names of scrapers may begin alike, but none of them has a dash."""
    return [path for path in folder.glob("*.txt") if path.name.partition("-")[0] == scraper]
