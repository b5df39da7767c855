"""How much of its container's memory this process and its children use, with either version of control groups."""

from pathlib import Path
from typing import NamedTuple

ROOT = Path("/sys/fs/cgroup")
UNLIMITED = 1 << 60  # version 1 writes a huge number where there is no limit


class Memory(NamedTuple):
    used: int  # bytes that cannot simply be dropped: files in the page cache are not counted
    limit: int

    @property
    def share(self) -> float:
        return self.used / self.limit


def read_memory(root: Path = ROOT) -> Memory | None:
    """None where there is no limit, as outside a container."""
    for used, limit, cache in (
        (root / "memory.current", root / "memory.max", "inactive_file"),
        (root / "memory/memory.usage_in_bytes", root / "memory/memory.limit_in_bytes", "total_inactive_file"),
    ):
        try:
            allowed = int(limit.read_text())  # "max" is no number: no limit
            taken = int(used.read_text()) - inactive_file(used.parent / "memory.stat", cache)
        except (OSError, ValueError):
            continue
        if allowed < UNLIMITED:
            return Memory(max(taken, 0), allowed)
    return None


def inactive_file(stat: Path, name: str) -> int:
    for line in stat.read_text().splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0
