"""What Docker says, read: both versions of control groups, two streams in one, and containers of several scrapers."""

import struct
from typing import Any

import pytest

from dashboard.docker import cores, described, log_lines, usage_of
from dashboard.model import Usage

READ = "2026-11-18T15:00:00.250000001Z"
V1 = {"usage": 50_000_000, "limit": 100_000_000, "stats": {"total_inactive_file": 8_000_000, "inactive_file": 1}}
V2 = {"usage": 50_000_000, "limit": 100_000_000, "stats": {"inactive_file": 8_000_000}}


def stats(memory: dict[str, Any], cpu: int = 3_000_000_000) -> dict[str, Any]:
    return {"read": READ, "memory_stats": memory, "cpu_stats": {"cpu_usage": {"total_usage": cpu}}}


@pytest.mark.parametrize("memory", [V1, V2])
def test_memory_without_what_can_be_dropped(memory: dict[str, Any]) -> None:
    usage = usage_of(stats(memory))
    assert usage
    assert (usage.memory, usage.memory_limit, usage.cpu_seconds) == (42_000_000, 100_000_000, 3.0)
    assert usage.at % 1 == pytest.approx(0.25, abs=1e-5)


def test_an_empty_reading_is_none() -> None:
    assert usage_of({"read": "0001-01-01T00:00:00Z", "memory_stats": {}, "cpu_stats": {}}) is None


def reading(at: float, cpu: float) -> Usage:
    return Usage(at=at, cpu_seconds=cpu, memory=1)


def test_cpu_is_what_was_used_between_two_readings() -> None:
    assert cores(reading(10, 5), reading(14, 7)) == 0.5
    assert cores(reading(10, 5), reading(14, 0.1)) is None  # started anew in between
    assert cores(reading(10, 5), reading(10, 5)) is None


def piece(stream: int, text: bytes) -> bytes:
    return struct.pack(">BxxxI", stream, len(text)) + text


def test_a_log_of_two_streams() -> None:
    stream = piece(1, b"one\ntw") + piece(2, b"o\n") + piece(1, "três\n".encode())
    assert log_lines(stream) == ["one", "two", "três"]
    assert log_lines(b"") == []
    assert log_lines(piece(1, b"cut off")[:-3]) == ["cut "]
    assert log_lines(b"plain text\nof a terminal") == ["plain text", "of a terminal"]


def test_a_container_and_whose_it_is() -> None:
    item = {
        "Names": ["/oddsfleet-scraper-seq-light-1"],
        "State": "running",
        "Status": "Up 3 minutes (unhealthy)",
        "Labels": {"com.docker.compose.service": "scraper-seq-light", "oddsfleet.scraper": "kto,stake"},
    }
    container = described(item)
    assert container
    assert (container.unit, container.scrapers, container.healthy) == ("seq-light", ("kto", "stake"), False)
    assert described({**item, "Labels": {"com.docker.compose.oneoff": "True"}}) is None
