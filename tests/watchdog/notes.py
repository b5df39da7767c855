"""The database's memory as a small object, which can be away: for what the loop and the messages do about it."""

from datetime import date

import msgspec

from store.rpc import StoreDown
from store.watchdog import Day, DayOfScraper, Recorded, Remembered, Untold, WatchdogStore
from watchdog.model import Decision, Event, Incident, Row
from watchdog.policy import Policy

NOW = 1_000_000.0


class Notes(WatchdogStore):
    """Claims and versions as sql/008_watchdog.sql keeps them; tests/database has the real ones."""

    def __init__(self, *incidents: Untold, rows: tuple[Row, ...] = ()) -> None:
        self.incidents = {incident.id: incident for incident in incidents}
        self.rows = rows
        self.leads = True
        self.away = False
        self.away_for: set[str] = set()  # … to these calls only
        self.goes_away_after: set[str] = set()  # … these are done, and their answer is lost
        self.remembered: list[tuple[str, float, float, str | None]] = []
        self.days: set[date] = set()
        self.decisions: list[Decision] = []
        self.events: list[Event] = []

    def _ask(self, call: str) -> None:
        if self.away or call in self.away_for:
            raise StoreDown("away, as the test wants it")

    async def observe(self, policy: Policy, *, shadow: bool) -> Remembered:
        self._ask("observe")
        still_open = tuple(
            Incident(
                id=each.id, subject=each.subject, cause=each.cause, opened_at=each.opened_at, healthy_at=each.healthy_at
            )
            for each in self.incidents.values()
            if each.closed_at is None
        )
        return Remembered(NOW, self.leads, self.rows, (), tuple(self.events), still_open)

    async def record(self, decision: Decision) -> Recorded:
        self._ask("record")
        self.decisions.append(decision)
        self.events += decision.new_events
        for opened in decision.opened:
            self.incidents[opened.subject] = Untold(
                id=opened.subject, subject=opened.subject, cause=opened.cause, detail=opened.detail, opened_at=NOW
            )
        for changed in decision.changed:
            self.change(changed.id, healthy_at=changed.healthy_at)
            if changed.closed:
                self.close(changed.id)
        return Recorded(self.leads, tuple(event.key for event in decision.new_events))

    async def untold(self) -> list[Untold]:
        self._ask("untold")
        return [incident for incident in self.incidents.values() if incident.told_version < incident.version]

    async def claim(self, incident: Untold) -> bool:
        self._ask("claim")
        kept = self.incidents[incident.id]
        if kept.claimed and kept.message_id is None:
            return False
        self.change(incident.id, claimed=True)
        if "claim" in self.goes_away_after:
            raise StoreDown("away, as the test wants it")
        return True

    async def told(self, incident: Untold, message_id: str | None) -> None:
        self._ask("told")
        kept = self.incidents[incident.id]
        self.change(
            incident.id, claimed=False, told_version=max(kept.told_version, incident.version),
            message_id=message_id or kept.message_id,
        )  # fmt: skip

    async def give_back(self, incident: Untold, message_id: str | None = None) -> None:
        self._ask("give_back")
        self.change(incident.id, claimed=False, message_id=message_id or self.incidents[incident.id].message_id)

    async def keep_evidence(self, subject: str, evidence: dict[str, object]) -> None:
        self._ask("evidence")
        self.change(subject, evidence=evidence)

    async def remember_outage(
        self, cause: str, detail: str, opened_at: float, closed_at: float, message_id: str | None
    ) -> None:
        self._ask("remember")
        self.remembered.append((cause, opened_at, closed_at, message_id))

    async def day(self, day: date, *, claim: bool) -> Day | None:
        self._ask("day")
        if day in self.days:
            return None
        self.days.add(day)
        return Day((DayOfScraper("kto", 10, 10, 1200, 1),), 1)

    def change(self, identity: str, **changes: object) -> None:
        self.incidents[identity] = msgspec.structs.replace(self.incidents[identity], **changes)

    def close(self, identity: str) -> None:
        self.change(identity, closed_at=NOW + 60, version=self.incidents[identity].version + 1)
