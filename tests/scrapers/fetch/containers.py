"""The image with the browser as a container beside a simulator, told what to do line by line."""

import json
import os
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Self

from tests.conftest import ROOT, Simulator
from tests.fleet import docker

INSIDE = "http://simulator:9000"  # the simulator, as the browser sees it
ELSEWHERE = "http://simulator-api:9000"  # the same under another name: another host, for a browser
HARDENED = (
    "--init", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges:true", "--pids-limit", "256",
    "--tmpfs", "/tmp:size=128m,mode=1777", "--volume", f"{ROOT}:/repo:ro", "--workdir", "/repo",
)  # fmt: skip
AS_SOMEBODY = () if os.getuid() == 0 else ("--user", str(os.getuid()))  # who can read the tree
PATIENCE = 60.0


class Site:
    """The simulator in a network of its own, with its controls on a port of this machine."""

    def __init__(self) -> None:
        self.name = f"oddsfleet-test-fetch-{uuid.uuid4().hex[:8]}"
        self.simulator = Simulator("")

    def __enter__(self) -> Self:
        docker("network", "create", self.name)
        docker(
            "run", "--detach", "--name", self.name, "--network", self.name, "--network-alias", "simulator",
            "--network-alias", "simulator-api", "--publish", "127.0.0.1::9000", *HARDENED, *AS_SOMEBODY,
            "oddsfleet/playwright", "simulator", "--host", "0.0.0.0", "--port", "9000",
        )  # fmt: skip
        self.simulator = Simulator(f"http://{docker('port', self.name, '9000')}")
        wait_until(self._is_up)
        return self

    def _is_up(self) -> bool:
        with suppress(OSError, Exception):
            self.simulator.get("/answers")
            return True
        return False

    def __exit__(self, *_: object) -> None:
        self.simulator.close()
        docker("rm", "--force", self.name)
        docker("network", "rm", self.name)


class Inside:
    """tests/scrapers/fetch/inside.py, running in a container."""

    def __init__(self, site: Site, book: str, memory: str = "512m", **told: object) -> None:
        self.name = f"{site.name}-{book}-{uuid.uuid4().hex[:6]}"
        self._process = subprocess.Popen(
            [
                "docker", "run", "--interactive", "--name", self.name, "--network", site.name, "--memory", memory,
                "--memory-swap", memory, *HARDENED, *AS_SOMEBODY, "oddsfleet/playwright", "tests.scrapers.fetch.inside",
                json.dumps({"book": book, "simulator": INSIDE, **told}),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        self.api = ""

    def wait_until_ready(self) -> None:
        self.api = self.hear()["api"]

    def hear(self) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            assert self._process.stderr
            raise AssertionError(f"it ended: {self._process.stderr.read()}")
        heard: dict[str, Any] = json.loads(line)
        return heard

    def tell(self, do: str, **command: object) -> dict[str, Any]:
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"do": do, **command}) + "\n")
        self._process.stdin.flush()
        return self.hear()

    def get(self, path: str) -> dict[str, Any]:
        return self.tell("get", url=self.api + path, headers={"accept": "application/json"})

    def begin(self, path: str) -> None:
        self.tell("begin", url=self.api + path)

    def browser(self) -> dict[str, Any]:
        described: dict[str, Any] = self.tell("describe")["browser"]
        return described

    def processes(self) -> list[str]:
        """What parts of a browser are running."""
        return sorted(part for _, part in self.tell("processes")["processes"])

    def end_input(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()

    def exit_code(self) -> int:
        return self._process.wait(timeout=PATIENCE)

    def was_out_of_memory(self) -> bool:
        return docker("inspect", "--format", "{{.State.OOMKilled}}", self.name) == "true"

    def remove(self) -> None:
        with suppress(subprocess.CalledProcessError):
            docker("rm", "--force", self.name)
        self._process.wait(timeout=PATIENCE)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream:
                with suppress(BrokenPipeError):
                    stream.close()


@contextmanager
def inside(site: Site, book: str, **told: Any) -> Iterator[Inside]:  # noqa: ANN401
    running = Inside(site, book, **told)
    try:
        running.wait_until_ready()
        yield running
    finally:
        running.remove()


def wait_until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.05)
