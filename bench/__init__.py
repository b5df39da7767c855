"""What must hold, measured. Each module runs by itself, prints its goals and fails when one is missed."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console


class Goal(NamedTuple):
    what: str
    measured: str
    wanted: str
    met: bool


def report(title: str, goals: "Sequence[Goal]", console: "Console") -> int:
    """Prints the goals; the exit status of the run."""
    from rich.table import Table

    table = Table("goal", "measured", "wanted", "", title=title)
    for goal in goals:
        row = (goal.what, goal.measured, goal.wanted, "met" if goal.met else "MISSED")
        table.add_row(*row, style=None if goal.met else "red")
    console.print(table)
    return 0 if all(goal.met for goal in goals) else 1
