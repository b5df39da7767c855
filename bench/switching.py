"""make sequential and make parallel, five times there and back with all nineteen: `python -m bench.switching`.

Sites answer in milliseconds, so a round in sequence is short here. What a gap is held against is the round that the
sequential mode expects of real sites: the first heartbeat's interval (scrapers/sequential.py).
"""

import sys
from itertools import pairwise

from rich.console import Console
from rich.table import Table

from bench import Goal, report
from bench.demo import HEAVY, LIGHT, SCRAPERS, demo, quantile, switch
from scrapers import catalog
from scrapers.sequential import HEAVY_SECONDS, LIGHT_SECONDS
from tests.operated import Operated

TIMES = 5
CYCLES = 2  # of each in every mode, before the next switch
# A process numbers its cycles from 1. Until the database answers it has no epoch: such cycles count with later ones.
MISSING = """
with counted as (
    select scraper_name, number, case when epoch > 0 then epoch else (
        select min(later.epoch) from scraper_cycles later
        where later.scraper_name = c.scraper_name and later.epoch > 0 and later.started_at > c.started_at) end as epoch
    from scraper_cycles c
), processes as (select scraper_name, epoch, max(number) as newest from counted group by 1, 2)
select scraper_name, epoch, number from processes, generate_series(1, newest) as number
except select scraper_name, epoch, number from counted order by 1, 2, 3
"""


def main() -> int:
    console = Console(width=120)
    with demo("switching") as operated:
        switch(operated, "parallel")
        operated.control("POST", "/prices", {"freeze": True})
        operated.await_cycles(SCRAPERS, CYCLES)
        began = operated.fleet.value("select now()")
        seconds = [there_and_back(operated, number) for number in range(1, TIMES + 1)]
        operated.run("scripts/compose.sh", "stop", *(catalog.get(name).service for name in SCRAPERS))
        show(console, operated, seconds, began)
        return report("switching", judge(operated, began), console)


def there_and_back(operated: Operated, number: int) -> tuple[float, float]:
    print(f"--- {number} of {TIMES} ---", flush=True)
    there = switch(operated, "sequential")
    operated.await_cycles(SCRAPERS, CYCLES)
    back = switch(operated, "parallel")
    operated.await_cycles(SCRAPERS, CYCLES)
    return there, back


def gaps(operated: Operated, scrapers: list[str], began: str) -> list[float]:
    """Seconds between two good cycles of one scraper, over the whole run."""
    found = []
    for scraper in scrapers:
        rows = operated.fleet.sql(
            "select extract(epoch from finished_at) from scraper_cycles where outcome = 'ok'"
            f" and scraper_name = '{scraper}' and finished_at > '{began}' order by finished_at"
        )
        found += [float(later[0]) - float(earlier[0]) for earlier, later in pairwise(rows)]
    return found


def show(console: Console, operated: Operated, seconds: list[tuple[float, float]], began: str) -> None:
    table = Table("", "make sequential", "make parallel", title="seconds until all nineteen bring odds again")
    for number, (there, back) in enumerate(seconds, start=1):
        table.add_row(str(number), f"{there:.0f}", f"{back:.0f}")
    console.print(table)
    for name, scrapers in (("light", LIGHT), ("heavy", HEAVY)):
        found = gaps(operated, scrapers, began)
        console.print(
            f"{name}: from one good cycle to the next, median {quantile(found, 0.5):.0f} s,"
            f" 95th percentile {quantile(found, 0.95):.0f} s, longest {max(found):.0f} s"
        )


def judge(operated: Operated, began: str) -> list[Goal]:
    fleet = operated.fleet
    rounds = {"light": (LIGHT, LIGHT_SECONDS), "heavy": (HEAVY, HEAVY_SECONDS)}
    goals = []
    for name, (scrapers, each) in rounds.items():
        longest, wanted = max(gaps(operated, scrapers, began)), len(scrapers) * each
        goals.append(Goal(f"longest gap, {name}", f"{longest:.0f} s", f"one round, {wanted} s", longest <= wanted))
    cycles = int(fleet.value("select count(*) from scraper_cycles"))
    twice = int(fleet.value("select count(*) - count(distinct (scraper_name, epoch, number)) from scraper_cycles"))
    lost = [f"{scraper} {number} (epoch {epoch})" for scraper, epoch, number in fleet.sql(MISSING)]
    older = fleet.cycles_written_by_an_older_instance()
    dead = int(fleet.value("select count(*) from dead_letters"))
    unclean = [death for death in operated.deaths() if death.exit_code and death.service.startswith("scraper-")]
    unwritten = [name for name in LIGHT if asked_and_not_written(operated, name)]
    return [
        *goals,
        Goal("cycles written twice", f"{twice} of {cycles}", "0", not twice),
        Goal("cycles written by an older instance", str(older), "0", not older),
        Goal("cycles collected and not written", ", ".join(lost) or "none", "none", not lost),
        Goal("dead letters", str(dead), "0", not dead),
        Goal("sites that were asked for more than was written", ", ".join(unwritten) or "none", "none", not unwritten),
        Goal("containers that did not end with 0", str(len(unclean)), "0", not unclean),
    ]


def asked_and_not_written(operated: Operated, scraper: str) -> bool:
    """The simulator's count against ours: every cycle asks for the same while the world stands still."""
    asked = operated.control("GET", f"/requests/{scraper}")["count"]
    operated.run("scripts/compose.sh", "run", "--rm", "--no-deps", "operator", "scrapers", "once", scraper)
    per_cycle = operated.control("GET", f"/requests/{scraper}")["count"] - asked
    cycles = int(operated.fleet.value(f"select count(*) from scraper_cycles where scraper_name = '{scraper}'"))
    return bool(asked != per_cycle * cycles)


if __name__ == "__main__":
    sys.exit(main())
