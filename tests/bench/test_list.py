"""`make bench` finds its benches by itself."""

import subprocess
import sys
from pathlib import Path

from bench.__main__ import MINUTES, find
from tests.conftest import ROOT


def test_every_module_with_a_main_is_a_bench() -> None:
    names = [bench.name for bench in find()]
    assert set(MINUTES) <= set(names), "minutes of a bench that is gone"
    assert names[: len(MINUTES)] == list(MINUTES)
    assert "leaking" not in names, "it runs in another's container"
    assert all(bench.about for bench in find())


def test_one_that_nobody_listed_comes_last(tmp_path: Path) -> None:
    (tmp_path / "aaa.py").write_text('"""What it is: `python -m bench.aaa`."""\n\ndef main() -> int:\n    return 0\n')
    (tmp_path / "names.py").write_text('"""Names."""\n\ndef main() -> int:\n    return 0\n')
    (tmp_path / "helper.py").write_text('"""No bench."""\n')
    assert [(bench.name, bench.about, bench.minutes) for bench in find(tmp_path)] == [
        ("names", "Names", f"{MINUTES['names']:g}"),
        ("aaa", "What it is", "?"),
    ]


def test_an_unknown_name_is_refused_with_those_there_are() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench", "nothing"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "freshness" in done.stderr
