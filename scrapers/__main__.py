"""python -m scrapers: run one for ever, all in turn, one once to look at it, or list them all."""

import argparse
import asyncio
import faulthandler
import os
import signal
import sys
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import common.early
from common import logs, settings
from scrapers import catalog

if TYPE_CHECKING:
    from scrapers.runner import Ended


def main() -> int:  # noqa: PLR0911 - one line per command
    arguments = parse_arguments()
    try:
        logs.configure(settings.read(settings.LogSettings))
        match arguments.command:
            case "run":
                return run([catalog.get(arguments.scraper)], arguments.interval)
            case "all":
                return run(catalog.BOOKMAKERS, None)
            case "sequential":
                return sequential(arguments.mode)
            case "once":
                return once(arguments.scraper)
            case "names":
                return names(arguments)
            case "doctor":
                return doctor()
            case _:
                return show_list()
    except settings.BadSetting as bad:
        print(f"oddsfleet: {bad}", file=sys.stderr)
        return 2


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m scrapers", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)

    def known(text: str) -> str:
        """Also by the name of its service."""
        name = text.removeprefix("scraper-").replace("-", "_")
        if all(book.name != name for book in catalog.BOOKMAKERS):
            parser.exit(2, f"There is no scraper called {text}; `make list` shows them all.\n")
        return name

    run_ = commands.add_parser("run", help="cycle until stopped, writing to Supabase")
    run_.add_argument("scraper", type=known, metavar="SCRAPER")
    run_.add_argument("--interval", type=float, help="seconds from one cycle to the next (default: the catalog's)")
    sequential_ = commands.add_parser("sequential", help="all scrapers in turn, in one process, for a small machine")
    sequential_.add_argument("--mode", choices=["all", "light", "heavy"], default="all")
    commands.add_parser("all", help="all scrapers at once in one process, for debugging")
    once_ = commands.add_parser(
        "once", help="one cycle, shown as a table; nothing is written (RECORD=1 keeps the answers)"
    )
    once_.add_argument("scraper", type=known, metavar="SCRAPER")
    names_ = commands.add_parser("names", help="why names matched or not, and what waits for a person")
    of_names = names_.add_subparsers(dest="about", required=True, metavar="WHAT")
    of_names.add_parser("review", help="events that resemble a match, but not surely: accept or refuse")
    of_names.add_parser("learned", help="spellings that were learned or given")
    of_names.add_parser("forget", help="take a spelling back").add_argument(
        "spelling", help="as `names learned` has it"
    )
    for change, about in (
        ("split", "a book's event is not the match that it was taken for"),
        ("again", "judge a book's event anew: takes back a split, and what was said in a review"),
    ):
        change_ = of_names.add_parser(change, help=about)
        change_.add_argument("book", help="the bookmaker's key in odds.json")
        change_.add_argument("event", help="the bookmaker's number of the event: `sid` in odds.json")
    explain_ = of_names.add_parser("explain", help="what a fixture is weighed against, with scores")
    explain_.add_argument("home", help="as a bookmaker writes it")
    explain_.add_argument("away", help="the same")
    commands.add_parser("doctor", help="does this machine fit the fleet, and in which mode? (`make doctor`)")
    commands.add_parser("list", help="every scraper there is")
    arguments = parser.parse_args()
    if getattr(arguments, "interval", None) is not None and not 0.1 <= arguments.interval <= 86400:
        parser.error("--interval must be between 0.1 and 86400 seconds")
    return arguments


def run(books: Sequence[catalog.Bookmaker], interval: float | None) -> int:
    from scrapers.runner import run as run_forever

    return end_with(run_forever(books, *read_settings(), interval))


def sequential(mode: str) -> int:
    from scrapers.sequential import chosen, run_in_turn

    return end_with(run_in_turn(chosen(catalog.BOOKMAKERS, mode), *read_settings()))


def read_settings() -> tuple[settings.ScraperSettings, settings.StoreSettings]:
    return settings.read(settings.ScraperSettings), settings.read(settings.StoreSettings)


def end_with(loop: "Coroutine[object, object, Ended]") -> int:
    from scrapers.runner import Ended

    # The watchdog asks what every thread is doing before it ends a process that hangs.
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    if asyncio.run(loop) is Ended.RECYCLE:
        # The same process number with a new, small memory: to Docker nothing has ended.
        common.early.hold_signals()
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606
    return 0


def once(name: str) -> int:
    from scrapers.looking import look

    record_to = Path(os.environ.get("RECORD_DIR", "tests/recorded")) if os.environ.get("RECORD") else None
    return asyncio.run(look(catalog.get(name), settings.read(settings.ScraperSettings), record_to))


def names(arguments: argparse.Namespace) -> int:
    from scrapers import reviewing
    from store.rpc import StoreDown

    store = settings.read(settings.StoreSettings)
    match arguments.about:
        case "review":
            work = reviewing.review(store)
        case "learned":
            work = reviewing.show_learned(store)
        case "forget":
            work = reviewing.forget(store, arguments.spelling)
        case "split":
            work = reviewing.split(store, arguments.book, arguments.event)
        case "again":
            work = reviewing.again(store, arguments.book, arguments.event)
        case _:
            work = reviewing.explain(store, arguments.home, arguments.away)
    try:
        return asyncio.run(work)
    except StoreDown as down:
        print(f"oddsfleet: {down}", file=sys.stderr)
        return 2


def doctor() -> int:
    from scrapers.doctor.show import examine

    return asyncio.run(examine(*read_settings()))


def show_list() -> int:
    from scrapers.looking import show_catalog

    show_catalog()
    return 0


if __name__ == "__main__":
    sys.exit(main())
