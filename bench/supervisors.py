"""Who brings a scraper back: PM2 as the old setup had it, Docker's restart policy alone, and the watchdog. Each runs
the same scrapers, every 30 s, on the same simulator and the same database."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Protocol

from tests.fleet import ROOT, Fleet, docker

EVERY = 30  # seconds from one cycle to the next
# The old setup's (PM2 counts milliseconds); restart_delay is that of light scrapers, heavy ones had 10 s.
PM2_SETTINGS = {
    "autorestart": True, "restart_delay": 3000, "max_restarts": 5, "min_uptime": 30000, "kill_timeout": 30000,
    "max_memory_restart": "100M",
}  # fmt: skip


class Supervisor(Protocol):
    name: str

    def start(self, scrapers: tuple[str, ...]) -> None: ...

    def pid(self, scraper: str) -> int:
        """Of the scraper's process, as this machine numbers it."""

    def stop(self) -> None: ...


class Docker:
    """Containers with `restart: unless-stopped`; the watchdog beside them, or not."""

    def __init__(self, fleet: Fleet, *, watched: bool) -> None:
        self.name = "Docker and the watchdog" if watched else "Docker alone"
        self._fleet = fleet
        self._services = ["docker-proxy", "watchdog"] if watched else []

    def start(self, scrapers: tuple[str, ...]) -> None:
        self._services += [service(name) for name in scrapers]
        self._fleet.start(*self._services)

    def pid(self, scraper: str) -> int:
        return python_pid(self._fleet, service(scraper))

    def stop(self) -> None:
        self._fleet.compose("rm", "--force", "--stop", *self._services)


class Pm2:
    """PM2 on this machine, in a folder of its own."""

    name = "PM2"

    def __init__(self, fleet: Fleet, folder: Path) -> None:
        self._fleet, self._folder = fleet, folder
        self._environment = {**os.environ, "PM2_HOME": str(folder / "home")}

    def install(self) -> bool:
        if shutil.which("npm") is None:
            return False
        done = subprocess.run(
            ["npm", "install", "--prefix", str(self._folder), "--no-audit", "--no-fund", "--silent", "pm2@7"],
            check=False, capture_output=True,
        )  # fmt: skip
        return done.returncode == 0

    def start(self, scrapers: tuple[str, ...]) -> None:
        apps = [
            {
                "name": name,
                "script": sys.executable,
                "args": ["-m", "scrapers", "run", name, "--interval", str(EVERY)],
                "interpreter": "none",
                "cwd": str(ROOT),
                "env": self._settings(name),
                **PM2_SETTINGS,
            }
            for name in scrapers
        ]
        config = self._folder / "ecosystem.config.json"
        config.write_text(json.dumps({"apps": apps}))
        self._pm2("start", str(config))

    def _settings(self, name: str) -> dict[str, str]:
        return {
            "SUPABASE_URL": self._fleet.supabase_url,
            "SUPABASE_KEY_FILE": str(self._fleet.secrets / "supabase_key"),
            "SIMULATOR_URL": f"http://{self._fleet.host_port('simulator', 9000)}",
            "SPOOL_DIR": str(self._folder / "spool"),
            "PROGRESS_FILE": str(self._folder / f"progress-{name}"),
            "LOG_FORMAT": "json",
        }

    def pid(self, scraper: str) -> int:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            shown = self._pm2("jlist")
            found = [app["pid"] for app in json.loads(shown[shown.index("[{") :]) if app["name"] == scraper]
            if found and found[0]:
                return int(found[0])
        raise SystemExit(f"PM2 does not run {scraper}")

    def stop(self) -> None:
        self._pm2("kill")

    def _pm2(self, *arguments: str) -> str:
        command = [str(self._folder / "node_modules/.bin/pm2"), *arguments]
        done = subprocess.run(command, env=self._environment, check=True, capture_output=True, text=True)
        return done.stdout


def service(scraper: str) -> str:
    return f"scraper-{scraper.replace('_', '-')}"


def python_pid(fleet: Fleet, name: str) -> int:
    """Of the one process beside Docker's init."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        rows = docker("top", fleet.container(name), "-eo", "pid,args").splitlines()[1:]
        pids = [int(row.split()[0]) for row in rows if "docker-init" not in row]
        if len(pids) == 1:
            return pids[0]
    raise SystemExit(f"{name} does not run")
