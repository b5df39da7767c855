"""Docker, as far as docker-proxy lets us: containers are named, never numbered, since the proxy allows by name."""

import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Any, TypeVar

from loguru import logger

# requests guesses encodings with tables of 3 MB, and says so when they are not there. Docker answers in UTF-8, which it
# takes without them.
sys.modules.setdefault("charset_normalizer", None)  # type: ignore[arg-type]
with warnings.catch_warnings(action="ignore"):
    import docker
    from docker.errors import APIError, DockerException, NotFound
    from requests.exceptions import ConnectionError as Disconnected
    from requests.exceptions import RequestException, Timeout

T = TypeVar("T")
LABEL = "oddsfleet.scraper"
HINTS = ["die", "start", "oom", "pause", "unpause", "stop", "destroy"]
INSPECT_EVERY = 60.0  # seconds; in between, what the list shows of a container tells whether it must be looked at
ANSWER_WITHIN = 20  # seconds
ENGINE_ERRORS = (DockerException, RequestException, OSError)


class EngineDown(Exception):  # noqa: N818 - a state, not a fault of the caller
    """Docker cannot be asked."""


class Engine:
    def __init__(self, url: str, project: str) -> None:
        self._url = url
        self._project = project
        self._client: docker.APIClient | None = None
        self._inspected: dict[str, tuple[float, str, dict[str, Any]]] = {}
        self._passed_over: set[str] = set()

    @property
    def client(self) -> docker.APIClient:
        if self._client is None:  # the version is negotiated, as engines drop old ones (and Watchtower with them)
            self._client = docker.APIClient(base_url=self._url, version="auto", timeout=ANSWER_WITHIN)
        return self._client

    def forget_connection(self) -> None:
        if self._client is not None:
            with suppress(*ENGINE_ERRORS):
                self._client.close()
        self._client = None

    def _ask(self, question: Callable[[docker.APIClient], T]) -> T:
        """Only for what looks: it is asked again where the connection was closed while nobody used it, or just then."""
        try:
            try:
                return question(self.client)
            except Disconnected:
                self.forget_connection()
                return question(self.client)
        except NotFound:
            raise
        except ENGINE_ERRORS as error:
            self.forget_connection()
            raise EngineDown(
                f"Docker cannot be asked at {self._url}: {reason(error)}. `make logs S=docker-proxy` may tell more."
            ) from error

    def containers(self) -> list[dict[str, Any]]:
        """What `docker inspect` tells of every labelled container of our project, stopped ones too."""
        filters = {"label": [LABEL, f"com.docker.compose.project={self._project}"]}
        listed = self._ask(lambda client: client.containers(all=True, filters=filters))
        services = self._named_by_service([item for item in listed if is_service(item["Labels"])])
        shown = [self._look(item) for item in services]
        known = {item["Id"] for item in listed}
        self._inspected = {key: value for key, value in self._inspected.items() if key in known}
        return [item for item in shown if item]

    def _named_by_service(self, listed: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """While Compose replaces a container, the new one has another name at first, and docker-proxy refuses it: that
        must not look like Docker's end."""
        ours = f"{self._project}-scraper-"
        strange = {name_of(item) for item in listed if not name_of(item).startswith(ours)}
        for name in sorted(strange - self._passed_over):
            logger.warning("[engine.name] {} is not watched; if it keeps that name, `make reload S=…` mends it", name)
        self._passed_over = strange
        return [item for item in listed if name_of(item) not in strange]

    def _look(self, item: dict[str, Any]) -> dict[str, Any] | None:
        identity, status = str(item["Id"]), str(item["Status"])
        at, before, inspected = self._inspected.get(identity, (0.0, "", {}))
        # "Up 41 seconds": it may have been restarted since. "Up 3 minutes (healthy)" again: it has not.
        is_calm = item["State"] == "running" and "econd" not in status and health_of(status) == health_of(before)
        if is_calm and inspected and time.monotonic() - at < INSPECT_EVERY:
            return inspected
        try:
            inspected = dict(self._ask(lambda client: client.inspect_container(name_of(item))))
        except NotFound:
            return None
        self._inspected[identity] = (time.monotonic(), status, inspected)
        return inspected

    def last_end(self, name: str, since: float) -> tuple[int | None, bool]:
        """Exit code of the container's last end, and whether it ran out of memory on the way; None when unknown."""
        code, out_of_memory = None, False
        filters = {"type": ["container"], "container": [name], "event": ["die", "oom"]}
        with suppress(*ENGINE_ERRORS):
            stream = self.client.events(since=f"{since:.6f}", until=f"{time.time():.6f}", filters=filters, decode=True)
            for event in stream:
                if event["Action"] == "oom":
                    out_of_memory = True
                else:
                    code = int(event["Actor"]["Attributes"].get("exitCode", 0))
        return code, out_of_memory

    def restart(self, name: str, timeout: float) -> None:
        # docker-py would send 10 s, whatever the container's own grace period is.
        self._change(timeout, lambda client: client.restart(name, timeout=round(timeout)))

    def stop(self, name: str, timeout: float) -> None:
        self._change(timeout, lambda client: client.stop(name, timeout=round(timeout)))

    def start(self, name: str) -> None:
        self._change(10, lambda client: client.start(name))

    def _change(self, timeout: float, change: Callable[[docker.APIClient], object]) -> None:
        """On a connection of its own: it may take the whole grace period, and the client's others must not wait."""
        client = docker.APIClient(base_url=self._url, version="auto", timeout=timeout + 60)
        try:
            change(client)
        finally:
            client.close()


def reason(error: BaseException) -> str:
    """In words: the libraries wrap what the system said in tuples of tuples."""
    while inner := wrapped_in(error):
        error = inner
    if isinstance(error, Timeout):
        return "no answer in time"
    return (isinstance(error, OSError) and error.strerror) or str(error).rstrip(".") or type(error).__name__


def wrapped_in(error: BaseException) -> BaseException | None:
    if isinstance(error, APIError | Timeout):
        return None
    inside = next((part for part in reversed(error.args) if isinstance(part, BaseException)), None)
    return inside or (error.__cause__ if isinstance(error, DockerException) else None)


def name_of(item: dict[str, Any]) -> str:
    names = item["Names"] or [""]  # a dead container may have lost its name
    return str(names[0]).lstrip("/")


def is_service(labels: dict[str, str]) -> bool:
    """Not a container that somebody runs once, by `docker compose run`."""
    return bool(labels.get(LABEL)) and labels.get("com.docker.compose.oneoff", "False") != "True"


def health_of(status: str) -> str:
    return status.partition("(")[2]


def when(text: str) -> float:
    """Docker's times have nanoseconds, which Python does not read."""
    head, _, fraction = text.rstrip("Z").partition(".")
    return datetime.fromisoformat(f"{head}.{fraction[:6].ljust(6, '0')}+00:00").timestamp()


class Hints:
    """Docker's events in a thread of their own. They only say "look now": streams end in silence and lose things."""

    def __init__(self, url: str, project: str, wake: Callable[[], object]) -> None:
        self._url, self._project, self._wake = url, project, wake
        threading.Thread(target=self._listen, name="hints", daemon=True).start()

    def _listen(self) -> None:
        filters = {"type": ["container"], "label": [LABEL, f"com.docker.compose.project={self._project}"]}
        while True:
            try:
                client = docker.APIClient(base_url=self._url, version="auto", timeout=20)
                for _ in client.events(filters={**filters, "event": HINTS}):
                    self._wake()
            except (*ENGINE_ERRORS, APIError) as error:
                logger.debug("[engine.hints] no events for now: {}", error)
            time.sleep(2)
