"""One scraper, one simulator, one Supabase: all real, the simulator where the internet would be."""

import pytest

from tests.fleet import Fleet


@pytest.fixture
def clean_superbet(fleet: Fleet) -> Fleet:
    """The database as if superbet had never run."""
    fleet.sql(
        "truncate scraper_status, scraper_cycles, scraper_leases, dead_letters, odds, odds_history, match_sources,"
        " matches, teams restart identity cascade"
    )
    return fleet
