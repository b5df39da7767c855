"""Memory of every container of the demo fleet, and of all together, in both modes: `python -m bench.memory`.

As `docker stats` counts it, after the fleet has run for a few cycles: what the kernel could drop at once is left out.
"""

import statistics
import sys
import time

from rich.console import Console
from rich.table import Table

from bench import Goal, report
from bench.demo import HEAVY, LIGHT, SCRAPERS, demo, switch
from scrapers import catalog
from scrapers.doctor.judge import USUAL_MB, USUAL_SEQUENTIAL_MB
from tests.fleet import docker
from tests.operated import Operated, Order

CYCLES = 3
LOOKS, BETWEEN = 12, 5.0
DATABASE = ("db", "supabase", "simulator")  # what a fleet on a hosted Supabase does not run
GOAL_LIGHT, GOALS = 45.0, {"parallel": 1600.0, "sequential": 450.0}
UNITS = {"GiB": 1024.0, "MiB": 1.0, "KiB": 1 / 1024, "B": 1 / 1024 / 1024}

Looks = list[dict[str, float]]


def main() -> int:
    console = Console(width=120)
    orders: tuple[Order, ...] = ("parallel", "sequential")
    with demo("memory") as operated:
        goals = [goal for order in orders for goal in measure(operated, order, console)]
    return report("memory", goals, console)


def measure(operated: Operated, order: Order, console: Console) -> list[Goal]:
    switch(operated, order)
    print(f"waiting for {CYCLES} cycles of each ...", flush=True)
    operated.await_cycles(SCRAPERS, CYCLES)
    looks = look(operated)
    usual = {service: statistics.median(seen[service] for seen in looks) for service in looks[0]}
    peak = {service: max(seen[service] for seen in looks) for service in looks[0]}
    console.print(table(order, usual, peak, looks))
    total = max(without_database(seen) for seen in looks)
    wanted = GOALS[order]
    goals = [Goal(f"{order}, without database", f"{total:.0f} MB", f"at most {wanted:.0f} MB", total <= wanted)]
    if order == "parallel":
        light = {name: usual[catalog.get(name).service] for name in LIGHT}
        worst = max(light, key=lambda name: light[name])
        told = f"{light[worst]:.0f} MB ({worst})"
        goals.append(
            Goal("light scraper, the largest", told, f"at most {GOAL_LIGHT:.0f} MB", light[worst] <= GOAL_LIGHT)
        )
        heavy = statistics.mean(usual[catalog.get(name).service] for name in HEAVY)
        known = USUAL_MB["oddsfleet/playwright"]
        goals.append(Goal("heavy scraper, mean", f"{heavy:.0f} MB", f"{known} MB, says the doctor", heavy <= known))
    else:
        for service, known in USUAL_SEQUENTIAL_MB.items():
            goals.append(
                Goal(service, f"{usual[service]:.0f} MB", f"{known} MB, says the doctor", usual[service] <= known)
            )
    return goals


def look(operated: Operated) -> Looks:
    looks = []
    for number in range(LOOKS):
        names = operated.fleet.compose("ps", "--format", '{{.ID}} {{.Label "com.docker.compose.service"}}').splitlines()
        services = dict(line.split() for line in names)
        shown = docker("stats", "--no-stream", "--format", "{{.ID}} {{.MemUsage}}", *services).splitlines()
        seen = {services[line.split()[0]]: megabytes(line.split()[1]) for line in shown}
        looks.append(seen)
        print(f"look {number + 1:2} of {LOOKS}: {without_database(seen):5.0f} MB without database", flush=True)
        time.sleep(BETWEEN)
    return looks


def megabytes(text: str) -> float:
    unit = next(unit for unit in UNITS if text.endswith(unit))
    return float(text.removesuffix(unit)) * UNITS[unit]


def without_database(seen: dict[str, float]) -> float:
    return sum(used for service, used in seen.items() if service not in DATABASE)


def table(order: Order, usual: dict[str, float], peak: dict[str, float], looks: Looks) -> Table:
    shown = Table("container", "median MB", "peak MB", title=f"{order}: {LOOKS} looks, {BETWEEN:g} s apart")
    for service in sorted(usual, key=lambda service: -usual[service]):
        shown.add_row(service, f"{usual[service]:.1f}", f"{peak[service]:.1f}")
    shown.add_section()
    shown.add_row("all", f"{statistics.median(sum(seen.values()) for seen in looks):.0f}", "")
    totals = [without_database(seen) for seen in looks]
    shown.add_row("without database", f"{statistics.median(totals):.0f}", f"{max(totals):.0f}")
    return shown


if __name__ == "__main__":
    sys.exit(main())
