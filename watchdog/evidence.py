"""What a restart would destroy: log lines, stacks of all threads, memory and processes. Masked before it is kept."""

import time
from contextlib import suppress

from common.masking import mask
from watchdog.engine import ENGINE_ERRORS, Engine

LINES = 20
LONGEST_LINE = 300
LONGEST_STACK = 6000
DUMP_PATIENCE = 3.0
DUMP_SIGN = "most recent call first"


def log_lines(engine: Engine, name: str, lines: int = LINES) -> list[str]:
    with suppress(*ENGINE_ERRORS):
        text = engine.client.logs(name, tail=lines).decode(errors="replace")
        return [mask(line)[:LONGEST_LINE] for line in text.splitlines()[-lines:]]
    return []


def gather(engine: Engine, name: str) -> dict[str, object]:
    """Before a kill. The log lines first: the stacks go to the same log."""
    evidence: dict[str, object] = {"log": log_lines(engine, name)}
    running: list[list[str]] = []
    with suppress(*ENGINE_ERRORS):
        running = engine.client.top(name, ps_args="-eo pid,stat,time,rss,args").get("Processes") or []
        evidence["processes"] = processes(running)
    with suppress(*ENGINE_ERRORS):
        stats = engine.client.stats(name, stream=False, one_shot=True).get("memory_stats", {})
        evidence["memory_mb"] = round(stats.get("usage", 0) / 1e6)
        evidence["memory_limit_mb"] = round(stats.get("limit", 0) / 1e6)
    # A process that is stopped cannot answer: no use in waiting for it.
    evidence["stacks"] = "" if any(row[1].startswith("T") for row in running) else stacks(engine, name)
    return evidence


def processes(rows: list[list[str]]) -> list[str]:
    return [mask(" ".join(row))[:LONGEST_LINE] for row in rows][:LINES]


def stacks(engine: Engine, name: str) -> str:
    """SIGUSR1 makes Python write them, even in an endless loop.

    To Docker a signal is a stop by hand, which takes the restart policy away until the next start: so this is only
    done when a restart follows, and is already written down.
    """
    asked = time.time()
    with suppress(*ENGINE_ERRORS):
        engine.client.kill(name, signal="SIGUSR1")
        deadline = time.monotonic() + DUMP_PATIENCE
        while time.monotonic() < deadline:
            text = str(engine.client.logs(name, since=asked - 0.5, tail=200).decode(errors="replace"))
            if DUMP_SIGN in text:
                start = max(0, text.rfind("\n", 0, text.index(DUMP_SIGN)))
                return mask(text[start:].strip())[:LONGEST_STACK]
            time.sleep(0.1)
    return ""
