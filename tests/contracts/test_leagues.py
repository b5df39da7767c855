"""What docs/bookmakers.md says of the leagues of every platform, against the tables in the code."""

import pytest

from scrapers import catalog, leagues, platforms
from tests.fleet import ROOT

PLATFORMS = sorted({book.platform for book in catalog.BOOKMAKERS})
SHOWN = (ROOT / "docs/bookmakers.md").read_text()


def rows() -> list[list[str]]:
    table = SHOWN[SHOWN.index("| league |") :].partition("\n\n")[0]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]


def column(platform: str) -> dict[str, str]:
    head, _, *others = rows()
    return {row[0]: row[head.index(platform)] for row in others}


def known_to(platform: str) -> set[str]:
    """Titles of what its tables lead to: every dictionary from its names to our keys."""
    tables = [table for table in vars(platforms.load(platform)).values() if isinstance(table, dict) and table]
    found = [[leagues.get(key) if isinstance(key, str) else None for key in table.values()] for table in tables]
    return {league.title for table in found if all(table) for league in table if league}


def days_ahead(platform: str) -> str:
    code = platforms.load(platform)
    hours = {int(book.params.get("hours", 0)) for book in catalog.BOOKMAKERS if book.platform == platform}
    days = getattr(code, "DAYS_AHEAD", 0) or getattr(code, "DAYS", 0) or max(hours) // 24
    return str(days or "–")


def test_every_platform_and_every_league_has_its_place_and_no_other() -> None:
    head, _, *others = rows()
    assert head[1:] == PLATFORMS
    assert [row[0] for row in others] == [*(league.title for league in leagues.LEAGUES), "*days ahead*"]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_leagues_of_a_platform_are_told_and_no_others(platform: str) -> None:
    told = column(platform)
    assert told.pop("*days ahead*") == days_ahead(platform)
    assert {title for title, mark in told.items() if mark == "●"} == known_to(platform)


def test_how_far_ahead_is_told_with_the_number_of_requests() -> None:
    assert f"for the next {catalog.get('betnacional').params['hours']} hours" in SHOWN
    assert f"| tradeball | tradeball | {days_ahead('tradeball')}, one per day" in SHOWN
