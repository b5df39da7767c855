"""The heartbeat of a service that is no scraper."""

from collections.abc import Mapping

from store.rpc import Rpc


async def beat(
    rpc: Rpc,
    service: str,
    interval: float,
    *,
    error: str | None = None,
    milliseconds: int = 0,
    count: int | None = None,
    extra: Mapping[str, object] | None = None,
) -> None:
    """Say how a round went. `count` is what it made or removed; it and `extra` stay as they were when left out."""
    await rpc.call(
        "service_beat",
        {
            "p_service": service,
            "p_interval": interval,
            "p_error": error,
            "p_ms": milliseconds,
            "p_count": count,
            "p_extra": extra,
        },
    )
