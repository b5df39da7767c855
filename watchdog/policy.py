"""Every number that a decision depends on. docs/watchdog.md argues the defaults."""

from dataclasses import dataclass
from pathlib import Path

from common.settings import BadSetting, Secret, require_one_of, variable


@dataclass(frozen=True, kw_only=True)
class Policy:
    poll: float = variable("WATCHDOG_POLL", "seconds between two looks", 5.0, least=0.2)
    confirm: int = variable("WATCHDOG_CONFIRM", "looks in a row that must agree on a hang", 2, least=1)

    hang_after: float = variable("WATCHDOG_HANG_AFTER", "seconds without a sign of life", 20.0, least=1)
    start_grace: float = variable("WATCHDOG_START_GRACE", "seconds a start may take", 30.0, least=0)
    verify_within: float = variable("WATCHDOG_VERIFY_WITHIN", "seconds for the first good row", 120.0, least=1)
    settle: float = variable("WATCHDOG_SETTLE", "seconds well, before an incident is closed", 30.0, least=0)

    failures: int = variable("WATCHDOG_FAILURES", "failed cycles in a row that are an incident", 3, least=1)
    stale_intervals: float = variable("WATCHDOG_STALE_INTERVALS", "intervals without any row", 4.0, least=1)
    stale_least: float = variable("WATCHDOG_STALE_LEAST", "seconds without any row, at least", 90.0, least=1)
    service_intervals: float = variable(
        "WATCHDOG_SERVICE_INTERVALS", "intervals without a good round of a service", 6.0, least=1
    )
    service_least: float = variable("WATCHDOG_SERVICE_LEAST", "seconds without one, at least", 120.0, least=1)
    restart_failures: int = variable("WATCHDOG_RESTART_FAILURES", "timeouts before a restart is tried", 6, least=1)
    habit: float = variable("WATCHDOG_HABIT", "share of cycles with odds that makes none an incident", 0.5, least=0)

    budget: int = variable("WATCHDOG_BUDGET", "restarts that are allowed in a window", 5, least=1)
    window: float = variable("WATCHDOG_WINDOW", "seconds of that window", 900.0, least=1)
    day_budget: int = variable("WATCHDOG_DAY_BUDGET", "restarts that are allowed in a day", 12, least=1)
    loop_crashes: int = variable("WATCHDOG_LOOP_CRASHES", "crashes in a window that are a crash loop", 3, least=2)
    min_uptime: float = variable("WATCHDOG_MIN_UPTIME", "seconds after which exit 0 is planned", 60.0, least=0)
    backoff: float = variable("WATCHDOG_BACKOFF", "seconds before the second restart, then doubled", 10.0, least=0)
    longest_backoff: float = variable("WATCHDOG_LONGEST_BACKOFF", "seconds, at most", 300.0, least=0)
    cool_down: float = variable("WATCHDOG_COOL_DOWN", "seconds a circuit stays open, then doubled", 900.0, least=1)
    longest_cool_down: float = variable("WATCHDOG_LONGEST_COOL_DOWN", "seconds, at most", 3600.0, least=1)
    hang_stop: float = variable("WATCHDOG_HANG_STOP", "seconds from SIGTERM to SIGKILL of a hung scraper", 2.0, least=0)
    restart_patience: float = variable(
        "WATCHDOG_RESTART_PATIENCE", "seconds for a restart that a watchdog left behind when it died", 10.0, least=0
    )
    at_once: int = variable("WATCHDOG_AT_ONCE", "scrapers that are started at the same time", 2, least=1)

    fleet_share: float = variable("WATCHDOG_FLEET_SHARE", "ill share that blames the shared part", 0.4, least=0.01)
    fleet_least: int = variable("WATCHDOG_FLEET_LEAST", "ill scrapers that blame the shared part", 3, least=1)
    outage_after: float = variable("WATCHDOG_OUTAGE_AFTER", "seconds without database or Docker", 20.0, least=0)

    @property
    def day(self) -> float:
        return 86400.0

    def __post_init__(self) -> None:
        if self.fleet_share > 1 or self.habit > 1:
            raise BadSetting("WATCHDOG_FLEET_SHARE and WATCHDOG_HABIT are shares: at most 1.")


@dataclass(frozen=True, kw_only=True)
class WatchdogSettings:
    """Where things are, and what the operator wants of the watchdog as a whole."""

    docker_url: str = variable("DOCKER_PROXY_URL", "Docker, through docker-proxy", "unix:///run/act/docker.sock")
    project: str = variable("COMPOSE_PROJECT", "the Compose project whose scrapers are watched", "oddsfleet")
    pulse_dir: Path = variable("PULSE_DIR", "where scrapers leave their signs of life", Path("/run/pulse"))
    spool_dir: Path = variable("SPOOL_DIR", "where an alert waits while the database is away", Path("spool"))
    shadow: str = variable("WATCHDOG_SHADOW", "on: say what would be done, and do nothing", "off")
    summary_hour: int = variable("WATCHDOG_SUMMARY_HOUR", "hour (UTC) of the daily summary; 24: never", 12, least=0)
    heartbeat_url: Secret = variable("HEARTBEAT_URL", "called every minute while the watchdog is well", Secret(""))

    def __post_init__(self) -> None:
        if not self.docker_url.startswith("unix:///"):
            raise BadSetting(f"DOCKER_PROXY_URL is {self.docker_url!r}; it must be a socket, as unix:///….")
        require_one_of("WATCHDOG_SHADOW", self.shadow, ("on", "off"))
