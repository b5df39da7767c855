from datetime import UTC, datetime, timedelta
from pathlib import Path

from scrapers.errors import Changed
from scrapers.evidence import NEWEST, keep_evidence
from scrapers.wire import EVIDENCE_BYTES

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


def test_the_answer_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "evidence"
    path = keep_evidence(folder, "br4bet_nba", Changed("moved", b"<html>"), NOW)
    assert path == folder / "br4bet_nba-20260301T120000000000.txt"
    assert path.read_bytes() == b"<html>"


def test_only_the_newest_of_each_scraper_and_not_too_much(tmp_path: Path) -> None:
    other = keep_evidence(tmp_path, "br4bet_nba", Changed("moved", b"other"), NOW - timedelta(days=1))
    paths = [
        keep_evidence(tmp_path, "br4bet", Changed("moved", bytes(2 * EVIDENCE_BYTES)), NOW + timedelta(minutes=minute))
        for minute in range(NEWEST + 3)
    ]
    assert sorted(tmp_path.iterdir()) == sorted(path for path in [other, *paths[-NEWEST:]] if path)
    assert all(path.stat().st_size <= EVIDENCE_BYTES for path in tmp_path.iterdir())


def test_nothing_to_keep_and_nowhere_to_keep_it(tmp_path: Path) -> None:
    assert keep_evidence(tmp_path, "kto", Changed("moved"), NOW) is None
    (tmp_path / "file").touch()
    assert keep_evidence(tmp_path / "file" / "evidence", "kto", Changed("moved", b"x"), NOW) is None
