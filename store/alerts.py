"""What Discord was told about surebets: kept, so that a restart repeats nothing."""

from datetime import datetime
from typing import Any

import msgspec

from store.rpc import Rpc

UNKNOWN = ""  # in place of a message's id: Discord's answer is lost, and the message with it, if there is one


class Alert(msgspec.Struct, frozen=True):
    id: int
    match_id: int
    message_id: str | None  # null: it was being sent when the process died; or UNKNOWN
    shown: dict[str, Any]
    opened_at: datetime
    closed: bool


class AlertStore:
    def __init__(self, rpc: Rpc) -> None:
        self._rpc = rpc

    async def read(self, reopen_seconds: float) -> list[Alert]:
        """The open ones, and those closed so lately that they may open again."""
        return await self._rpc.call_as(list[Alert], "surebet_alerts_now", {"p_reopen_seconds": reopen_seconds})

    async def claim(self, match_id: int, shown: object) -> int | None:
        """Before sending; None when somebody else sends one for this match."""
        return await self._rpc.call_as(int | None, "claim_surebet_alert", {"p_match": match_id, "p_shown": shown})  # type: ignore[arg-type]

    async def give_back(self, alert_id: int) -> None:
        """It was not sent."""
        await self._settle(alert_id, None, None, closed=False)

    async def settle(self, alert_id: int, message_id: str, shown: object, *, closed: bool) -> None:
        await self._settle(alert_id, message_id, shown, closed=closed)

    async def _settle(self, alert_id: int, message_id: str | None, shown: object, *, closed: bool) -> None:
        arguments = {"p_id": alert_id, "p_message_id": message_id, "p_shown": shown, "p_closed": closed}
        await self._rpc.call("settle_surebet_alert", arguments)
