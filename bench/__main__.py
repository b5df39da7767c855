"""python -m bench: all measurements one after the other, or those that are named; `list` shows what there is.

A bench is a module here with a `main()`; the first line of its docstring says what it measures.
"""

import argparse
import ast
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.markup import escape
from rich.table import Table

FOLDER = Path(__file__).parent
PATIENCE = 3600
# Rough minutes on two cores, the quick ones first; one that is not named here comes last, with minutes unknown.
MINUTES = {
    "parsing": 0.2,
    "names": 2,
    "export": 1.5,
    "dashboard": 3,
    "freshness": 10,
    "memory": 8,
    "isolation": 7,
    "switching": 15,
    "cleanup": 6,
    "leak": 11,
    "watchdog": 25,
}


class Bench(NamedTuple):
    name: str
    about: str

    @property
    def minutes(self) -> str:
        return f"{MINUTES[self.name]:g}" if self.name in MINUTES else "?"


def main() -> int:
    benches = {bench.name: bench for bench in find()}
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], "list", *benches], metavar="NAME", help=", ".join(benches))
    names = parser.parse_args().names
    console = Console(width=None if sys.stdout.isatty() else 120)
    if "list" in names:
        show_list(list(benches.values()), console)
        return 0
    return run([benches[name] for name in names] or list(benches.values()), console)


def find(folder: Path = FOLDER) -> list[Bench]:
    """Every module with a main(), by its source alone: importing one may need what another machine lacks."""
    found = []
    for path in sorted(folder.glob("[!_]*.py")):
        tree = ast.parse(path.read_text())
        if any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body):
            about = (ast.get_docstring(tree) or "").partition("\n")[0]
            found.append(Bench(path.stem, about.partition(": `python -m")[0].rstrip(".")))
    order = list(MINUTES)
    return sorted(found, key=lambda bench: order.index(bench.name) if bench.name in order else len(order))


def show_list(benches: list[Bench], console: Console) -> None:
    table = Table("bench", "minutes", "what it measures")
    for bench in benches:
        table.add_row(bench.name, bench.minutes, escape(bench.about))
    console.print(table)


def run(benches: list[Bench], console: Console) -> int:
    """Each in a process of its own, so that none measures what another has left in memory."""
    results: list[tuple[Bench, float, str]] = []
    for number, bench in enumerate(benches, start=1):
        console.rule(f"{number} of {len(benches)}: {bench.name}, about {bench.minutes} minutes")
        started = time.monotonic()
        try:
            code = subprocess.run(
                [sys.executable, "-m", f"bench.{bench.name}"], timeout=PATIENCE, check=False
            ).returncode
            verdict = "met" if code == 0 else f"MISSED (exit {code})"
        except subprocess.TimeoutExpired:
            verdict = f"NOT DONE after {PATIENCE} s"
        results.append((bench, time.monotonic() - started, verdict))
    table = Table("bench", "seconds", "goals", title="make bench")
    for bench, seconds, verdict in results:
        table.add_row(bench.name, f"{seconds:.0f}", verdict, style=None if verdict == "met" else "red")
    console.print(table)
    return 0 if all(verdict == "met" for _, _, verdict in results) else 1


if __name__ == "__main__":
    sys.exit(main())
