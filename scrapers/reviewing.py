"""What a person does about names in a terminal: ask why, look at what was not surely matched, and decide."""

from rich.console import Console
from rich.markup import escape
from rich.prompt import Confirm, Prompt
from rich.table import Table

from common.settings import StoreSettings
from common.terminal import console
from scrapers.catalog import BOOKMAKERS
from scrapers.names.clubs import known
from scrapers.names.fold import fold
from scrapers.names.match import Seen
from scrapers.names.vetoes import read
from store import review as reviewed
from store.names import Snapshot
from store.review import PlacedEvent, Remembered, Spelling, Waiting
from store.rpc import Rpc

MOST_SPELLINGS = 500


async def explain(store: StoreSettings, home: str, away: str) -> int:
    """What a fixture with these names would be weighed against, among the open matches."""
    from scrapers.names.explain import compare, comparison_table, explanation_table
    from scrapers.names.explain import explain as weigh

    screen = console()
    async with Rpc(store) as rpc:
        snapshot = await rpc.call_as(Snapshot, "names_snapshot", {"p_book": ""})
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
        waiting = await reviewed.waiting(rpc)
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
                await reviewed.decide(rpc, row.id, spellings(row), same=answer == "same")
    screen.print("Decisions take effect within ten cycles of each scraper.")
    return 0


def spellings(row: Waiting) -> tuple[Spelling, ...]:
    """Those that can mean one club only: "Botafogo" may mean another one next week."""
    return tuple(
        Spelling(side, reading.folded, name)
        for side, name in (("home", row.home), ("away", row.away))
        if not (reading := read(name, row.sport)).ambiguous
        and not reading.tag
        and len(known().named(row.sport, reading.folded)) < 2
    )


async def show_learned(store: StoreSettings) -> int:
    screen = console()
    async with Rpc(store) as rpc:
        rows = await reviewed.remembered(rpc, MOST_SPELLINGS)
    if not rows:
        screen.print("Nothing was learned yet.")
        return 0
    screen.print(learned_table(rows))
    screen.print("A wrong one: python -m scrapers names forget SPELLING")
    return 0


async def forget(store: StoreSettings, spelling: str) -> int:
    async with Rpc(store) as rpc:
        count = await reviewed.forget(rpc, fold(spelling))
    if not count:
        console().print(f"No such spelling is stored: {escape(spelling)}. `names learned` lists them.")
        return 1
    console().print(
        f"Forgotten, {count} times. Scrapers take note within ten cycles; events that were joined by it stay so:"
        " `names split BOOK EVENT` takes one apart."
    )
    return 0


async def split(store: StoreSettings, book: str, event: str) -> int:
    screen = console()
    async with Rpc(store) as rpc:
        found = await placed(rpc, screen, book, event)
        if found is None:
            return 1
        if found.our_home is None:
            screen.print("It is taken for no match of ours: there is nothing to take apart.")
            return 1
        if not found.other_books:
            screen.print("No other book shows that match: there is nothing to take apart.")
            return 1
        if screen.is_terminal and not Confirm.ask("Take it apart?", console=screen):
            return 0
        await reviewed.split(rpc, book, event)
    screen.print(
        "Taken apart. It becomes a match of its own with its next cycle."
        f" [bold]names again {escape(book)} {escape(event)}[/] takes that back."
    )
    return 0


async def again(store: StoreSettings, book: str, event: str) -> int:
    screen = console()
    async with Rpc(store) as rpc:
        if await placed(rpc, screen, book, event) is None:
            return 1
        if not await reviewed.again(rpc, book, event):
            screen.print("It waits for your word: `make review`.")
            return 1
    screen.print("Whatever was said of it is forgotten. It is judged anew with its next cycle.")
    return 0


async def placed(rpc: Rpc, screen: Console, book: str, event: str) -> PlacedEvent | None:
    """Shown to the person as well."""
    if book not in (books := sorted({one.book_key for one in BOOKMAKERS})):
        screen.print(f"There is no bookmaker called {escape(book)}. There are: {', '.join(books)}.")
        return None
    found = await reviewed.placed(rpc, book, event)
    if found is None:
        screen.print(f"{escape(book)} has no event {escape(event)}; odds.json has its number as `sid`.")
        return None
    ours = "no match of ours"
    if found.our_home is not None:
        ours = f"{found.our_home} – {found.our_away}" + (" (sides swapped)" if found.swapped else "")
        ours += f", which {shown_by(found.other_books)}"
    said = {"same": ", as a person said", "new": ", since a person said that it is another"}.get(
        found.decision or "", ""
    )
    screen.print(f"{escape(f'{found.home} – {found.away}')} at {escape(book)} is taken for {escape(ours)}{said}.")
    return found


def shown_by(others: int) -> str:
    return {0: "no other book shows", 1: "one other book shows"}.get(others, f"{others} other books show")


def learned_table(rows: list[Remembered]) -> Table:
    table = Table("sport", "spelling", "team", "bookmaker", "from", "confidence", "since")
    for row in rows:
        table.add_row(
            row.sport, escape(row.alias), escape(row.team), row.bookmaker or "all", row.source,
            f"{row.confidence:.2f}", row.first_seen[:16],
        )  # fmt: skip
    return table


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
