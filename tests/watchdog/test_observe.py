"""What Docker tells of a container, as the watchdog takes it."""

from pathlib import Path

import pytest

from watchdog.observe import container_of

NEVER = "0001-01-01T00:00:00Z"
NOON, ONE = "1970-01-01T12:00:00.000000000Z", "1970-01-01T13:00:00.000000000Z"
NOW = 13 * 3600.0 + 5


@pytest.mark.parametrize(
    ("state", "created", "finished", "seconds"),
    [("created", ONE, NEVER, 5), ("exited", NOON, ONE, 5), ("running", NOON, ONE, 0)],
)
def test_how_long_a_container_has_not_run(
    state: str, created: str, finished: str, seconds: float, tmp_path: Path
) -> None:
    inspected = {
        "Id": "a" * 64, "Name": "/x", "RestartCount": 0, "Created": created,
        "State": {"Status": state, "StartedAt": NOON if state != "created" else NEVER, "FinishedAt": finished},
        "Config": {"Labels": {"oddsfleet.scraper": "kto"}},
    }  # fmt: skip
    assert container_of(inspected, tmp_path, NOW).stopped_for == seconds
