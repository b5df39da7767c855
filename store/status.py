"""The status of every scraper, as the database sees it."""

import msgspec

from store.rpc import Rpc


class ScraperStatus(msgspec.Struct, frozen=True):
    scraper_name: str
    computed_status: str
    bookmaker_id: int | None = None  # a service has none
    outcome: str | None = None
    last_error: str | None = None
    odds_collected: int | None = None
    odds_inserted: int | None = None
    cycle_count: int = 0
    duration_ms: int | None = None
    epoch: int = 0
    seconds_since_heartbeat: float | None = None
    seconds_since_success: float | None = None
    # What the watchdog knows; all unset while none has run.
    cause: str | None = None
    restarts_used: int | None = None
    restart_budget: int | None = None
    circuit: str = "closed"
    desired: str = "run"


async def read_status(rpc: Rpc) -> list[ScraperStatus]:
    rows = await rpc.select("scraper_status_view", {"select": "*", "order": "scraper_name"})
    return msgspec.convert(rows, list[ScraperStatus])
