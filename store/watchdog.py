"""The watchdog's memory in the database: what it must not forget when it dies."""

from datetime import date

import msgspec

from store.rpc import Rpc
from watchdog.model import Control, Decision, Event, Incident, Row
from watchdog.policy import Policy

LEADER_PATIENCE = 30.0  # seconds of silence after which another watchdog takes over
CLAIM_PATIENCE = 120.0  # … after which another takes over a message
UNTOLD = 20


class Remembered(msgspec.Struct, frozen=True):
    now: float
    leads: bool
    rows: tuple[Row, ...]
    controls: tuple[Control, ...]
    events: tuple[Event, ...]
    incidents: tuple[Incident, ...]


class Recorded(msgspec.Struct, frozen=True):
    leads: bool
    new_events: tuple[str, ...]


class Untold(msgspec.Struct, frozen=True, kw_only=True):
    """An incident that has changed since the operator was last told of it."""

    id: str
    subject: str
    cause: str
    detail: str = ""
    opened_at: float
    healthy_at: float | None = None
    closed_at: float | None = None
    restarts: int = 0
    budget: str | None = None
    timeline: list[dict[str, object]] = []
    evidence: dict[str, object] = {}
    version: int = 1
    told_version: int = 0
    message_id: str | None = None
    claimed: bool = False  # by a teller that may have died while it sent
    grouped: bool = False  # under a root cause, which is told instead


class DayOfScraper(msgspec.Struct, frozen=True):
    scraper: str
    cycles: int
    good: int
    odds: int
    restarts: int


class Worst(msgspec.Struct, frozen=True):
    subject: str
    cause: str
    seconds: float


class Day(msgspec.Struct, frozen=True):
    scrapers: tuple[DayOfScraper, ...]
    incidents: int
    worst: Worst | None = None


class Place(msgspec.Struct, frozen=True):
    """The container that a scraper runs in, and all that it holds."""

    unit: str
    scrapers: tuple[str, ...]


class Wish(msgspec.Struct, frozen=True):
    desired: str


class RestartState(msgspec.Struct, frozen=True):
    state: str | None
    beat_age: float | None


class WatchdogStore:
    """Raises `StoreDown` while the database is away."""

    def __init__(self, rpc: Rpc, holder: str) -> None:
        self._rpc = rpc
        self._holder = holder

    async def observe(self, policy: Policy, *, shadow: bool) -> Remembered:
        answer = await self._rpc.call(
            "watchdog_observe",
            {
                "p_holder": self._holder,
                "p_shadow": shadow,
                "p_budget": policy.budget,
                "p_window": policy.window,
                "p_day": policy.day,
                "p_patience": LEADER_PATIENCE,
            },
        )
        return msgspec.convert(answer, Remembered)

    async def record(self, decision: Decision) -> Recorded:
        """Everything or nothing, before any of it is done."""
        parts = {
            "controls": decision.controls,
            "new_events": decision.new_events,
            "event_changes": decision.event_changes,
            "opened": decision.opened,
            "changed": decision.changed,
        }
        answer = await self._rpc.call("watchdog_record", {"p_holder": self._holder, "p_decision": parts})
        return msgspec.convert(answer, Recorded)

    async def untold(self) -> list[Untold]:
        return msgspec.convert(await self._rpc.call("watchdog_untold", {"p_limit": UNTOLD}), list[Untold])

    async def claim(self, incident: Untold) -> bool:
        arguments = {"p_incident": incident.id, "p_version": incident.version, "p_patience": CLAIM_PATIENCE}
        return bool(await self._rpc.call("watchdog_claim", arguments))

    async def told(self, incident: Untold, message_id: str | None) -> None:
        await self._rpc.call(
            "watchdog_told",
            {"p_incident": incident.id, "p_version": incident.version, "p_message_id": message_id},
        )

    async def give_back(self, incident: Untold, message_id: str | None = None) -> None:
        """Not told after all, or told in a message that has to be edited."""
        await self._rpc.call("watchdog_told", {"p_incident": incident.id, "p_version": 0, "p_message_id": message_id})

    async def keep_evidence(self, subject: str, evidence: dict[str, object]) -> None:
        await self._rpc.call("watchdog_evidence", {"p_subject": subject, "p_evidence": evidence})

    async def remember_outage(
        self, cause: str, detail: str, opened_at: float, closed_at: float, message_id: str | None
    ) -> None:
        await self._rpc.call(
            "watchdog_remember",
            {
                "p_cause": cause,
                "p_detail": detail,
                "p_opened_at": opened_at,
                "p_closed_at": closed_at,
                "p_message_id": message_id,
            },
        )

    async def wish(self, unit: str, desired: str, *, restart: bool, by: str) -> str | None:
        answer = await self._rpc.call(
            "watchdog_wish", {"p_unit": unit, "p_desired": desired, "p_restart": restart, "p_by": by}
        )
        return None if answer is None else str(answer)

    async def desired(self, unit: str) -> str:
        """What the operator wants of it: run or paused."""
        answer = await self._rpc.select("scraper_control", {"select": "desired", "unit": f"eq.{unit}"})
        return next((wish.desired for wish in msgspec.convert(answer, list[Wish])), "run")

    async def place_of(self, scraper: str) -> Place | None:
        """By the name of a scraper or of a unit; None where no watchdog has seen it."""
        return msgspec.convert(await self._rpc.call("watchdog_unit", {"p_scraper": scraper}), Place | None)

    async def restart_state(self, key: str | None) -> RestartState:
        return msgspec.convert(await self._rpc.call("watchdog_restart_state", {"p_key": key}), RestartState)

    async def day(self, day: date, *, claim: bool) -> Day | None:
        answer = await self._rpc.call("watchdog_summary", {"p_day": day.isoformat(), "p_claim": claim})
        return None if answer is None else msgspec.convert(answer, Day)
