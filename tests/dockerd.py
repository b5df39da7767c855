"""A Docker Engine of a few lines, behind a socket in the file system: lists containers, and dies when told to."""

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any


class Dockerd(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, path: Path) -> None:
        super().__init__(str(path), Handler)
        self.url = f"unix://{path}"
        self.containers: list[dict[str, Any]] = []
        self.asked: list[str] = []  # method and path, without the version of the API
        self.hang_up_at: list[int] = []  # so many requests into a connection: no answer, and the connection is closed
        self.hangs_up_always = False


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
        self.send({"ApiVersion": "1.44"} if name == "version" else self.server.containers)

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
