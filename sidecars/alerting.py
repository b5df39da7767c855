"""Tells Discord about surebets. What cannot be said now is said in a later round, if it is still true."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from loguru import logger

from common.discord import Busy, Embed, Gone, Lost, Rejected, Webhook
from common.settings import AlertSettings
from sidecars.alerts import Act, Shown, Step, closed_embed, open_embed, plan
from sidecars.export import Found
from store.alerts import UNKNOWN, Alert, AlertStore
from store.rpc import Rpc, StoreDown

REOPEN = 600.0  # seconds in which a surebet that comes back goes on in its old message
MOST = 10  # messages in one round: Discord takes thirty a minute
SHARE = 1 / 3  # of a round; a message that is on its way by then is still waited for


class Alerting:
    def __init__(
        self,
        rpc: Rpc,
        settings: AlertSettings,
        min_profit: float,
        *,
        every: float,
        touch: Callable[[], None] = lambda: None,
    ) -> None:
        self._store = AlertStore(rpc)
        self._webhook = Webhook(settings.discord_webhook_url) if settings.discord_webhook_url else None
        self._language = settings.alert_language
        self._min_profit = min_profit
        self._budget = every * SHARE
        self._touch = touch
        self._found: Sequence[Found] = ()
        # What the database does not know yet of an alert that was claimed here: its message, or None, not sent.
        self._unnoted: dict[int, str | None] = {}
        # Matches whose claim may have been made: its answer is lost, and nothing was sent.
        self._unanswered: set[int] = set()
        self._pending = True  # something may be open in the database, or is still to be said

    async def tell(self, found: Sequence[Found]) -> None:
        self._found = found
        if any(one.bet.profit_percent >= self._min_profit for one in found):
            self._pending = True
        await self.retry()

    async def retry(self) -> None:
        if self._webhook is None or not self._pending:
            return
        alerts = await self._noted(await self._store.read(REOPEN))
        steps = plan(self._found, alerts, self._min_profit)
        done = 0
        enough = time.monotonic() + self._budget
        try:
            for step in steps[:MOST]:
                if done and time.monotonic() > enough:
                    break
                self._touch()
                await self._do(self._webhook, step)
                done += 1
        except Busy as busy:
            logger.warning("{} alerts wait: {}", len(steps) - done, busy)
        # While a message is open it has to be looked after, whatever the profit does.
        self._pending = done < len(steps) or bool(self._found) or any(not alert.closed for alert in alerts)

    async def _noted(self, alerts: Sequence[Alert]) -> Sequence[Alert]:
        """The database went away after a claim: what was sent is noted now, what was not is given back."""
        if not self._unnoted and not self._unanswered:
            return alerts
        for alert in alerts:
            if alert.id in self._unnoted:
                await self._note(alert.id, self._unnoted[alert.id], alert.shown)
            elif alert.match_id in self._unanswered and alert.message_id is None:
                await self._store.give_back(alert.id)
                self._unanswered.discard(alert.match_id)
        return await self._store.read(REOPEN)

    async def _note(self, claimed: int, message_id: str | None, shown: object) -> None:
        self._unnoted[claimed] = message_id
        if message_id is None:
            await self._store.give_back(claimed)
        else:
            await self._store.settle(claimed, message_id, shown, closed=False)
        del self._unnoted[claimed]

    async def _do(self, webhook: Webhook, step: Step) -> None:
        shown, alert, now = step.shown, step.alert, datetime.now(UTC)
        if alert is None:
            claimed = await self._claim(shown)
            if claimed is not None:
                await self._post(webhook, claimed, step, self._open_embed(step, now))
            return
        if step.act is Act.FORGET or alert.message_id is None:
            await self._store.give_back(alert.id)
            return
        closing = step.act is Act.CLOSE
        embed = closed_embed(shown, alert.opened_at, self._language, now) if closing else self._open_embed(step, now)
        try:
            if alert.message_id != UNKNOWN:
                await webhook.edit(alert.message_id, embed)
        except (Gone, Rejected) as error:
            logger.warning("an alert cannot be edited: {}", error)
        await self._store.settle(alert.id, alert.message_id, shown, closed=closing)

    async def _claim(self, shown: Shown) -> int | None:
        try:
            claimed = await self._store.claim(shown.match_id, shown)
        except StoreDown:
            self._unanswered.add(shown.match_id)
            raise
        if claimed is not None:  # else it may be ours, made after we had looked
            self._unanswered.discard(shown.match_id)
        return claimed

    async def _post(self, webhook: Webhook, claimed: int, step: Step, embed: Embed) -> None:
        """Claimed first, then sent: should the process die in between, or Discord's answer be lost, one alert is missed
        rather than told twice."""
        try:
            message_id = await webhook.post(embed)
        except Lost:
            await self._note(claimed, UNKNOWN, step.shown)
            raise
        except Busy:
            await self._note(claimed, None, step.shown)
            raise
        except Rejected as error:
            logger.error("an alert cannot be sent: {}. Check DISCORD_WEBHOOK_URL", error)
            await self._note(claimed, None, step.shown)
            raise Busy("the address does not work", 0) from None
        await self._note(claimed, message_id, step.shown)

    def _open_embed(self, step: Step, now: datetime) -> Embed:
        ages = {
            leg.offer.bookmaker: max(0, round(now.timestamp() - leg.offer.fetched_at))
            for one in self._found
            if one.match.id == step.shown.match_id
            for leg in one.bet.legs
        }
        return open_embed(step.shown, ages, self._language, now)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._webhook is not None:
            await self._webhook.close()
