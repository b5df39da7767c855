"""The red team: whoever takes over the watchdog has docker-proxy, and nothing but the scrapers to restart; whoever
takes over the dashboard has its other door, and nothing but numbers and the scrapers' last log lines to read."""

import http.client
import json
import os
import socket
import subprocess
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from loguru import logger

from tests.fleet import SOCKET, docker, image
from watchdog.engine import Engine

pytestmark = pytest.mark.docker

PROJECT = "oddsfleet-redteam"
SCRAPER = f"{PROJECT}-scraper-victim-1"
STRANGER = f"{PROJECT}-database-1"
LABELS = ("--label", f"com.docker.compose.project={PROJECT}", "--label", "oddsfleet.scraper=victim")
EVIL = '{"Image":"oddsfleet/base","HostConfig":{"Privileged":true,"Binds":["/:/host"]}}'

SENT_AWAY = (httpx.RemoteProtocolError, httpx.NetworkError)  # told so, or cut off before it had said all


class Connection(http.client.HTTPConnection):
    """To a socket in the file system."""

    def __init__(self, path: Path) -> None:
        super().__init__("docker", timeout=10)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(10)
        self.sock.connect(str(self._path))


class Door:
    def __init__(self, path: Path) -> None:
        self.path = path

    def ask(self, method: str, path: str, body: str | None = None, **headers: str) -> tuple[int, bytes]:
        connection = Connection(self.path)
        try:
            headers = {name.replace("_", "-"): value for name, value in headers.items()}
            if body is not None:
                headers["Content-Type"] = "application/json"
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def status(self, method: str, path: str, body: str | None = None, **headers: str) -> int:
        return self.ask(method, path, body, **headers)[0]

    def raw(self, text: str) -> bytes:
        connection = Connection(self.path)
        connection.connect()
        try:
            connection.sock.sendall(text.encode())
            return bytes(connection.sock.recv(65536))
        finally:
            connection.close()

    def over_http2(self) -> httpx.Client:
        """Nothing is encrypted or agreed on: it opens with the preface."""
        return httpx.Client(transport=httpx.HTTPTransport(uds=str(self.path), http1=False, http2=True, verify=False))


def sleeper(name: str, *options: str) -> str:
    keep = ["--detach", "--rm", "--name", name, *options, "--entrypoint", "sh"]
    return docker("run", *keep, image("base"), "-c", "echo one line; exec sleep 600")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the sockets are: of the containers' user, as the volumes are."""
    folder = tmp_path_factory.mktemp("doors")
    for name in ("act", "look"):
        (folder / name).mkdir()
        os.chown(folder / name, 10001, 10001)
    return folder


@pytest.fixture(scope="module")
def proxy(folder: Path) -> Iterator[Door]:
    """The watchdog's door."""
    names = [SCRAPER, STRANGER, f"{PROJECT}-proxy"]
    try:
        sleeper(SCRAPER, *LABELS)
        sleeper(STRANGER, "--label", f"com.docker.compose.project={PROJECT}-other")
        docker(
            "run", "--detach", "--rm", "--name", names[2], "--read-only", "--cap-drop", "ALL", "--network", "none",
            "--security-opt", "no-new-privileges:true", "--group-add", str(SOCKET.stat().st_gid),
            "-e", f"COMPOSE_PROJECT={PROJECT}", "-v", f"{SOCKET}:/var/run/docker.sock:ro",
            "-v", f"{folder}/act:/run/act", "-v", f"{folder}/look:/run/look", image("docker-proxy"),
        )  # fmt: skip
        proxy = Door(folder / "act/docker.sock")
        for _ in range(100):
            with suppress(OSError):
                if proxy.status("GET", "/_ping") == 200:
                    break
            time.sleep(0.1)
        yield proxy
    finally:
        for name in names:
            docker("rm", "--force", name)


def identity(name: str) -> str:
    return docker("inspect", "-f", "{{.Id}}", name)


def test_what_the_watchdog_needs_goes_through(proxy: Door) -> None:
    for prefix in ("", "/v1.41"):
        for path in (
            "/_ping", "/version", "/containers/json?all=1", f"/containers/{SCRAPER}/json",
            f"/containers/{SCRAPER}/logs?stdout=1&tail=5", f"/containers/{SCRAPER}/top",
            f"/containers/{SCRAPER}/stats?stream=false&one-shot=true",
            "/events?since=1&until=2",
        ):  # fmt: skip
            assert proxy.status("GET", prefix + path) == 200, path
    assert proxy.status("POST", f"/v1.41/containers/{SCRAPER}/restart?t=0") == 204
    assert proxy.status("POST", f"/v1.41/containers/{SCRAPER}/kill?signal=SIGUSR2") in (204, 409)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/containers/create?name=evil"),
        ("POST", f"/containers/{SCRAPER}/exec"),
        ("POST", "/exec/abc/start"),
        ("POST", f"/containers/{SCRAPER}/update"),
        ("POST", f"/containers/{SCRAPER}/rename?name=x"),
        ("POST", f"/containers/{SCRAPER}/pause"),
        ("POST", f"/containers/{SCRAPER}/attach?stream=1"),
        ("GET", f"/containers/{SCRAPER}/attach/ws"),
        ("GET", f"/containers/{SCRAPER}/archive?path=/run/secrets"),
        ("PUT", f"/containers/{SCRAPER}/archive?path=/tmp"),
        ("GET", f"/containers/{SCRAPER}/export"),
        ("DELETE", f"/containers/{SCRAPER}"),
        ("POST", "/containers/prune"),
        ("GET", "/images/json"),
        ("POST", "/images/create?fromImage=evil"),
        ("POST", "/build"),
        ("POST", "/commit?container=x"),
        ("GET", "/volumes"),
        ("POST", "/volumes/create"),
        ("GET", "/networks"),
        ("POST", "/networks/create"),
        ("POST", f"/networks/bridge/connect?container={SCRAPER}"),
        ("GET", "/secrets"),
        ("POST", "/secrets/create"),
        ("GET", "/configs"),
        ("GET", "/swarm"),
        ("POST", "/swarm/init"),
        ("GET", "/info"),
        ("GET", "/system/df"),
        ("POST", "/plugins/pull?remote=evil"),
        ("POST", "/session"),
        ("POST", "/auth"),
    ],
)  # fmt: skip
def test_nothing_else_does(proxy: Door, method: str, path: str) -> None:
    for prefix in ("", "/v1.41", "/v1.23"):
        assert proxy.status(method, prefix + path) == 403, path


@pytest.mark.parametrize("verb", ["restart", "stop", "start", "kill", "json", "logs", "top", "stats"])
def test_no_other_container_is_reached(proxy: Door, verb: str) -> None:
    method = "GET" if verb in ("json", "logs", "top", "stats") else "POST"
    stranger, scraper = identity(STRANGER), identity(SCRAPER)
    for name in (
        STRANGER, stranger, stranger[:12], scraper, scraper[:12], "oddsfleet-scraper-superbet-1", f"{STRANGER}%00",
        f"{SCRAPER}/../{STRANGER}", f"{SCRAPER}%2f..%2f{STRANGER}", f"..%2f{STRANGER}",
        f"{SCRAPER}/json/../../{STRANGER}",
        f"/{STRANGER}", f"{SCRAPER}#/{STRANGER}", f"{SCRAPER};{STRANGER}", f"{SCRAPER}\\..\\{STRANGER}",
    ):  # fmt: skip
        assert proxy.status(method, f"/v1.41/containers/{name}/{verb}") in (400, 403), name
    assert docker("inspect", "-f", "{{.State.Running}}", STRANGER) == "true"


def test_a_start_cannot_bring_a_configuration(proxy: Door) -> None:
    """Old versions of the API take mounts and privileges in the body of a start."""
    for version in ("", "/v1.12", "/v1.23", "/v1.41"):
        assert proxy.status("POST", f"{version}/containers/{SCRAPER}/start", EVIL) == 403
        chunked = (
            f"POST {version}/containers/{SCRAPER}/start HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
            f"{len(EVIL):x}\r\n{EVIL}\r\n0\r\n\r\n"
        )
        assert b" 403 " in proxy.raw(chunked).split(b"\r\n")[0]


def test_tricks_of_the_protocol(proxy: Door) -> None:
    name = f"evil{uuid.uuid4().hex[:8]}"
    create = f"POST /containers/create?name={name} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(EVIL)}\r\n\r\n{EVIL}"
    # A second request hidden in the body of the first; two lengths; another method; an upgrade; absolute addresses.
    for text in (
        f"GET /_ping HTTP/1.1\r\nHost: x\r\nContent-Length: {len(create)}\r\n\r\n{create}",
        f"GET /_ping HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{create}",
        f"POST http://x/containers/create?name={name} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(EVIL)}\r\n\r\n{EVIL}",
        f"GET /_ping HTTP/1.1\r\nHost: x\r\n\r\n{create}",
        f"POST /v1.41/containers/{SCRAPER}/kill HTTP/1.1\r\nHost: x\r\nUpgrade: tcp\r\nConnection: Upgrade\r\n\r\n",
        "GET /%63ontainers/../images/json HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /containers/json/../../images/json HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET //images/json HTTP/1.1\r\nHost: x\r\n\r\n",
    ):
        answer = proxy.raw(text)
        assert b"Warnings" not in answer
        assert b"RepoTags" not in answer
    assert docker("ps", "--all", "--quiet", "--filter", f"name={name}") == ""
    assert proxy.status("GET", f"/containers/{SCRAPER}/json", X_HTTP_Method_Override="DELETE") == 200


def test_http2_brings_no_configuration_either(proxy: Door) -> None:
    """Its bodies need no header that tells of them."""
    idle = f"{PROJECT}-scraper-idle-1"
    docker("create", "--name", idle, image("base"))
    try:
        for version in ("", "/v1.12", "/v1.23", "/v1.41"):
            url = f"http://docker{version}/containers/{idle}/start"
            with proxy.over_http2() as client, suppress(*SENT_AWAY):
                client.post(url, content=iter([b'{"Privileged":true}']), headers={"Content-Type": "application/json"})
        assert docker("inspect", "-f", "{{.State.Status}} {{.HostConfig.Privileged}}", idle) == "created false"
    finally:
        docker("rm", "--force", idle)


def test_neither_door_speaks_http2(proxy: Door, look: Door) -> None:
    for door in (proxy, look):
        assert door.status("GET", "/_ping") == 200
        with door.over_http2() as client, pytest.raises(SENT_AWAY):
            client.get("http://docker/_ping")


@pytest.mark.parametrize(("user", "said"), [("10001", "HTTP/1.1 200 OK"), ("10002", "PermissionError")])
def test_only_the_watchdogs_user_gets_through_its_door(proxy: Door, user: str, said: str) -> None:
    knock = """if True:
        import socket
        door = socket.socket(socket.AF_UNIX)
        door.connect("/run/act/docker.sock")
        door.sendall(b"GET /_ping HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
        print(door.recv(65536).decode())
    """
    command = ["docker", "run", "--rm", "--user", user, "-v", f"{proxy.path.parent}:/run/act:ro"]
    done = subprocess.run(
        [*command, "--entrypoint", "python", image("base"), "-c", knock], capture_output=True, text=True, check=False
    )
    assert said in done.stdout + done.stderr


@pytest.fixture
def engine(proxy: Door) -> Iterator[Engine]:
    """As the watchdog has it."""
    engine = Engine(f"unix://{proxy.path}", PROJECT)
    yield engine
    engine.forget_connection()


def test_the_watchdog_looks_and_restarts(engine: Engine) -> None:
    (before,) = engine.containers()
    engine.restart(SCRAPER, timeout=0)
    (after,) = engine.containers()
    assert before["Name"] == after["Name"] == f"/{SCRAPER}"
    assert before["State"]["StartedAt"] < after["State"]["StartedAt"]
    assert engine.last_end(SCRAPER, since=time.time() - 60) == (137, False)


def test_a_container_without_its_name_yet_is_passed_over_and_told_once(engine: Engine) -> None:
    """Compose gives the new one such a name until the old one is gone; where it is interrupted, for good."""
    unnamed = f"0123456789ab_{SCRAPER}"
    said: list[str] = []
    sink = logger.add(said.append, level="WARNING")
    sleeper(unnamed, *LABELS)
    try:
        for _ in range(2):
            assert [item["Name"] for item in engine.containers()] == [f"/{SCRAPER}"]
        assert [unnamed in line for line in said] == [True]
    finally:
        logger.remove(sink)
        docker("rm", "--force", unnamed)


# --- The dashboard's door ---


@pytest.fixture
def look(proxy: Door, folder: Path) -> Door:
    assert proxy
    return Door(folder / "look/docker.sock")


def test_the_dashboard_can_look(look: Door) -> None:
    assert look.ask("GET", "/_ping") == (200, b"OK")
    status, numbers = look.ask("GET", f"/containers/{SCRAPER}/stats")
    assert status == 200
    assert json.loads(numbers)["memory_stats"]
    status, log = look.ask("GET", f"/containers/{SCRAPER}/logs")
    assert status == 200
    assert log.endswith(b"one line\n")


def test_the_list_has_nobody_else_whatever_is_asked_for(look: Door) -> None:
    for query in ("", "?all=1", "?filters={}", "?filters=%7B%22name%22%3A%5B%22database%22%5D%7D", "?limit=0"):
        status, listed = look.ask("GET", f"/containers/json{query}")
        assert status == 200
        assert [item["Names"] for item in json.loads(listed)] == [[f"/{SCRAPER}"]], query


def test_a_log_ends_and_is_short_whatever_is_asked_for(look: Door) -> None:
    plain = look.ask("GET", f"/containers/{SCRAPER}/logs")
    for query in ("?follow=1&stdout=1", "?tail=all&since=0&stdout=1", "?stdout=0", "?timestamps=1&stdout=1"):
        assert look.ask("GET", f"/containers/{SCRAPER}/logs{query}") == plain, query
    assert look.ask("GET", f"/containers/{SCRAPER}/stats?stream=true")[0] == 200  # and comes back


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "CONNECT", "TRACE"])
def test_no_other_method(look: Door, method: str) -> None:
    for path in (
        "/_ping", "/containers/json", "/containers/create", f"/containers/{SCRAPER}", f"/containers/{SCRAPER}/restart",
        f"/containers/{SCRAPER}/stop", f"/containers/{SCRAPER}/kill", f"/containers/{SCRAPER}/logs",
        f"/containers/{SCRAPER}/exec", f"/v1.41/containers/{SCRAPER}/restart",
    ):  # fmt: skip
        assert look.ask(method, path)[0] in (400, 403, 405), path


@pytest.mark.parametrize(
    "path",
    [
        "/version", "/info", "/events", "/images/json", "/volumes", "/networks", "/secrets", "/system/df",
        f"/containers/{SCRAPER}/json", f"/containers/{SCRAPER}/top", f"/containers/{SCRAPER}/export",
        f"/containers/{SCRAPER}/archive?path=/run/secrets", f"/containers/{SCRAPER}/attach/ws",
        f"/containers/{SCRAPER}/restart", f"/containers/{STRANGER}/stats", f"/containers/{STRANGER}/logs",
        f"/containers/{PROJECT}-proxy/logs", f"/containers/{PROJECT}-db-1/logs",
        f"/containers/{PROJECT}-other-db-1/stats",
        f"/containers/{SCRAPER}/../{STRANGER}/logs", f"/containers/{SCRAPER}%2f..%2f{STRANGER}/logs",
        f"/v1.41/containers/{SCRAPER}/logs", "/v1.41/containers/json", "//containers/json", "/containers/json/",
        "http://x/images/json",
    ],
)  # fmt: skip
def test_nothing_else_is_seen(look: Door, path: str) -> None:
    assert look.ask("GET", path)[0] in (400, 403), path


def test_tricks_at_the_dashboards_door(look: Door) -> None:
    restart = f"POST /containers/{SCRAPER}/restart?t=0 HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
    before = docker("inspect", "-f", "{{.State.StartedAt}}", SCRAPER)
    for text in (
        f"GET /_ping HTTP/1.1\r\nHost: x\r\nContent-Length: {len(restart)}\r\n\r\n{restart}",
        f"GET /_ping HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{restart}",
        f"GET /_ping HTTP/1.1\r\nHost: x\r\n\r\n{restart}",
        "GET /_ping HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
        f"GET /_ping HTTP/1.1\r\nHost: x\r\nX-HTTP-Method-Override: POST\r\n\r\n{restart}",
    ):
        look.raw(text)
    assert docker("inspect", "-f", "{{.State.StartedAt}}", SCRAPER) == before
