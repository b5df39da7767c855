"""Small builders: a match of ours, a match as a book shows it."""

from datetime import UTC, datetime, timedelta

from scrapers.names.fold import fold
from scrapers.names.match import Candidate, Seen, Team

KICKOFF = datetime(2026, 3, 1, 21, 30, tzinfo=UTC)
FAIR = {"home": 0.5, "draw": 0.28, "away": 0.22}
PRICES = {"home": 1.9, "draw": 3.4, "away": 4.32}  # the same chances under a margin of 5 %
LEAGUE = "any"  # none of scrapers/leagues.py: nothing but the names helps


def team(name: str, *aliases: str) -> Team:
    number = int.from_bytes(name.encode(), "big") % 1_000_000_007
    return Team(number, name, tuple(fold(alias) for alias in aliases))


def candidate(
    match_id: int,
    home: str,
    away: str,
    *,
    league: str = LEAGUE,
    sport: str = "football",
    later: timedelta = timedelta(),
    fair: dict[str, float] | None = None,
) -> Candidate:
    return Candidate(match_id, sport, league, team(home), team(away), KICKOFF + later, fair)


def seen(
    home: str,
    away: str,
    *,
    league: str = LEAGUE,
    sport: str = "football",
    later: timedelta = timedelta(),
    prices: dict[str, float] | None = None,
    book: str = "book",
) -> Seen:
    return Seen(book, "1", sport, league, home, away, KICKOFF + later, prices)


def turned(values: dict[str, float]) -> dict[str, float]:
    return {**values, "home": values["away"], "away": values["home"]}
