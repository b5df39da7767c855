"""One message per incident and per outage, whoever goes away on the way: Discord, the database, or the teller."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from common.discord import Webhook
from common.settings import Secret
from store.rpc import StoreDown
from store.watchdog import Untold
from tests.conftest import Simulator
from tests.watchdog.notes import NOW, Notes
from watchdog.alerts import Alerts
from watchdog.journal import Journal
from watchdog.model import Cause

NOON = 12 * 3600.0  # of the first day of 1970
DAY = 86400.0


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def webhook(simulator: Simulator, clock: Clock) -> AsyncIterator[Webhook]:
    async with Webhook(Secret(f"{simulator.url}/discord/api/webhooks/42/secret"), clock=clock) as webhook:
        yield webhook


@pytest.fixture
def notes() -> Notes:
    return Notes(Untold(id="1", subject="kto", cause="hang", detail="quiet", opened_at=NOW))


def teller(webhook: Webhook, notes: Notes, folder: Path) -> Alerts:
    """As after a start: what it knows is in the database and on the disk."""
    return Alerts(webhook, notes, Journal(folder), "en")


def titles(simulator: Simulator) -> list[str]:
    return [message["embeds"][0]["title"] for message in simulator.discord()]


async def test_an_incident_is_one_message_from_beginning_to_end(
    simulator: Simulator, webhook: Webhook, notes: Notes, tmp_path: Path
) -> None:
    alerts = teller(webhook, notes, tmp_path)
    for _ in range(3):
        await alerts.tell_incidents()
    assert titles(simulator) == ["🔴 kto: hangs"]
    notes.close("1")
    for _ in range(3):
        await alerts.tell_incidents()
    assert titles(simulator) == ["✅ kto: hangs – recovered"]
    assert len(simulator.discord()[0]["edits"]) == 1


async def test_a_teller_that_died_while_sending_sends_nothing_twice(
    simulator: Simulator, webhook: Webhook, notes: Notes, tmp_path: Path
) -> None:
    notes.change("1", claimed=True)
    alerts = teller(webhook, notes, tmp_path)
    await alerts.tell_incidents()
    assert titles(simulator) == []
    notes.close("1")
    await alerts.tell_incidents()
    assert titles(simulator) == ["✅ kto: hangs – recovered"]


async def test_a_database_that_goes_away_after_the_message_makes_no_second_one(
    simulator: Simulator, webhook: Webhook, notes: Notes, tmp_path: Path
) -> None:
    alerts = teller(webhook, notes, tmp_path)
    notes.away_for = {"told"}
    with pytest.raises(StoreDown):
        await alerts.tell_incidents()
    notes.away_for = set()
    notes.close("1")
    for _ in range(2):
        await alerts.tell_incidents()
    assert titles(simulator) == ["✅ kto: hangs – recovered"]
    assert await notes.untold() == []


@pytest.mark.parametrize(("away_for", "goes_away_after"), [({"give_back"}, set()), (set(), {"claim"})])
async def test_a_database_that_goes_away_before_the_message_loses_none(
    simulator: Simulator,
    webhook: Webhook,
    notes: Notes,
    clock: Clock,
    tmp_path: Path,
    away_for: set[str],
    goes_away_after: set[str],
) -> None:
    """Discord refuses, and the claim cannot be given back; or it was made, and its answer is lost."""
    alerts = teller(webhook, notes, tmp_path)
    simulator.fault("discord", "500", count=1)
    notes.away_for, notes.goes_away_after = away_for, goes_away_after
    with pytest.raises(StoreDown):
        await alerts.tell_incidents()
    assert notes.incidents["1"].claimed
    notes.away_for = notes.goes_away_after = set()
    for _ in range(3):
        clock.now += 10
        await alerts.tell_incidents()
    assert titles(simulator) == ["🔴 kto: hangs"]
    assert await notes.untold() == []


async def test_what_discord_refuses_waits_and_is_told_later(
    simulator: Simulator, webhook: Webhook, notes: Notes, clock: Clock, tmp_path: Path
) -> None:
    """Also what it may have taken: an incident that is told twice is better than one that nobody hears of."""
    alerts = teller(webhook, notes, tmp_path)
    for fault in ("429", "500", "drop"):
        simulator.fault("discord", fault, count=1, retry_after=2)
        await alerts.tell_incidents()
        assert titles(simulator) == []
        clock.now += 10
    await alerts.tell_incidents()
    assert titles(simulator) == ["🔴 kto: hangs"]


async def test_what_has_a_root_cause_is_not_told_apart(
    simulator: Simulator, webhook: Webhook, notes: Notes, tmp_path: Path
) -> None:
    notes.change("1", grouped=True)
    alerts = teller(webhook, notes, tmp_path)
    await alerts.tell_incidents()
    notes.close("1")
    await alerts.tell_incidents()
    assert titles(simulator) == []
    assert await notes.untold() == []


async def test_an_outage_is_told_once_over_restarts_of_the_watchdog(
    simulator: Simulator, webhook: Webhook, notes: Notes, tmp_path: Path
) -> None:
    notes.away = True
    for number in range(3):
        journal = Journal(tmp_path)
        journal.begin(Cause.DATABASE_DOWN, NOW + number)
        await Alerts(webhook, notes, journal, "en").tell_outage()
    assert titles(simulator) == ["🔴 Fleet: database away"]
    notes.away = False
    Journal(tmp_path).end(NOW + 90)
    for _ in range(2):
        alerts = teller(webhook, notes, tmp_path)
        await alerts.tell_outage()
        await alerts.remember_outage()
    assert titles(simulator) == ["✅ Fleet: database away – recovered"]
    assert notes.remembered == [("database_down", NOW, NOW + 90, simulator.discord()[0]["id"])]
    assert Journal(tmp_path).outage is None


async def test_an_outage_that_comes_back_turns_its_message_red_again(
    simulator: Simulator, webhook: Webhook, notes: Notes, tmp_path: Path
) -> None:
    journal = Journal(tmp_path)
    alerts = Alerts(webhook, notes, journal, "en")
    journal.begin(Cause.DATABASE_DOWN, NOW)
    await alerts.tell_outage()
    journal.end(NOW + 30)
    await alerts.tell_outage()
    assert titles(simulator) == ["✅ Fleet: database away – recovered"]
    journal.begin(Cause.DATABASE_DOWN, NOW + 40)  # before it could be remembered
    await alerts.tell_outage()
    assert titles(simulator) == ["🔴 Fleet: database away"]
    journal.end(NOW + 90)
    await alerts.tell_outage()
    await alerts.remember_outage()
    assert titles(simulator) == ["✅ Fleet: database away – recovered"]
    assert [(opened, closed) for _, opened, closed, _ in notes.remembered] == [(NOW, NOW + 90)]


async def test_an_outage_waits_for_discord_too(
    simulator: Simulator, webhook: Webhook, notes: Notes, clock: Clock, tmp_path: Path
) -> None:
    journal = Journal(tmp_path)
    journal.begin(Cause.DOCKER_DOWN, NOW)
    simulator.fault("discord", "500", count=1)
    await Alerts(webhook, notes, journal, "en").tell_outage()
    assert titles(simulator) == []
    clock.now += 10
    await teller(webhook, notes, tmp_path).tell_outage()
    assert titles(simulator) == ["🔴 Fleet: Docker does not answer"]


async def test_a_disk_that_is_full_keeps_no_outage_from_being_told(
    simulator: Simulator, webhook: Webhook, notes: Notes
) -> None:
    journal = Journal(Path("/proc/oddsfleet-no-such-place"))
    journal.begin(Cause.DATABASE_DOWN, NOW)
    alerts = Alerts(webhook, notes, journal, "en")
    for _ in range(2):
        await alerts.tell_outage()
    journal.end(NOW + 5)
    await alerts.tell_outage()
    assert titles(simulator) == ["✅ Fleet: database away – recovered"]


async def test_the_day_is_told_once_at_its_hour_whatever_is_away(
    simulator: Simulator, webhook: Webhook, notes: Notes, clock: Clock, tmp_path: Path
) -> None:
    alerts = teller(webhook, notes, tmp_path)
    await alerts.tell_day(12, NOON - 1)
    assert titles(simulator) == []
    notes.away_for = {"day"}
    with pytest.raises(StoreDown):
        await alerts.tell_day(12, NOON)
    notes.away_for = set()
    simulator.fault("discord", "429", count=1, retry_after=5)
    await alerts.tell_day(12, NOON + 5)
    assert titles(simulator) == []
    clock.now += 10
    for later in (10, 20, 30):
        await alerts.tell_day(12, NOON + later)
    await teller(webhook, notes, tmp_path).tell_day(12, NOON + 60)
    assert titles(simulator) == ["📊 Daily summary"]
    assert "kto: 100.0 % up, 1200 odds, 1 restarts" in simulator.discord()[0]["embeds"][0]["description"]
    await alerts.tell_day(12, NOON + DAY)
    assert len(titles(simulator)) == 2
