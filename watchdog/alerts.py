"""Tells the operator: one message per incident, edited as it goes. What cannot be sent waits where it is written."""

from contextlib import suppress
from datetime import UTC, datetime

import msgspec
from loguru import logger

from common.discord import Busy, DiscordError, Embed, Gone, Webhook
from store.watchdog import Untold, WatchdogStore
from watchdog.journal import Journal, Outage
from watchdog.model import FLEET
from watchdog.words import day_embed, incident_embed


class Alerts:
    """Every method returns quietly when Discord is busy, and is called again later."""

    def __init__(self, webhook: Webhook | None, store: WatchdogStore, journal: Journal, language: str) -> None:
        self._webhook = webhook
        self._store = store
        self._journal = journal
        self._language = language
        # What the database does not know yet of an incident that was claimed here: its message, or None, not sent.
        self._unnoted: dict[str, str | None] = {}
        self._summary: Embed | None = None
        self._summary_day: int | None = None
        self.shadow = False

    async def tell_incidents(self) -> None:
        for shown in await self._store.untold():
            incident = await self._noted(shown)
            if incident.grouped and incident.message_id is None:
                await self._store.told(incident, None)  # its root cause is told instead
            elif incident.claimed and incident.message_id is None:
                # Whoever was sending it died on the way: sent or not, it is not sent twice. Its end will be told.
                await self._store.told(incident, None)
            elif await self._claim(incident) and not await self._tell(incident):
                return

    async def _noted(self, incident: Untold) -> Untold:
        """The database went away after a claim. What was sent is noted now, and edited instead of sent twice; what was
        not is sent."""
        if incident.id not in self._unnoted:
            return incident
        message_id = self._unnoted[incident.id]
        await self._store.give_back(incident, message_id)
        del self._unnoted[incident.id]
        return msgspec.structs.replace(incident, message_id=message_id or incident.message_id, claimed=False)

    async def _claim(self, incident: Untold) -> bool:
        self._unnoted[incident.id] = None  # even where the answer is lost
        claimed = await self._store.claim(incident)
        if not claimed:
            del self._unnoted[incident.id]
        return claimed

    async def _tell(self, incident: Untold) -> bool:
        """Whether Discord takes more."""
        try:
            message_id = await self._send(
                incident.message_id, incident_embed(incident, self._language, shadow=self.shadow)
            )
        except Busy as busy:
            logger.info("[alerts.tell] {}; {} waits", busy, incident.subject)
            await self._store.give_back(incident)
            del self._unnoted[incident.id]
            return False
        except DiscordError as error:
            logger.error("[alerts.tell] subject={} cannot be told: {}", incident.subject, error)
            message_id = incident.message_id
        self._unnoted[incident.id] = message_id
        await self._store.told(incident, message_id)
        del self._unnoted[incident.id]
        return True

    async def _send(self, message_id: str | None, embed: Embed) -> str | None:
        if self._webhook is None:
            logger.info("[alerts.send] {}", embed.title)
            return None
        if message_id is not None:
            with suppress(Gone):  # the operator deleted it: that is an answer
                await self._webhook.edit(message_id, embed)
            return message_id
        return await self._webhook.post(embed)

    async def tell_outage(self) -> None:
        """Works without the database."""
        outage = self._journal.outage
        if outage is None:
            return
        try:
            if outage.told == "no":
                outage.told = "telling"
                self._journal.keep()
                try:
                    outage.message_id = await self._send(outage.message_id, self._outage_embed(outage))
                except Busy:
                    outage.told = "no"
                    raise
                outage.told = "closed" if outage.closed_at else "yes"
                self._journal.keep()
            if outage.told == "yes" and outage.closed_at is not None:
                await self._send(outage.message_id, self._outage_embed(outage))
                outage.told = "closed"
                self._journal.keep()
        except Busy as busy:
            self._journal.keep()
            logger.info("[alerts.outage] {}; it waits", busy)
        except DiscordError as error:
            logger.error("[alerts.outage] cannot be told: {}", error)
            outage.told = "closed" if outage.closed_at else "yes"
            self._journal.keep()

    async def remember_outage(self) -> None:
        """Once told, an outage that is over goes into the database with the other incidents."""
        outage = self._journal.outage
        if outage is None or outage.closed_at is None or outage.told != "closed":
            return
        await self._store.remember_outage(outage.cause, "", outage.opened_at, outage.closed_at, outage.message_id)
        self._journal.forget()

    def _outage_embed(self, outage: Outage) -> Embed:
        shown = Untold(id="", subject=FLEET, cause=outage.cause, opened_at=outage.opened_at, closed_at=outage.closed_at)
        return incident_embed(shown, self._language, shadow=self.shadow)

    async def tell_day(self, hour: int, now: float) -> None:
        at = datetime.fromtimestamp(now, UTC)
        if self._summary is None and at.hour >= hour and self._summary_day != at.toordinal():
            day = await self._store.day(at.date(), claim=True)
            self._summary_day = at.toordinal()
            self._summary = day_embed(day, self._language, now) if day else None
        if self._summary is not None:
            try:
                await self._send(None, self._summary)
            except Busy:
                return
            except DiscordError as error:
                logger.error("[alerts.day] cannot be told: {}", error)
            self._summary = None
