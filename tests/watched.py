"""The demo fleet with its watchdog, at a pace for tests, and ways to hurt it."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx

from common.discord import plain
from tests.fleet import Fleet, docker

# Nothing here is a deadline for the machine: what a slow one takes longer for is waited for. Where a number could turn
# slowness into a verdict, it is large beside what a loaded machine needs.
PACE = {
    "CYCLE_TIMEOUT": "15",
    "REQUEST_TIMEOUT": "5",
    "WATCHDOG_POLL": "1",
    "WATCHDOG_CONFIRM": "4",  # seconds for a process that was just thawed to show life
    "WATCHDOG_HANG_AFTER": "14",
    "WATCHDOG_START_GRACE": "20",
    "WATCHDOG_VERIFY_WITHIN": "90",
    "WATCHDOG_SETTLE": "16",  # longer than the good part of a run in the crash loop
    "WATCHDOG_STALE_LEAST": "40",
    "WATCHDOG_STALE_INTERVALS": "6",
    "WATCHDOG_SERVICE_LEAST": "40",
    "WATCHDOG_SERVICE_INTERVALS": "3",
    "WATCHDOG_BUDGET": "4",
    "WATCHDOG_WINDOW": "80",  # four crashes, each after 11 s and a start, fit in twice over
    "WATCHDOG_DAY_BUDGET": "50",
    "WATCHDOG_BACKOFF": "2",
    "WATCHDOG_COOL_DOWN": "20",
    "WATCHDOG_HANG_STOP": "3",
    "WATCHDOG_FLEET_SHARE": "0.6",  # most scrapers are hurt at once, five of fifteen in ways that look shared
    "WATCHDOG_OUTAGE_AFTER": "25",  # longer than one call may take before it is given up
    "WATCHDOG_SUMMARY_HOUR": "24",
}
PATIENCE = 240.0  # a failing test waits this long, a passing one does not


class Watched:
    def __init__(self, fleet: Fleet, scrapers: tuple[str, ...]) -> None:
        self.fleet = fleet
        self.scrapers = scrapers

    # --- Looking ---

    def sql(self, query: str) -> list[list[str]]:
        """As the fleet's, but without Compose, which takes a second on a busy machine: it is asked a thousand times."""
        out = docker("exec", f"{self.fleet.project}-db-1", "psql", "-AtX", "-F", "\t", "-c", query)
        return [line.split("\t") for line in out.splitlines()]

    def value(self, query: str) -> str:
        return self.sql(query)[0][0]

    def eventually(self, what: str, holds: Callable[[], bool], patience: float = PATIENCE) -> None:
        deadline = time.monotonic() + patience
        while not holds():
            if time.monotonic() > deadline:
                raise AssertionError(f"never: {what}\n{self.story()}\n{self.fleet.logs('watchdog')[-6000:]}")
            time.sleep(0.5)

    def story(self) -> str:
        rows = self.sql(
            "select subject, cause, restarts, opened_at::time(0), healthy_at::time(0), closed_at::time(0), detail"
            " from incidents order by opened_at"
        ) + self.sql("select unit, made_by, cause, state, at::time(0) from restart_events order by at")
        return "\n".join(" | ".join(row) for row in rows)

    def incidents(self, scraper: str) -> list[list[str]]:
        """Cause, restarts and whether it is over, oldest first."""
        return self.sql(
            "select cause, restarts, case when closed_at is null then 'open' else 'closed' end"
            f" from incidents where subject = '{scraper}' order by opened_at"
        )

    def restarts(self, scraper: str) -> list[list[str]]:
        return self.sql(f"select made_by, charged, state from restart_events where unit = '{scraper}' order by at")

    def epoch(self, scraper: str) -> int:
        """Grows by one with every start, whoever made it."""
        return int(self.value(f"select epoch from scraper_leases where scraper_name = '{scraper}'"))

    def await_circuit(self, scraper: str, circuit: str) -> None:
        query = f"select circuit from scraper_control where unit = '{scraper}'"
        self.eventually(f"the circuit of {scraper} is {circuit}", lambda: self.value(query) == circuit)

    def await_log(self, scraper: str, text: str, times: int = 1) -> None:
        self.eventually(f"{scraper} says {text!r}", lambda: self.log(scraper).count(text) >= times)

    def log(self, scraper: str) -> str:
        done = subprocess.run(["docker", "logs", self.container(scraper)], capture_output=True, text=True, check=True)
        return done.stdout + done.stderr

    def events(self, scraper: str, event: str, since: float) -> int:
        """How often Docker saw it happen."""
        seen = docker(
            "events", "--since", f"{since:.3f}", "--until", f"{time.time():.3f}",
            "--filter", f"container={self.container(scraper)}", "--filter", f"event={event}",
        )  # fmt: skip
        return len(seen.splitlines())

    def evidence(self, scraper: str, part: str) -> str:
        rows = self.sql(f"select evidence ->> '{part}' from incidents where subject = '{scraper}'")
        return "\n".join("\t".join(row) for row in rows)

    def await_incident(self, scraper: str, cause: str, state: str = "open") -> None:
        self.eventually(
            f"{scraper}: {cause}, {state}",
            lambda: any(row[0] == cause and row[2] == state for row in self.incidents(scraper)),
        )

    def await_calm(self) -> None:
        """Nothing is open, everything is told."""
        self.eventually(
            "all incidents closed and told",
            lambda: (
                self.value("select count(*) from incidents where closed_at is null or told_version < version") == "0"
            ),
        )

    def await_odds(self, *scrapers: str) -> None:
        names = ", ".join(f"'{name}'" for name in scrapers)
        self.eventually(
            f"odds of {names}",
            lambda: (
                int(
                    self.value(
                        "select count(*) from scraper_status_view where last_success > now() - interval '20 seconds'"
                        f" and scraper_name in ({names})"
                    )
                )
                == len(scrapers)
            ),
        )

    def messages(self, scraper: str) -> list[dict[str, Any]]:
        """What Discord shows of a scraper."""
        return [message for message in self.shown() if is_about(message, scraper)]

    def shown(self) -> list[dict[str, Any]]:
        """All that Discord shows."""
        messages: list[dict[str, Any]] = self.control("GET", "discord").json()
        return messages

    # --- Hurting ---

    @cached_property
    def simulator(self) -> str:
        return f"http://{self.fleet.host_port('simulator', 9000)}"

    def control(self, method: str, path: str, body: object = None) -> httpx.Response:
        url = f"{self.simulator}/_control/{path}"
        return httpx.request(method, url, json=body, timeout=PATIENCE).raise_for_status()

    def site_fault(self, scraper: str, fault: str, **limits: float) -> None:
        self.control("PUT", f"faults/{scraper}", {"fault": fault, **limits})

    def clear_site_faults(self, scraper: str = "") -> None:
        self.control("DELETE", f"faults/{scraper}" if scraper else "faults")

    def inject(self, scraper: str, fault: str) -> None:
        """See tests/faulty.py."""
        command = (
            f"echo {fault} >/var/spool/oddsfleet/fault-{scraper}"
            if fault
            else f"rm -f /var/spool/oddsfleet/fault-{scraper}"
        )
        docker("exec", f"{self.fleet.project}-watchdog-1", "sh", "-c", command)

    def signal_python(self, scraper: str, number: signal.Signals) -> None:
        """To the process itself, by its number on the host: `docker kill` would be a stop by hand."""
        (pid,) = pids(self.container(scraper))
        os.kill(pid, number)

    def kill_watchdog(self) -> None:
        """The one that runs; where Docker is about to start it anew, the next."""
        container = f"{self.fleet.project}-watchdog-1"

        def is_killed() -> bool:
            running = pids(container)
            with suppress(ProcessLookupError):
                for pid in running[:1]:
                    os.kill(pid, signal.SIGKILL)
                    return True
            return False

        self.eventually("the watchdog is killed", is_killed)

    def cut(self, scraper: str, network: str) -> None:
        docker("network", "disconnect", f"{self.fleet.project}_{network}", self.container(scraper))

    def mend(self, scraper: str, network: str) -> None:
        alias = f"scraper-{scraper.replace('_', '-')}"
        docker("network", "connect", "--alias", alias, f"{self.fleet.project}_{network}", self.container(scraper))

    def container(self, scraper: str) -> str:
        return f"{self.fleet.project}-scraper-{scraper.replace('_', '-')}-1"

    def runs(self, *scrapers: str) -> dict[str, str]:
        """When each was started, and how often it was restarted: the same as before means untouched."""
        names = scrapers or self.scrapers
        shown = docker(
            "inspect", "--format", "{{.State.StartedAt}} {{.RestartCount}}", *(self.container(name) for name in names)
        )
        return dict(zip(names, shown.splitlines(), strict=True))


def pids(container: str) -> list[int]:
    """Of what runs in it, but for Docker's own; none while it is down."""
    try:
        rows = docker("top", container, "-eo", "pid,args").splitlines()[1:]
    except subprocess.CalledProcessError:
        return []
    return [int(row.split()[0]) for row in rows if "docker-init" not in row]


def is_about(message: dict[str, Any], scraper: str) -> bool:
    return f" {plain(scraper)}: " in message["embeds"][0]["title"]


def watched_fleet(secrets: Path, scrapers: tuple[str, ...], **settings: str) -> Watched:
    fleet = Fleet(f"oddsfleet-watched-{os.getpid()}", secrets, "tests/compose.watchdog.yml", **{**PACE, **settings})
    return Watched(fleet, scrapers)
