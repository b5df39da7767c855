"""A Docker Engine of a few lines, behind a socket in the file system: shows containers, and hangs up when told to."""

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

NOON = "2026-01-01T12:00:00.000000000Z"


class Dockerd(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, path: Path) -> None:
        super().__init__(str(path), Handler)
        self.url = f"unix://{path}"
        self.containers: dict[str, dict[str, Any]] = {}
        self.asked: list[str] = []  # method and path, without the version of the API
        self.hang_up_at: list[int] = []  # so many requests into a connection: no answer, and the connection is closed
        self.hangs_up_always = False

    def run(self, scraper: str, state: str = "running") -> None:
        """A container of that scraper, as Docker describes it."""
        labels = {"oddsfleet.scraper": scraper, "com.docker.compose.service": f"scraper-{scraper}"}
        self.containers[f"oddsfleet-scraper-{scraper}-1"] = {
            "Id": f"{scraper:0<64}",
            "Name": f"/oddsfleet-scraper-{scraper}-1",
            "Created": NOON,
            "RestartCount": 0,
            "State": {"Status": state, "StartedAt": NOON, "FinishedAt": NOON},
            "Config": {"Labels": labels},
        }

    def shown(self, path: str) -> object:
        if path == "containers/json":
            return [
                {
                    "Id": each["Id"],
                    "Names": [each["Name"]],
                    "Labels": each["Config"]["Labels"],
                    "State": each["State"]["Status"],
                    "Status": "Up 3 minutes",
                }
                for each in self.containers.values()
            ]
        return self.containers.get(path.split("/")[1], {})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Dockerd

    def setup(self) -> None:
        super().setup()
        self.answered = 0

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        name = path.rpartition("/v1.")[2].partition("/")[2] if "/v1." in path else path.lstrip("/")
        self.server.asked.append(f"{self.command} {name}")
        known = name != "version"
        if known and (self.server.hangs_up_always or self.is_to_hang_up()):
            self.close_connection = True
            return
        self.answered += known
        self.send(self.server.shown(name) if known else {"ApiVersion": "1.44"})

    def do_POST(self) -> None:
        self.do_GET()

    def is_to_hang_up(self) -> bool:
        if self.answered in self.server.hang_up_at:
            self.server.hang_up_at.remove(self.answered)
            return True
        return False

    def send(self, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        return "a socket"

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def dockerd(folder: Path) -> Iterator[Dockerd]:
    with Dockerd(folder / "docker.sock") as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
