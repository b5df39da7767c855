"""The real simulator, started once as a process of its own; every test finds it as if just started."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from hypothesis import settings

from scrapers import catalog
from simulator.board import Board, Line
from tests.fleet import fleet as fleet

ROOT = Path(__file__).parent.parent
# A loaded machine must not fail a test: nothing here judges by time.
settings.register_profile("oddsfleet", deadline=None)
settings.load_profile("oddsfleet")

LISTENING = "simulator: listening on "


class Simulator:
    """The simulator's controls. `url` is what a scraper gets as the simulator's address."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._client = httpx.Client()

    def fault(self, scraper: str, fault: str, **limits: float) -> None:
        self._send("PUT", f"/faults/{scraper}", {"fault": fault, **limits})

    def clear(self) -> None:
        self._send("DELETE", "/faults")

    def reset(self) -> None:
        self._send("DELETE", "")

    def board(self, scraper: str) -> Board:
        shown = msgspec.json.decode(self._send("GET", f"/board/{scraper}").content, type=Shown)
        return Board(catalog.get(scraper).at(self.url), shown.now, shown.lines)

    def requests(self, scraper: str) -> dict[str, Any]:
        return self.get(f"/requests/{scraper}")

    def answers(self) -> dict[str, Any]:
        return self.get("/answers")

    def prices(self, **change: object) -> dict[str, Any]:
        """For example `freeze=True`, or `fixture=12, shift=0.8`."""
        answer: dict[str, Any] = self._send("POST", "/prices", change).json()
        return answer

    def discord(self) -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = self._send("GET", "/discord").json()
        return messages

    def get(self, path: str) -> dict[str, Any]:
        answer: dict[str, Any] = self._send("GET", path).json()
        return answer

    def close(self) -> None:
        self._client.close()

    def _send(self, method: str, path: str, body: object = None) -> httpx.Response:
        return self._client.request(method, f"{self.url}/_control{path}", json=body).raise_for_status()


class Shown(msgspec.Struct):
    now: datetime
    lines: tuple[Line, ...]


def start_simulator(port: int = 0, stderr: int | None = None) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "simulator", "--port", str(port)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=stderr, text=True)


def listening_at(process: "subprocess.Popen[str]") -> str:
    assert process.stdout
    line = process.stdout.readline()
    assert line.startswith(LISTENING), f"the simulator did not start: {line!r}"
    return line.removeprefix(LISTENING).strip()


@pytest.fixture(scope="session")
def simulator_process() -> Iterator[Simulator]:
    with start_simulator() as process:
        running = Simulator(listening_at(process))
        yield running
        running.close()
        process.terminate()


@pytest.fixture
def simulator(simulator_process: Simulator) -> Iterator[Simulator]:
    yield simulator_process
    simulator_process.reset()
