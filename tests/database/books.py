"""Several bookmakers on one database, and what became of the matches that they show."""

import itertools
import uuid
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from scrapers.catalog import Bookmaker
from store.rpc import Rpc
from store.spool import Spool
from store.writer import Writer
from tests.fleet import Fleet

DAYS = itertools.count(1)


async def another_book(rpc: Rpc, book: Bookmaker, spool: Path) -> Writer:
    another = replace(book, name=f"o{uuid.uuid4().hex[:12]}")
    writer = Writer(rpc, Spool(spool, another.name, 10), another, holder="first", interval=30)
    await writer.take_lease()
    return writer


def kick_off() -> timedelta:
    """A day of its own for each test, so that fixtures of others are no candidates."""
    return timedelta(days=next(DAYS))


def matches(fleet: Fleet, *scrapers: str) -> set[str]:
    names = "','".join(scrapers)
    return {row[0] for row in fleet.sql(f"select match_id from match_sources where scraper_name in ('{names}')")}


def sides(fleet: Fleet, book: Bookmaker) -> list[str]:
    """Of the match that this book shows."""
    (row,) = fleet.sql(
        "select h.name, a.name from match_sources s join matches m on m.id = s.match_id"
        " join teams h on h.id = m.home_team_id join teams a on a.id = m.away_team_id"
        f" where s.scraper_name = '{book.name}'"
    )
    return row


def prices_of(fleet: Fleet, writer: Writer) -> dict[str, float]:
    rows = fleet.sql(
        "select o.outcome, o.price from odds o join bookmakers b on b.id = o.bookmaker_id"
        f" where b.key = '{writer._book.name}' and not suspended"
    )
    return {outcome: float(price) for outcome, price in rows}
