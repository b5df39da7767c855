"""From a crash and from a hang to the first good row, by PM2, by Docker alone and by Docker with the watchdog; then a
quiet time under load, in which nobody may be restarted.

    python -m bench.watchdog            ten runs of each, and five minutes of quiet: about fifteen minutes
    python -m bench.watchdog --quick    three runs of each, and one minute

A row is good when it is of a new epoch and has odds. All numbers of the watchdog's policy are the defaults.
"""

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench import Goal, report
from bench.supervisors import Docker, Pm2, Supervisor, python_pid
from tests.fleet import Fleet, make_secrets

SCRAPERS = (
    "novibet", "kto", "estrelabet", "sportingbet", "betnacional", "br4bet", "mcgames", "jogodeouro", "tradeball",
    "br4bet_nba",
)  # fmt: skip
CRASH_GOAL, HANG_GOAL = 3.0, 45.0  # seconds
MEMORY_GOAL, CPU_GOAL = 45.0, 1.0  # MB, percent of a core
APART = 8.0  # seconds between two hangs, so that they are not one that is shared
PATIENCE = 90.0  # seconds after which a scraper is taken for lost
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Course:
    """What a supervisor made of its faults: seconds to the first good row, None where it never came."""

    supervisor: str
    crashes: list[float | None]
    hangs: list[float | None]


@dataclass
class Quiet:
    seconds: float
    restarts: int
    incidents: int
    memory_mb: float
    cpu_percent: float


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.watchdog", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="three runs of each, and one minute of quiet")
    parser.add_argument("--quiet-minutes", type=float, help="how long nobody may be restarted (default: 5)")
    arguments = parser.parse_args()
    runs = 3 if arguments.quick else len(SCRAPERS)
    minutes = arguments.quiet_minutes or (1.0 if arguments.quick else 5.0)
    console = Console(width=120)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that nothing is left behind
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(f"oddsfleet-bench-watchdog-{os.getpid()}", make_secrets(Path(folder) / "secrets"))
        try:
            fleet.start("supabase", "simulator")
            fleet.wait_for_supabase()
            return compare(fleet, Path(folder), SCRAPERS[:runs], minutes * 60, console)
        finally:
            fleet.remove()


def compare(fleet: Fleet, folder: Path, scrapers: tuple[str, ...], quiet: float, console: Console) -> int:
    courses = []
    pm2 = Pm2(fleet, folder / "pm2")
    console.print("PM2, from npm")
    if pm2.install():
        courses.append(hurt(pm2, fleet, scrapers, console))
    else:
        console.print("[yellow]PM2 is not measured: npm is not here, or has no pm2[/]")
    courses.append(hurt(Docker(fleet, watched=False), fleet, scrapers, console))
    watched = Docker(fleet, watched=True)
    courses.append(hurt(watched, fleet, scrapers, console, watched=True))
    console.print(f"{quiet / 60:g} min of quiet, with every core busy")
    calm = stay_quiet(fleet, quiet, console)
    watched.stop()
    console.print(side_by_side(courses, len(scrapers)))
    return judge(courses[-1], calm, console)


def hurt(
    supervisor: Supervisor, fleet: Fleet, scrapers: tuple[str, ...], console: Console, *, watched: bool = False
) -> Course:
    """Every scraper crashes, one after another; then every one hangs. The watchdog is left running, to be looked at."""
    started = time.time()
    supervisor.start(SCRAPERS)  # all of them, whoever is hurt: three of three would be a fault that they share
    try:
        for scraper in SCRAPERS:
            await_row(fleet, scraper, started, epoch_of(fleet, scraper))
        crashes, hangs = [], []
        for scraper in scrapers:
            epoch, pid = epoch_of(fleet, scraper), supervisor.pid(scraper)
            at = time.time()
            os.kill(pid, signal.SIGKILL)
            crashes.append(await_row(fleet, scraper, at, epoch + 1))
            console.print(f"{supervisor.name}: {scraper} crashed, good row after {shown(crashes[-1])}")
        stopped = []
        for scraper in scrapers:
            epoch, pid = epoch_of(fleet, scraper), supervisor.pid(scraper)
            os.kill(pid, signal.SIGSTOP)
            stopped.append((scraper, pid, time.time(), epoch))
            time.sleep(APART if watched else 0)
        for scraper, pid, at, epoch in stopped:
            hangs.append(await_row(fleet, scraper, at, epoch + 1))
            console.print(f"{supervisor.name}: {scraper} hung, good row after {shown(hangs[-1])}")
            if hangs[-1] is None:
                os.kill(pid, signal.SIGKILL)
    finally:
        if not watched:
            supervisor.stop()
    return Course(supervisor.name, crashes, hangs)


def epoch_of(fleet: Fleet, scraper: str) -> int:
    return int(fleet.value(f"select coalesce(max(epoch), 0) from scraper_leases where scraper_name = '{scraper}'"))


def await_row(fleet: Fleet, scraper: str, since: float, epoch: int) -> float | None:
    """Seconds until the row was written, by the clock that this machine and its containers share."""
    query = (
        "select coalesce(extract(epoch from min(written_at)), 0) from scraper_cycles"
        f" where scraper_name = '{scraper}' and epoch >= {epoch} and collected > 0"
        f" and written_at > to_timestamp({since})"
    )
    while True:
        if at := float(fleet.value(query)):
            return at - since
        if time.time() - since > PATIENCE:
            return None
        time.sleep(0.5)


def stay_quiet(fleet: Fleet, seconds: float, console: Console) -> Quiet:
    await_calm(fleet)
    counts = "select (select count(*) from restart_events), (select count(*) from incidents)"
    before = [int(number) for number in fleet.sql(counts)[0]]
    pid, began = python_pid(fleet, "watchdog"), time.monotonic()
    spent = cpu_seconds(pid)
    with busy_cores():
        while (passed := time.monotonic() - began) < seconds:
            console.print(f"{passed:4.0f} s  watchdog: {memory_mb(pid, 'VmRSS'):.0f} MB")
            time.sleep(min(30.0, seconds - passed))
    passed = time.monotonic() - began
    after = [int(number) for number in fleet.sql(counts)[0]]
    percent = 100 * (cpu_seconds(pid) - spent) / passed
    return Quiet(passed, after[0] - before[0], after[1] - before[1], memory_mb(pid, "VmHWM"), percent)


def await_calm(fleet: Fleet) -> None:
    deadline = time.monotonic() + 3 * PATIENCE
    while fleet.value("select count(*) from incidents where closed_at is null") != "0":
        if time.monotonic() > deadline:
            raise SystemExit(f"an incident does not end:\n{fleet.logs('watchdog')}")
        time.sleep(1)


@contextmanager
def busy_cores() -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory_mb(pid: int, kind: str) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(kind)) / 1024


def side_by_side(courses: list[Course], runs: int) -> Table:
    table = Table(
        "", "crash: median", "worst", "hang: median", "worst", title=f"to the first good row, {runs} runs each"
    )
    for course in courses:
        columns = [measure(times) for times in (course.crashes, course.hangs) for measure in (median, worst)]
        table.add_row(course.supervisor, *(shown(seconds) for seconds in columns))
    return table


def median(times: list[float | None]) -> float | None:
    ranked = statistics.median(PATIENCE if seconds is None else seconds for seconds in times)
    return None if ranked >= PATIENCE else ranked


def worst(times: list[float | None]) -> float | None:
    came = [seconds for seconds in times if seconds is not None]
    return max(came) if len(came) == len(times) else None


def shown(seconds: float | None) -> str:
    return f"never (in {PATIENCE:g} s)" if seconds is None else f"{seconds:.1f} s"


def judge(ours: Course, quiet: Quiet, console: Console) -> int:
    def within(what: str, times: list[float | None], goal: float, of: Callable[..., float | None]) -> Goal:
        took = of(times)
        return Goal(what, shown(took), f"< {goal:g} s", took is not None and took < goal)

    return report(
        "the watchdog",
        [
            within("crash to first good row, median", ours.crashes, CRASH_GOAL, median),
            Goal("crash to first good row, worst", shown(worst(ours.crashes)), "–", met=True),
            within("hang to first good row, worst", ours.hangs, HANG_GOAL, worst),
            Goal(
                f"false restarts in {quiet.seconds / 60:.1f} min under load", str(quiet.restarts), "0",
                quiet.restarts == 0,
            ),
            Goal("incidents in that time", str(quiet.incidents), "0", quiet.incidents == 0),
            Goal("memory, most", f"{quiet.memory_mb:.1f} MB", f"< {MEMORY_GOAL:g} MB", quiet.memory_mb < MEMORY_GOAL),
            Goal("of a core", f"{quiet.cpu_percent:.2f} %", f"< {CPU_GOAL:g} %", quiet.cpu_percent < CPU_GOAL),
        ],
        console,
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
