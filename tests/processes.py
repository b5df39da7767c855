"""A scraper, or a sidecar, as a real process, followed through its own log lines."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.fleet import ROOT, Fleet

Line = dict[str, Any]
PATIENCE = 60.0  # for a thing that must happen; a failing test waits this long, a passing one does not


class LoggedProcess:
    """A module of ours, run as `python -m …`, with Supabase as the containers see it."""

    def __init__(self, fleet: Fleet, *arguments: str, **environment: str) -> None:
        self.lines: list[Line] = []
        self._unread: queue.Queue[Line] = queue.Queue()
        self._process = subprocess.Popen(
            [sys.executable, "-m", *arguments],
            cwd=ROOT,
            env={
                **os.environ,
                "SUPABASE_URL": fleet.supabase_url,
                "SUPABASE_KEY_FILE": str(fleet.secrets / "supabase_key"),
                "LOG_FORMAT": "json",
                **environment,
            },
            stderr=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stderr
        for text in self._process.stderr:
            line = json.loads(text) if text.startswith("{") else {"event": text, "unformatted": True}
            self.lines.append(line)
            self._unread.put(line)

    def await_line(self, wanted: Callable[[Line], bool]) -> Line:
        """The next line that is wanted; lines before it are read past."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                line = self._unread.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"it never said so; it said: {self.lines[-20:]}") from None
            if wanted(line):
                return line

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def await_exit(self) -> int:
        return self._process.wait(timeout=PATIENCE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._reader.join(timeout=5)
        assert self._process.stderr
        self._process.stderr.close()


class ScraperProcess(LoggedProcess):
    def __init__(
        self, fleet: Fleet, simulator_url: str, folder: Path, *, interval: float = 0.5, **environment: str
    ) -> None:
        settings = {
            "SIMULATOR_URL": simulator_url,
            "SPOOL_DIR": str(folder / "spool"),
            "PROGRESS_FILE": str(folder / "progress"),
            "REQUEST_GAP": "0",
            **environment,
        }
        super().__init__(fleet, "scrapers", "run", "superbet", "--interval", str(interval), **settings)

    def await_cycle(self, outcome: str = "ok", arrived: str = "written") -> Line:
        return self.await_line(lambda line: line.get("outcome") == outcome and line.get("arrived") == arrived)
