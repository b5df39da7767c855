"""A stop before the loop runs, and one that comes while a process gives its memory back."""

import os
import signal
import subprocess
import sys

from tests.conftest import ROOT

START = "import common.early, sys; print('loading', flush=True); sys.stdin.read()"
# As scrapers.__main__ does: the signal comes before the new program can take it.
RECYCLE = """
import common.early, os, signal, sys
common.early.hold_signals()
os.kill(os.getpid(), signal.SIGTERM)
os.execv(sys.executable, [sys.executable, "-c", "import common.early; print('lost')"])
"""


def test_a_stop_while_modules_are_loaded_is_clean() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", START], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "loading\n"
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(timeout=30) == 0


def test_a_stop_is_not_lost_when_a_process_starts_anew() -> None:
    done = subprocess.run(
        [sys.executable, "-c", RECYCLE], cwd=ROOT, capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
