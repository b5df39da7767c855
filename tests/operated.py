"""A demo fleet as an operator runs it, by the same commands, but with a project, volumes and keys of its own."""

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any, Literal, NamedTuple

import httpx

from tests.fleet import ROOT, Fleet, extra_overlay, make_secrets

Order = Literal["parallel", "sequential"]
PATIENCE = 600.0


class Death(NamedTuple):
    service: str
    exit_code: int
    at: float


class Operated:
    def __init__(self, project: str, folder: Path, parallel_overlay: str = "") -> None:
        self.fleet = Fleet(project, make_secrets(folder / "secrets"), "tests/compose.own.yml")
        self._overlays = {"parallel": parallel_overlay, "sequential": ""}
        self._environment = {
            **os.environ,
            "COMPOSE_PROJECT_NAME": project,
            "STATE_DIR": str(folder / "state"),
            "DEMO_SECRETS_DIR": str(self.fleet.secrets),
            "SUPABASE_URL": "",
            "SUPABASE_PORT": "",
            "SIMULATOR_PORT": "",
            "DASHBOARD_PORT": "",
        }
        self.order: Order = "parallel"
        self._events = folder / "events"
        self._listening = self._listen(project)
        self.run("scripts/compose.sh", "mode", "demo", "parallel")

    def _listen(self, project: str) -> "subprocess.Popen[bytes]":
        filters = [f"label=com.docker.compose.project={project}", "event=start", "event=die"]
        with self._events.open("wb") as events:
            return subprocess.Popen(
                [
                    *("docker", "events", "--format", "{{json .}}"),
                    *(word for only in filters for word in ("--filter", only)),
                ],
                stdout=events,
            )

    def run(self, *command: str, check: bool = True, in_both_modes: bool = False) -> str:
        """A command of the operator's, from the root of the repository; some look at both modes."""
        own_mode = [] if in_both_modes else [self._overlays[self.order], extra_overlay(self.order)]
        overlays = ["tests/compose.own.yml", *own_mode]
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**self._environment, "COMPOSE_OVERLAY": " ".join(filter(None, overlays))},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        if check and done.returncode:
            raise AssertionError(f"{' '.join(command)}: {done.stdout}\n{done.stderr}\n{self.fleet.logs()[-5000:]}")
        return done.stdout

    def switch(self, order: Order, *, check: bool = True) -> None:
        self.order = order
        self.run("make", order, check=check)

    def switch_by_compose(self, order: Order) -> None:
        """As one does who knows Compose and not our Makefile."""
        self.order = order
        self.run("scripts/compose.sh", "mode", order)
        self.run("scripts/compose.sh", "up", "--detach", "--remove-orphans")

    def await_cycles(self, scrapers: list[str], count: int, since: float | None = None) -> None:
        """So many good cycles of each that began after that moment, which is now unless told."""
        names = ", ".join(f"'{name}'" for name in scrapers)
        since = time.time() if since is None else since
        deadline = time.monotonic() + PATIENCE
        while True:
            rows = self.fleet.sql(
                f"select scraper_name from scraper_cycles where outcome = 'ok' and scraper_name in ({names})"
                f" and started_at > to_timestamp({since}) group by 1 having count(*) >= {count}"
            )
            if missing := set(scrapers) - {name for (name,) in rows}:
                assert time.monotonic() < deadline, f"{missing}\n{self.fleet.logs()[-5000:]}"
                time.sleep(1)
            else:
                return

    def deaths(self) -> list[Death]:
        """Of every container that ended since we began, oldest first; of one that is gone too."""
        return [
            Death(event["Actor"]["Attributes"]["com.docker.compose.service"],
                  int(event["Actor"]["Attributes"]["exitCode"]), event["timeNano"] / 1e9)
            for event in self._told("die")
        ]  # fmt: skip

    def starts(self) -> list[tuple[str, float]]:
        return [
            (event["Actor"]["Attributes"]["com.docker.compose.service"], event["timeNano"] / 1e9)
            for event in self._told("start")
        ]

    def _told(self, kind: str) -> list[dict[str, Any]]:
        """Docker itself remembers a few hundred events only, and every probe of health is three."""
        events = [json.loads(line) for line in self._events.read_text().splitlines()]
        return [
            event
            for event in events
            if event["Action"] == kind and event["Actor"]["Attributes"].get("com.docker.compose.oneoff") != "True"
        ]

    def control(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401
        url = f"http://{self.fleet.host_port('simulator', 9000)}/_control{path}"
        return httpx.request(method, url, json=body, timeout=30).raise_for_status().json()

    def remove(self) -> None:
        self.fleet.remove()
        self._listening.terminate()
        self._listening.wait()
