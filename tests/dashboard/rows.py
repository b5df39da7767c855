"""Rows and snapshots for tests, as the database would give them."""

from typing import Any

from dashboard.model import Container, Snapshot
from store.dashboard import Row, State, WatchdogRow

NOW = 1_800_000_000.0


def row(name: str = "kto", **changes: Any) -> Row:  # noqa: ANN401
    values: dict[str, Any] = {
        "name": name,
        "title": name.title(),
        "status": "ok",
        "outcome": "ok",
        "collected": 120,
        "inserted": 7,
        "cycles": 10,
        "duration_ms": 1500,
        "heartbeat_at": NOW - 12,
        "success_at": NOW - 12,
        "restarts_used": 0,
        "restart_budget": 5,
    }
    return Row(**(values | changes))


def snapshot(*rows: Row, containers: tuple[Container, ...] = (), down: str = "", **changes: Any) -> Snapshot:  # noqa: ANN401
    values: dict[str, Any] = {"now": NOW, "watchdog": WatchdogRow(NOW - 2), "rows": rows}
    return Snapshot(state=State(**(values | changes)), containers=containers, down=down)
