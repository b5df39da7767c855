"""Settings from the environment. `NAME_FILE` names a file that holds the value, for secrets.

Bad configuration stops the process before its first request, naming the variable and what to do.
Every variable is listed in .env.example; tests/contracts compares the two.
"""

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar, get_type_hints
from urllib.parse import urlsplit

T = TypeVar("T")
OUTSIDE = "one.one.one.one:443,dns.google:443"
LEAST_TOKEN = 12


class BadSetting(Exception):  # noqa: N818 - shown to the operator as it is
    """A variable of the environment that cannot be used."""


class Secret:
    """A value that never shows itself in a log line, a traceback or a repr."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return "Secret(***)"

    __str__ = __repr__

    def __bool__(self) -> bool:
        return bool(self._value)


def variable(name: str, help_: str, default: Any = None, *, least: float | None = None) -> Any:  # noqa: ANN401
    """A field of a settings class, read from the variable `name`."""
    return field(default=default, metadata={"name": name, "help": help_, "least": least})


@dataclass(frozen=True, kw_only=True)
class StoreSettings:
    supabase_url: str = variable("SUPABASE_URL", "Supabase's address", "http://127.0.0.1:54321")
    supabase_key: Secret = variable("SUPABASE_KEY", "Supabase's service-role (secret) key", Secret(""))

    def __post_init__(self) -> None:
        require_url("SUPABASE_URL", self.supabase_url)
        if not self.supabase_key:
            raise BadSetting(
                "SUPABASE_KEY is not set. Give the service-role key of your project in SUPABASE_KEY, or the path of a"
                " file that holds it in SUPABASE_KEY_FILE; `make up` does it for the embedded Supabase."
            )


@dataclass(frozen=True, kw_only=True)
class ScraperSettings:
    simulator_url: str = variable("SIMULATOR_URL", "fetch every bookmaker from this simulator, not from its site", "")
    spool_dir: Path = variable("SPOOL_DIR", "where cycles wait while Supabase is away", Path("spool"))
    spool_max_mb: int = variable("SPOOL_MAX_MB", "size of one scraper's spool", 200, least=1)
    progress_file: Path | None = variable("PROGRESS_FILE", "touched by every step of a cycle: the local proof of life")
    pulse_dir: Path | None = variable("PULSE_DIR", "where the watchdog looks for signs of life")
    cycle_timeout: float = variable("CYCLE_TIMEOUT", "seconds one cycle may take", 120.0, least=1)
    stop_grace: float = variable("STOP_GRACE", "seconds from SIGTERM to SIGKILL", 30.0, least=1)
    memory_soft_limit: float = variable(
        "MEMORY_SOFT_LIMIT", "share of the container's memory at which to start anew", 0.85
    )
    request_timeout: float = variable("REQUEST_TIMEOUT", "seconds one request may take", 20.0, least=0.1)
    request_gap: float = variable("REQUEST_GAP", "least seconds between two requests to one host", 0.3, least=0)
    max_answer_mb: int = variable("MAX_ANSWER_MB", "largest answer of a site that is read", 12, least=1)
    proxy_list: Secret = variable("PROXY_LIST", "proxies, separated by commas or new lines", Secret(""))
    chromium_path: Path | None = variable("CHROMIUM_PATH", "the browser, where it is not found by its usual names")
    browser_memory_mb: int = variable("BROWSER_MEMORY_MB", "memory above which pages are closed", 300, least=50)
    browser_pages: int = variable("BROWSER_PAGES", "pages that are open at the same time", 2, least=1)
    browser_requests: int = variable("BROWSER_REQUESTS", "requests after which a page is replaced", 300, least=1)
    browser_timeout: float = variable(
        "BROWSER_TIMEOUT", "seconds for a request by the browser, with the opening of its page", 45.0, least=1
    )

    def __post_init__(self) -> None:
        if self.simulator_url:
            require_url("SIMULATOR_URL", self.simulator_url)


@dataclass(frozen=True, kw_only=True)
class ServiceSettings:
    """Of every loop that is no scraper."""

    progress_file: Path | None = variable("PROGRESS_FILE", "touched by every step of a round: the local proof of life")
    stop_grace: float = variable("STOP_GRACE", "seconds from SIGTERM to SIGKILL", 10.0, least=1)


@dataclass(frozen=True, kw_only=True)
class AlertSettings:
    discord_webhook_url: Secret = variable("DISCORD_WEBHOOK_URL", "where alerts go; empty: nowhere", Secret(""))
    alert_language: str = variable("ALERT_LANGUAGE", "pt-BR or en", "pt-BR")

    def __post_init__(self) -> None:
        require_one_of("ALERT_LANGUAGE", self.alert_language, ("pt-BR", "en"))
        if self.discord_webhook_url and not is_url(self.discord_webhook_url.reveal()):
            raise BadSetting("DISCORD_WEBHOOK_URL is not an http(s) address.")  # it is secret: not shown


@dataclass(frozen=True, kw_only=True)
class GeneratorSettings:
    fresh_seconds: float = variable(
        "FRESH_SECONDS", "age that every price may have; twice its scraper's interval, if that is longer", 60.0, least=1
    )
    surebet_min_profit: float = variable("SUREBET_MIN_PROFIT", "percent from which Discord is told", 1.0, least=0)
    surebet_bank: float = variable("SUREBET_BANK", "BRL that stakes are computed for", 1000.0, least=10)


@dataclass(frozen=True, kw_only=True)
class CleanupSettings:
    """What is kept for how many days. What no setting names is never deleted."""

    spool_dir: Path = variable("SPOOL_DIR", "where cycles wait while Supabase is away", Path("spool"))
    matches: float = variable("RETENTION_MATCHES_DAYS", "matches after kick-off, with odds and history", 3.0, least=1)
    history: float = variable("RETENTION_HISTORY_DAYS", "price changes, opening prices apart", 14.0, least=1)
    cycles: float = variable("RETENTION_CYCLES_DAYS", "the list of cycles", 7.0, least=1)
    leases: float = variable("RETENTION_LEASES_DAYS", "lease and status of a scraper that fell silent", 30.0, least=1)
    dead_letters: float = variable("RETENTION_DEAD_LETTERS_DAYS", "cycles that were refused", 30.0, least=1)
    unmatched: float = variable("RETENTION_UNMATCHED_DAYS", "unmatched names after kick-off", 14.0, least=1)
    surebets: float = variable("RETENTION_SUREBETS_DAYS", "surebets that ended", 90.0, least=1)
    alerts: float = variable("RETENTION_ALERTS_DAYS", "alerts that were closed", 30.0, least=1)
    spool: float = variable("RETENTION_SPOOL_DAYS", "what broken or empty spools leave behind", 14.0, least=1)


@dataclass(frozen=True, kw_only=True)
class DashboardSettings:
    token: Secret = variable("DASHBOARD_TOKEN", "lets its holder restart, pause and resume; empty: nobody", Secret(""))
    hosts: str = variable("DASHBOARD_HOSTS", "names that the page is called by, besides localhost and numbers", "")
    poll: float = variable("DASHBOARD_POLL", "seconds between two looks while a page is open", 2.0, least=0.2)
    outside: str = variable(
        "HEALTH_OUTSIDE", "host:port pairs, one of which must be reachable; off: not checked", OUTSIDE
    )
    look_socket: Path = variable(
        "DOCKER_LOOK_SOCKET", "docker-proxy's door that only looks", Path("/run/look/docker.sock")
    )

    def __post_init__(self) -> None:
        if self.token and len(self.token.reveal()) < LEAST_TOKEN:
            raise BadSetting(f"DASHBOARD_TOKEN is too short: at least {LEAST_TOKEN} characters, best made at random.")
        for place in self.outside_places:
            if not re.fullmatch(r"[\w.-]+:\d{1,5}", place):
                raise BadSetting(f"HEALTH_OUTSIDE has {place!r}, which is not host:port.")

    @property
    def outside_places(self) -> tuple[str, ...]:
        return () if self.outside == "off" else tuple(filter(None, re.split(r"[\s,]+", self.outside)))

    @property
    def host_names(self) -> frozenset[str]:
        return frozenset(filter(None, re.split(r"[\s,]+", self.hosts.lower())))


@dataclass(frozen=True, kw_only=True)
class LogSettings:
    log_level: str = variable("LOG_LEVEL", "DEBUG, INFO, WARNING or ERROR", "INFO")
    log_format: str = variable("LOG_FORMAT", "json (one line per event), text, or auto", "auto")

    def __post_init__(self) -> None:
        require_one_of("LOG_LEVEL", self.log_level, ("DEBUG", "INFO", "WARNING", "ERROR"))
        require_one_of("LOG_FORMAT", self.log_format, ("auto", "json", "text"))


def read(shape: type[T], environ: Mapping[str, str] = os.environ) -> T:
    """An instance of a settings class from the environment, or `BadSetting`."""
    hints = get_type_hints(shape)
    values: dict[str, object] = {}
    for item in fields(shape):  # type: ignore[arg-type]
        raw = lookup(item.metadata["name"], environ)
        if raw:
            values[item.name] = convert(item.metadata["name"], raw, hints[item.name], item.metadata["least"])
    return shape(**values)


def lookup(name: str, environ: Mapping[str, str]) -> str:
    """The variable, or what the file in NAME_FILE holds. An empty one counts as unset."""
    path = environ.get(f"{name}_FILE", "").strip()
    value = environ.get(name, "").strip()
    if path and value:
        raise BadSetting(f"{name} and {name}_FILE are both set; keep one of them.")
    if not path:
        return value
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadSetting(f"{name}_FILE names {path}, which cannot be read: {error}.") from error


def convert(name: str, raw: str, kind: object, least: float | None) -> object:
    if kind is Secret:
        return Secret(raw)
    if kind is str:
        return raw
    if kind is int or kind is float:
        try:
            number = int(raw) if kind is int else float(raw)
        except ValueError:
            raise BadSetting(f"{name} is {raw!r}, which is not a number.") from None
        if not math.isfinite(number) or (least is not None and number < least):
            raise BadSetting(f"{name} is {raw}; it must be a finite number, at least {least or 0:g}.")
        return number
    return Path(raw)


def is_url(value: str) -> bool:
    try:
        parts = urlsplit(value)
        port = parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.hostname is not None and port != 0


def is_encrypted(url: str) -> bool:
    """Only then does a client need the list of certificate authorities, which takes 5 MB."""
    return urlsplit(url).scheme == "https"


def require_url(name: str, value: str) -> None:
    if not is_url(value):
        raise BadSetting(f"{name} is {value!r}, which is not an http(s) address.")


def require_one_of(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise BadSetting(f"{name} is {value!r}; it must be one of {', '.join(choices)}.")
