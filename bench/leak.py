"""A heavy scraper at a site whose pages eat 80 MB a second: does its memory stay under its limit, by recycling alone?

    python -m bench.leak --minutes 10           the page's scripts run on: pages must be replaced in time
    python -m bench.leak --minutes 10 --calm    as it is in the fleet: scripts are stopped once the page has loaded

The scraper is the real one, in its container, with its limit and Docker's restart policy; the database is away, so its
cycles go to its spool.
"""

import argparse
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from itertools import pairwise

from bench import Goal, report
from common.terminal import console
from tests.fleet import docker
from tests.scrapers.fetch.containers import AS_SOMEBODY, HARDENED, INSIDE, Site

LIMIT_MB = 512
BROWSER_MB = 300
EVERY = 5  # seconds from one cycle to the next
LOOK = 5.0  # seconds between two looks from outside


@dataclass(frozen=True)
class Look:
    second: int
    memory_mb: float
    processes: int
    orphans: int


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.leak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--calm", action="store_true", help="stop the page's scripts, as the fleet does")
    arguments = parser.parse_args()
    with Site() as site:
        site.simulator.fault("betano", "leak")
        return watch(site, arguments.minutes * 60, calm=arguments.calm)


def watch(site: Site, seconds: float, *, calm: bool) -> int:
    name = f"{site.name}-leak"
    environment = {
        "SIMULATOR_URL": INSIDE,
        "SUPABASE_URL": "http://127.0.0.1:9",
        "SUPABASE_KEY": "unused",
        "SPOOL_DIR": "/tmp/spool",
        "LOG_FORMAT": "json",
        "BROWSER_MEMORY_MB": str(BROWSER_MB),
    }
    docker(
        "run", "--detach", "--name", name, "--network", site.name, "--restart", "unless-stopped",
        "--memory", f"{LIMIT_MB}m", "--memory-swap", f"{LIMIT_MB}m", *HARDENED, *AS_SOMEBODY,
        *(word for key, value in environment.items() for word in ("--env", f"{key}={value}")),
        "oddsfleet/playwright", "bench.leaking", "stop" if calm else "run", str(EVERY),
    )  # fmt: skip
    try:
        looks = list(follow(name, seconds))
        restarts = int(docker("inspect", "--format", "{{.RestartCount}}", name))
        docker("stop", "--time", "30", name)
        ended = docker("inspect", "--format", "{{.State.ExitCode}} {{.State.OOMKilled}}", name)
        log = subprocess.run(["docker", "logs", name], capture_output=True, text=True, check=True).stderr
    finally:
        docker("rm", "--force", name)
    return judge(looks, restarts, ended, log, calm=calm)


def follow(name: str, seconds: float) -> list[Look]:
    looks = []
    started = time.monotonic()
    while (second := time.monotonic() - started) < seconds:
        look = Look(round(second), memory_mb(name), *count_processes(name))
        looks.append(look)
        print(
            f"{look.second:5} s  {look.memory_mb:6.0f} MB  {look.processes} processes  {look.orphans} orphans",
            flush=True,
        )
        time.sleep(LOOK)
    return looks


def memory_mb(name: str) -> float:
    used = docker("stats", "--no-stream", "--format", "{{.MemUsage}}", name).split(" / ")[0]
    units = {"GiB": 1024.0, "MiB": 1.0, "KiB": 1 / 1024, "B": 1 / 1024 / 1024}
    unit = next(unit for unit in units if used.endswith(unit))
    return float(used.removesuffix(unit)) * units[unit]


def count_processes(name: str) -> tuple[int, int]:
    """All of the container, and those of a browser that belong to no living scraper."""
    rows = [line.split(None, 2) for line in docker("top", name, "-eo", "pid,ppid,args").splitlines()[1:]]
    parents = {pid: parent for pid, parent, _ in rows}
    scrapers = {pid for pid, _, command in rows if "bench.leaking" in command and "docker-init" not in command}

    def has_scraper(pid: str) -> bool:
        return pid in scrapers or (pid in parents and has_scraper(parents[pid]))

    browsers = [pid for pid, _, command in rows if "chromium" in command or "run-driver" in command]
    return len(rows), sum(not has_scraper(pid) for pid in browsers)


def judge(looks: list[Look], restarts: int, ended: str, log: str, *, calm: bool) -> int:
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    cycles = [
        line for line in lines if "odds" in line and "outcome" in line and line["event"].startswith(str(line["odds"]))
    ]
    good = sum(cycle["outcome"] == "ok" for cycle in cycles)
    held = [int(line["event"].split()[3]) for line in lines if line["event"].endswith("fresh pages")]
    recycled = len(held)
    orphans = max(look.orphans for look in looks)
    peak = max(look.memory_mb for look in looks)
    drops = sum(later.memory_mb < earlier.memory_mb - 50 for earlier, later in pairwise(looks))
    print(f"the browser held {min(held, default=0)} to {max(held, default=0)} MB when its pages were replaced")
    print(f"memory fell by more than 50 MB {drops} times between two looks")
    goals = [
        Goal("memory of the container, highest seen", f"{peak:.0f} MB", f"under {LIMIT_MB} MB", peak < LIMIT_MB),
        Goal("pages replaced for memory", str(recycled), "none" if calm else "some", (recycled > 0) != calm),
        Goal("restarts of the container", str(restarts), "0", restarts == 0),
        Goal("processes without a scraper", str(orphans), "0", orphans == 0),
        Goal("good cycles", f"{good} of {len(cycles)}", "95 %", good >= 0.95 * len(cycles) > 0),
        Goal("exit code, killed for memory", ended, "0 false", ended == "0 false"),
    ]  # fmt: skip
    return report(f"a leaking page, {looks[-1].second} s", goals, console())


if __name__ == "__main__":
    sys.exit(main())
