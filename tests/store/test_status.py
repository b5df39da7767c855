"""What `make status` shows of a scraper beside its data: cause, restarts used of allowed, circuit, pause."""

from io import StringIO

import msgspec
from rich.console import Console

from store.__main__ import status_table
from store.status import ScraperStatus

CALM = ScraperStatus(
    "kto", "ok", bookmaker_id=1, odds_collected=120, seconds_since_success=4.0, restarts_used=0, restart_budget=5
)


def shown(**changes: object) -> str:
    text = StringIO()
    Console(file=text, width=200).print(status_table([msgspec.structs.replace(CALM, **changes)]))
    return text.getvalue()


def test_cause_budget_and_circuit_are_shown() -> None:
    assert "0/5" in shown()
    ill = shown(cause="crash_loop", restarts_used=5, circuit="half_open", computed_status="error")
    assert "crash_loop" in ill
    assert "5/5 half-open" in ill
    assert "–" in shown(restart_budget=None)


def test_what_is_paused_has_no_other_status_and_no_cause() -> None:
    paused = shown(desired="paused", cause="hang", computed_status="warning")
    assert "❚❚ paused" in paused
    assert "warning" not in paused
    assert "hang" not in paused


def test_a_service_has_no_restarts() -> None:
    assert "0/5" not in shown(scraper_name="cleanup-service", bookmaker_id=None)
