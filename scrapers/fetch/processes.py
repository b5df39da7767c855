"""The processes of a browser, as Linux shows them under /proc. On a system without it there seem to be none."""

import os
import signal
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
PAGE_KB = os.sysconf("SC_PAGE_SIZE") // 1024


@dataclass(frozen=True, slots=True)
class Process:
    pid: int
    parent: int
    group: int
    state: str  # R, S, D, ... and Z for one that has ended and only waits to be noticed

    @property
    def is_alive(self) -> bool:
        return self.state not in "ZX"


def processes() -> Iterator[Process]:
    with suppress(OSError):
        for entry in PROC.iterdir():
            if entry.name.isdigit() and (process := look_up(int(entry.name))):
                yield process


def look_up(pid: int) -> Process | None:
    try:
        # The name stands in brackets and may hold anything.
        fields = (PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
        return Process(pid, int(fields[1]), int(fields[2]), fields[0])
    except (OSError, ValueError, IndexError):
        return None


def is_alive(pid: int) -> bool:
    process = look_up(pid)
    return process is not None and process.is_alive


def tree(root: int) -> list[Process]:
    """The process and all that descend from it, parents first."""
    everybody = list(processes())
    found = [process for process in everybody if process.pid == root]
    for process in found:
        found.extend(child for child in everybody if child.parent == process.pid)
    return found


def command(pid: int) -> str:
    try:
        return (PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def memory_mb(pids: Iterable[int]) -> int:
    """What these processes hold together: pages of their own, and those that they share counted once.

    Every process of a browser maps the same 200 MB of program, so adding up plain resident sizes counts it each time.
    """
    own, shared = 0, 0
    for pid in pids:
        with suppress(OSError, ValueError, IndexError):
            _, resident, mapped = (PROC / str(pid) / "statm").read_text().split()[:3]
            own += int(resident) - int(mapped)
            shared = max(shared, int(mapped))
    return (own + shared) * PAGE_KB // 1024


def any_alive(pids: Collection[int], groups: Collection[int]) -> bool:
    return any(process.is_alive and (process.pid in pids or process.group in groups) for process in processes())


def kill(pids: Iterable[int], groups: Iterable[int]) -> None:
    for group in groups:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
