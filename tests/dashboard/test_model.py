"""What the page makes of the database's rows and Docker's containers together."""

import pytest

from dashboard.model import Container
from tests.dashboard.rows import row, snapshot


@pytest.mark.parametrize(
    ("desired", "state", "down", "nothing_to_resume"),
    [
        ("run", "running", "", True),
        ("run", "restarting", "", True),
        ("run", "exited", "", False),
        ("run", None, "", False),  # Docker cannot be asked
        ("run", "running", "no answer", False),  # nor can Supabase: what it said is old
        ("paused", "running", "", False),
        ("paused", "exited", "", False),
    ],
)
def test_only_what_runs_and_is_not_paused_needs_no_resuming(
    desired: str, state: str | None, down: str, nothing_to_resume: bool
) -> None:
    containers = (Container(name="kto-1", service="scraper-kto", state=state, scrapers=("kto",)),) if state else ()
    shown = snapshot(row("kto", desired=desired), containers=containers, down=down)
    assert shown.runs_unpaused("kto") is nothing_to_resume
