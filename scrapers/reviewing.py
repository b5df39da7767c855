"""What a person does about names in a terminal: ask why, look at what was not surely matched, and decide."""

import msgspec
from rich.markup import escape
from rich.prompt import Prompt
from rich.table import Table

from common.settings import StoreSettings
from common.terminal import console
from scrapers.names.match import Seen
from store.names import Snapshot
from store.rpc import Rpc


class Waiting(msgspec.Struct):
    id: int
    bookmaker: str
    league: str
    home: str
    away: str
    starts_at: str
    reason: str
    score: float | None = None
    swapped: bool = False
    near_match_id: int | None = None
    near_home: str | None = None
    near_away: str | None = None


async def explain(store: StoreSettings, home: str, away: str) -> int:
    """What a fixture with these names would be weighed against, among the open matches."""
    from scrapers.names.explain import compare, comparison_table, explanation_table
    from scrapers.names.explain import explain as weigh

    screen = console()
    async with Rpc(store) as rpc:
        snapshot = msgspec.convert(await rpc.call("names_snapshot", {"p_book": ""}), Snapshot)
    found = None
    for sport, league, starts_at in {(match.sport, match.league, match.starts_at) for match in snapshot.matches}:
        seen = Seen("", "", sport, league, home, away, starts_at)
        told = weigh(seen, snapshot.matches, snapshot.aliases)
        if told.pairings and (found is None or told.pairings[0].total > found.pairings[0].total):
            found = told
    if found is None:
        screen.print("No open match resembles it. The two names beside each other:")
        screen.print(comparison_table(compare(home, away)))
        return 1
    screen.print(explanation_table(found))
    return 0


async def review(store: StoreSettings) -> int:
    screen = console()
    async with Rpc(store) as rpc:
        waiting = msgspec.convert(await rpc.select("unmatched_names_view", {"select": "*"}), list[Waiting])
        if not waiting:
            screen.print("Nothing waits: every event of every bookmaker has its match.")
            return 0
        screen.print(waiting_table(waiting))
        if not screen.is_terminal:
            screen.print("Run this in a terminal to decide.")
            return 0
        for row in waiting:
            question = f"{escape(f'{row.home} – {row.away}')} at {row.bookmaker}: the same as {escape(near(row))}?"
            answer = Prompt.ask(question, choices=["same", "other", "later", "quit"], default="later", console=screen)
            if answer == "quit":
                break
            if answer != "later":
                await rpc.call("decide_unmatched", {"p_id": row.id, "p_same": answer == "same"})
    screen.print("Decisions take effect within ten cycles of each scraper.")
    return 0


def waiting_table(rows: list[Waiting]) -> Table:
    table = Table("bookmaker", "league", "kick-off", "shown as", "nearest", "score", "why not")
    for row in rows:
        score = "–" if row.score is None else f"{row.score:.0f}"
        shown = escape(f"{row.home} – {row.away}")
        table.add_row(
            row.bookmaker, row.league, row.starts_at[:16], shown, escape(near(row)), score, escape(row.reason)
        )
    return table


def near(row: Waiting) -> str:
    if row.near_home is None:
        return "no match of ours"
    return f"{row.near_home} – {row.near_away}" + (" (sides swapped)" if row.swapped else "")
