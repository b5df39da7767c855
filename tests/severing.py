"""A door to the real Docker Engine that writes down what passes, and hangs up when told to."""

import http.client
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from tests.fleet import SOCKET


class Engine(http.client.HTTPConnection):
    """To its socket in the file system."""

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(str(SOCKET))


class SeveringDoor(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, path: Path) -> None:
        super().__init__(str(path), Passage)
        self.url = f"unix://{path}"
        self.asked: list[str] = []  # method and path, without the version of the API
        self.hangs_up_on_used = False  # once, on the next connection that was used before
        self.hangs_up_always = False


class Passage(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: SeveringDoor

    def setup(self) -> None:
        super().setup()
        self.is_used = False

    def do_GET(self) -> None:
        versioned = self.path.partition("?")[0].removeprefix("/v1.")
        name = versioned.partition("/")[2]
        self.server.asked.append(f"{self.command} {name}")
        is_greeting = name == "version"  # the client asks for it before anything else
        if not is_greeting and self.is_to_hang_up():
            self.close_connection = True
            return
        self.is_used = not is_greeting
        self.pass_on()

    def do_POST(self) -> None:
        self.do_GET()

    def is_to_hang_up(self) -> bool:
        if self.is_used and self.server.hangs_up_on_used:
            self.server.hangs_up_on_used = False
            return True
        return self.server.hangs_up_always

    def pass_on(self) -> None:
        engine = Engine("docker")
        try:
            engine.request(self.command, self.path)
            answer = engine.getresponse()
            body = answer.read()
        finally:
            engine.close()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers["Content-Type"])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        return "a socket"

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def severing_door(folder: Path) -> Iterator[SeveringDoor]:
    with SeveringDoor(folder / "docker.sock") as door:
        thread = threading.Thread(target=door.serve_forever)
        thread.start()
        try:
            yield door
        finally:
            door.shutdown()
            thread.join()
