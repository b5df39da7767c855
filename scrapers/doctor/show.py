"""The doctor's table."""

import sys

from rich.markup import escape
from rich.table import Table

from common.settings import ScraperSettings, StoreSettings
from common.terminal import console
from scrapers import catalog
from scrapers.doctor.judge import Diagnosis, judge
from scrapers.doctor.machine import read_fleet
from scrapers.doctor.measure import measure

MARKS = {"ok": "[green]● ok[/]", "tight": "[yellow]▲ tight[/]", "bad": "[red]✖ bad[/]", "unknown": "[dim]○ unknown[/]"}


async def examine(settings: ScraperSettings, store: StoreSettings) -> int:
    """What Compose says of both modes comes in on standard input: see scripts/doctor.sh."""
    screen = console()
    fleet = read_fleet(sys.stdin.read())
    books = [book.at(settings.simulator_url) for book in catalog.BOOKMAKERS]
    with screen.status("measuring this machine, and the way to every bookmaker"):
        machine = await measure(books, settings.spool_dir, store.supabase_url)
    diagnosis = judge(machine, fleet)
    screen.print(table(diagnosis))
    mode = f"[bold]{diagnosis.mode}[/]" if diagnosis.mode else "[red bold]neither[/]"
    screen.print(f"Recommended: {mode}: {escape(diagnosis.why)}")
    return 0 if diagnosis.is_well else 1


def table(diagnosis: Diagnosis) -> Table:
    table = Table("", "measured", "verdict", "what to do")
    for finding in diagnosis.findings:
        row = (finding.what, finding.measured, MARKS[finding.verdict], finding.advice)
        table.add_row(escape(row[0]), escape(row[1]), row[2], escape(row[3]))
    return table
