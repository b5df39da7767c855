"""What a person sees of a scraper in a terminal: one cycle as a table, and the catalog."""

import time
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from common.settings import ScraperSettings
from common.terminal import console
from scrapers import catalog
from scrapers.collect import Collected, collect
from scrapers.errors import ScrapeError, Waiting
from scrapers.fetch import open_fetcher
from scrapers.keys import masked_url, with_key
from scrapers.odds import Event, Page
from scrapers.recording import record
from scrapers.wire import Response

ADVICE = {
    "blocked": "The site refuses us. Wait, slow down, or give PROXY_LIST; restarting does not help.",
    "unavailable": "The site or the network is down. Try again in a minute.",
    "changed": "The site's format moved: scrapers/platforms/{platform}.py has to follow it.",
}


async def look(book: catalog.Bookmaker, settings: ScraperSettings, record_to: Path | None) -> int:
    screen = console()
    steps: list[tuple[str, int, int, float]] = []
    cases: list[Path] = []

    def watch(response: Response, page: Page, seconds: float) -> None:
        steps.append((masked_url(response.request.url), len(response.body), len(page.events), seconds))
        if record_to:
            cases.append(record(record_to / book.name, response, page))

    served = with_key(book).at(settings.simulator_url)
    screen.print(f"Asking [bold]{book.title}[/] at {escape(served.api)} …")
    started = time.monotonic()
    try:
        async with open_fetcher(served, settings) as fetcher:
            collected = await collect(served, fetcher, watch)
    except Waiting as waiting:
        screen.print(f"[yellow]waiting[/]: {escape(str(waiting))}")
        screen.print(f"Put {book.key_env} into .env and try again.")
        return 0
    except ScrapeError as error:
        screen.print(f"[red]{error.kind}[/]: {escape(str(error))}")
        screen.print(ADVICE[error.kind].format(platform=book.platform))
        return 1
    screen.print(odds_table(collected.events))
    show_rest(screen, collected, steps, time.monotonic() - started)
    for case in cases:
        screen.print(f"Recorded {case}: check expected.json against response.* by eye, then commit it.")
    return 0


def odds_table(events: list[Event]) -> Table:
    table = Table("kick-off (UTC)", "league", "home", "away", "market", "1", "X", "2")
    for event in sorted(events, key=lambda event: event.starts_at):
        for market in event.markets:
            prices = {price.outcome: f"{price.price:.2f}" for price in market.prices}
            table.add_row(
                f"{event.starts_at:%d/%m %H:%M}",
                event.league,
                escape(event.home),
                escape(event.away),
                market.key,
                prices.get("home", ""),
                prices.get("draw", ""),
                prices.get("away", ""),
            )
    return table


def show_rest(screen: Console, collected: Collected, steps: list[tuple[str, int, int, float]], seconds: float) -> None:
    screen.print(f"{len(collected.events)} matches, {collected.price_count} odds in {seconds:.1f} s")
    for url, size, events, took in steps:
        screen.print(f"  {took * 1000:6.0f} ms  {size / 1024:8.1f} KB  {events:4} matches  {escape(url)}")
    if collected.skipped:
        reasons = ", ".join(f"{count} {escape(reason)}" for reason, count in sorted(collected.skipped.items()))
        screen.print(f"Left out: {reasons}")
    if collected.error:
        screen.print(f"[yellow]Incomplete[/]: {collected.error.kind}: {escape(str(collected.error))}")


def show_catalog() -> None:
    table = Table("scraper", "bookmaker", "platform", "engine", "every", "memory", "sports", "kind")
    for book in catalog.BOOKMAKERS:
        table.add_row(
            book.name, book.title, book.platform, book.engine, f"{book.every} s", f"{book.memory_mb} MB",
            ", ".join(book.sports), book.kind,
        )  # fmt: skip
    console().print(table)
