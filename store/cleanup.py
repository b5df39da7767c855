"""Deleting what is old, a batch at a time."""

import msgspec

from store.rpc import Rpc

# In this order: history before the matches that it belongs to.
KINDS = (
    "match_history",
    "matches",
    "history",
    "cycles",
    "leases",
    "dead_letters",
    "unmatched",
    "surebets",
    "alerts",
    "incidents",
    "restarts",
)


class Batch(msgspec.Struct, frozen=True):
    removed: int
    after: int | None  # where the next batch begins; None: nothing is left


class CleanupStore:
    def __init__(self, rpc: Rpc) -> None:
        self._rpc = rpc

    async def remove(self, kind: str, days: float, limit: int, after: int) -> Batch:
        return await self._call(kind, days, limit, after, dry=False)

    async def count(self, kind: str, days: float) -> int:
        """What `remove` would remove in all its batches."""
        return (await self._call(kind, days, 1, 0, dry=True)).removed

    async def _call(self, kind: str, days: float, limit: int, after: int, *, dry: bool) -> Batch:
        arguments = {"p_days": days, "p_limit": limit, "p_after": after, "p_dry": dry}
        return await self._rpc.call_as(Batch, f"cleanup_{kind}", arguments)

    async def sizes(self) -> dict[str, dict[str, float]]:
        """Of each table: megabytes, rows, and rows that are dead but not yet reclaimed."""
        return await self._rpc.call_as(dict[str, dict[str, float]], "table_sizes", {})
