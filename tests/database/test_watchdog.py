"""The watchdog's memory, on the real database: decided once, told once, and the operator's wishes kept."""

import asyncio
import uuid
from datetime import UTC, datetime

import msgspec
import pytest

from store.beats import beat
from store.rpc import Rpc
from store.status import read_status
from store.watchdog import Place, Remembered, WatchdogStore
from store.writer import Writer
from tests.cycles import cycle, page_event
from tests.fleet import Fleet
from watchdog.model import Changed, Control, Decision, Event, EventChange, Memory, Opened
from watchdog.policy import Policy

pytestmark = pytest.mark.docker
POLICY = Policy()


@pytest.fixture
async def store(fleet: Fleet, rpc: Rpc) -> WatchdogStore:
    fleet.sql("truncate watchdog_heartbeat, incidents, restart_events, scraper_control")
    store = WatchdogStore(rpc, holder="first")
    await look(store)
    return store


async def look(store: WatchdogStore) -> Remembered:
    return await store.observe(POLICY, shadow=False)


def decision(**parts: object) -> Decision:
    return msgspec.convert({"memory": Memory(), **parts}, Decision, from_attributes=True)


def restart(unit: str, key: str = "", **changes: object) -> Event:
    values = {"made_by": "watchdog", "cause": "hang", "charged": True, "state": "intended", "run": "run-1", **changes}
    return Event(key=key or f"key-{uuid.uuid4()}", unit=unit, **values)  # type: ignore[arg-type]


def hang(subject: str) -> Opened:
    return Opened(subject=subject, cause="hang", detail="quiet", budget="1/5", restarts=1, evidence={"log": ["a", "b"]})


async def test_a_decision_is_remembered_whole(store: WatchdogStore) -> None:
    event, control = restart("kto"), Control(unit="kto", circuit="open", circuit_until=2e9, openings=2, started_at=1.25)
    recorded = await store.record(decision(controls=(control,), new_events=(event,), opened=(hang("kto"),)))
    assert recorded.new_events == (event.key,)
    seen = await look(store)
    assert seen.controls == (control,)
    assert [(e.key, e.state, e.run, seen.now - e.at < 60) for e in seen.events] == [
        (event.key, "intended", "run-1", True)
    ]
    assert [(i.subject, i.cause, i.restarts) for i in seen.incidents] == [("kto", "hang", 1)]


async def test_a_restart_is_decided_once(store: WatchdogStore) -> None:
    event = restart("kto")
    answers = await asyncio.gather(*(store.record(decision(new_events=(event,))) for _ in range(5)))
    assert sorted(answer.new_events for answer in answers) == [(), (), (), (), (event.key,)]


async def test_one_incident_is_open_per_subject(store: WatchdogStore, fleet: Fleet) -> None:
    await asyncio.gather(*(store.record(decision(opened=(hang("kto"),))) for _ in range(5)))
    assert fleet.value("select count(*) from incidents") == "1"


async def test_only_one_watches(store: WatchdogStore, rpc: Rpc, fleet: Fleet) -> None:
    second = WatchdogStore(rpc, holder="second")
    assert not (await look(second)).leads
    assert not (await second.record(decision(new_events=(restart("kto"),)))).leads
    assert fleet.value("select count(*) from restart_events") == "0"
    fleet.sql("update watchdog_heartbeat set beat_at = now() - interval '1 minute' where singleton")
    assert (await look(second)).leads
    assert not (await look(store)).leads


async def test_a_message_is_claimed_by_one(store: WatchdogStore) -> None:
    await store.record(decision(opened=(hang("kto"),)))
    (untold,) = await store.untold()
    assert untold.evidence == {"log": ["a", "b"]}
    assert sorted(await asyncio.gather(*(store.claim(untold) for _ in range(8)))) == [False] * 7 + [True]
    await store.give_back(untold)
    assert await store.claim(untold)
    await store.told(untold, "42")
    assert await store.untold() == []
    (incident,) = (await look(store)).incidents
    close = Changed(id=incident.id, cause="hang", detail="quiet", budget="", restarts=1, healthy_at=1.0, closed=True)
    await store.record(decision(changed=(close,)))
    (untold,) = await store.untold()
    assert (untold.message_id, untold.claimed, untold.closed_at is not None) == ("42", False, True)


async def test_an_edit_does_not_wait_for_a_teller_that_died(store: WatchdogStore) -> None:
    await store.record(decision(opened=(hang("kto"),)))
    (untold,) = await store.untold()
    assert await store.claim(untold)
    await store.give_back(untold, "42")
    (again,) = await store.untold()
    assert (again.message_id, again.claimed) == ("42", False)
    assert await store.claim(again)  # … and dies
    assert await store.claim(again)


async def test_what_changes_while_it_is_told_is_told_again(store: WatchdogStore) -> None:
    await store.record(decision(opened=(hang("kto"),)))
    (untold,) = await store.untold()
    assert await store.claim(untold)
    await store.keep_evidence("kto", {"stacks": "File faulty.py"})
    await store.told(untold, "42")
    (again,) = await store.untold()
    assert (again.version, again.evidence) == (2, {"log": ["a", "b"], "stacks": "File faulty.py"})


async def test_wishes_are_kept_and_never_overwritten(store: WatchdogStore) -> None:
    key = await store.wish("kto", "paused", restart=False, by="joana")
    assert key is None
    await store.record(decision(controls=(Control(unit="kto", restart_count=3),)))
    (control,) = (await look(store)).controls
    assert (control.desired, control.restart_count) == ("paused", 3)
    key = await store.wish("kto", "run", restart=True, by="joana")
    (event,) = (await look(store)).events
    assert (event.key, event.state, event.charged, event.made_by) == (key, "requested", False, "operator")
    assert (await store.restart_state(key)).state == "requested"


async def test_the_status_shows_cause_budget_and_circuit(store: WatchdogStore, rpc: Rpc, writer: Writer) -> None:
    name = writer._book.name
    await writer.write(cycle(name, page_event(1, prefix=name)))
    old, new = restart(name), restart(name)
    await store.record(
        decision(
            controls=(Control(unit=name, circuit="half_open"),), new_events=(old, new), opened=(hang(name),),
            event_changes=(EventChange(key=old.key, state="failed", note="why"),),
        )
    )  # fmt: skip
    (row,) = [row for row in await read_status(rpc) if row.scraper_name == name]
    assert (row.cause, row.restarts_used, row.restart_budget, row.circuit) == ("hang", 2, POLICY.budget, "half_open")


async def test_in_sequence_the_status_is_of_the_container_that_many_share(
    store: WatchdogStore, rpc: Rpc, writer: Writer
) -> None:
    name, other = writer._book.name, "another"
    await writer.write(cycle(name, page_event(1, prefix=name)))
    parallel, shared = (
        Control(unit=name, scrapers=(name,)),
        Control(unit="seq-x", circuit="open", scrapers=(name, other)),
    )

    async def shown() -> tuple[str | None, int | None, str, str]:
        (row,) = [row for row in await read_status(rpc) if row.scraper_name == name]
        return row.cause, row.restarts_used, row.circuit, row.desired

    await store.record(decision(controls=(parallel,)))
    await store.wish(name, "paused", restart=False, by="joana")
    assert await shown() == (None, 0, "closed", "paused")
    assert await store.place_of(name) == Place(name, (name,))

    await store.record(decision(controls=(shared,), new_events=(restart("seq-x"),), opened=(hang("seq-x"),)))
    assert await shown() == ("hang", 1, "open", "run")
    assert await store.place_of(name) == await store.place_of("seq-x") == Place("seq-x", (name, other))

    await store.record(decision(controls=(parallel,)))
    assert (await shown())[2:] == ("closed", "paused"), "the mode was switched back"
    assert await store.place_of("nobody") is None


async def test_the_day_is_summed_up_once(store: WatchdogStore, writer: Writer, fleet: Fleet) -> None:
    name, today = writer._book.name, datetime.now(UTC).date()
    await writer.write(cycle(name, page_event(1, prefix=name)))
    await store.record(decision(opened=(hang(name),), new_events=(restart(name),)))
    days = await asyncio.gather(*(store.day(today, claim=True) for _ in range(4)))
    (day,) = [day for day in days if day]
    (row,) = [row for row in day.scrapers if row.scraper == name]
    assert (row.cycles, row.good, row.restarts, row.odds > 0) == (1, 1, 1, True)
    assert day.worst
    assert day.incidents == 1


async def test_a_day_without_a_cycle_is_not_taken(store: WatchdogStore, writer: Writer, fleet: Fleet) -> None:
    name, today = writer._book.name, datetime.now(UTC).date()
    fleet.sql("truncate scraper_cycles")
    assert await store.day(today, claim=True) is None
    await writer.write(cycle(name, page_event(1, prefix=name)))
    assert await store.day(today, claim=True)


async def test_the_day_is_of_scrapers_with_the_restarts_of_their_container(
    store: WatchdogStore, rpc: Rpc, writer: Writer, fleet: Fleet
) -> None:
    name, waits, today = writer._book.name, f"t{uuid.uuid4().hex[:12]}", datetime.now(UTC).date()
    await writer.write(cycle(name, page_event(1, prefix=name)))
    beat = {"p_service": f"{waits}-service", "p_interval": 30, "p_error": None, "p_ms": 1, "p_count": 0, "p_extra": {}}
    await rpc.call("service_beat", beat)
    fleet.sql(f"insert into scraper_status (scraper_name, status) values ('{waits}', 'waiting')")
    shared = Control(unit="seq-x", scrapers=(name, waits))
    await store.record(decision(controls=(shared,), new_events=(restart("seq-x"),)))
    day = await store.day(today, claim=True)
    fleet.sql(f"delete from scraper_status where scraper_name like '{waits}%'")
    assert day
    (row,) = [row for row in day.scrapers if row.scraper == name]
    assert (row.cycles, row.restarts) == (1, 1)
    assert not [row.scraper for row in day.scrapers if row.scraper.startswith(waits)]


async def test_the_habit_of_an_empty_scraper_is_told(store: WatchdogStore, writer: Writer) -> None:
    name = writer._book.name
    for _ in range(3):
        await writer.write(cycle(name, page_event(1, prefix=name)))
    for _ in range(3):
        await writer.write(cycle(name, outcome="empty"))
    (row,) = [row for row in (await look(store)).rows if row.scraper == name]
    assert (row.outcome, row.failures, row.habit) == ("empty", 3, 1.0)


async def test_services_are_told_apart_and_the_watchdog_is_not_among_them(
    store: WatchdogStore, rpc: Rpc, writer: Writer, fleet: Fleet
) -> None:
    name = writer._book.name
    service = f"{name}-service"
    await writer.write(cycle(name, page_event(1, prefix=name)))
    await beat(rpc, service, 15)
    await beat(rpc, service, 15, error="KeyError: 1")
    rows = {row.scraper: row for row in (await look(store)).rows}
    fleet.sql(f"delete from scraper_status where scraper_name = '{service}'")
    assert rows[name].kind == "scraper"
    told = rows[service]
    assert (told.kind, told.interval, told.failures, told.error) == ("service", 15.0, 1, "KeyError: 1")
    assert told.heartbeat_age is not None
    assert told.success_age is not None
    assert told.success_age > told.heartbeat_age
    assert not {"watchdog", "first"} & rows.keys()


async def test_the_migration_runs_twice(fleet: Fleet, store: WatchdogStore) -> None:
    await store.record(decision(opened=(hang("kto"),)))
    again = "PGPASSWORD=$(cat /run/secrets/postgres_password) psql -Xq -v ON_ERROR_STOP=1 -h db -U postgres"
    fleet.compose(
        "run", "--rm", "--no-deps", "--entrypoint", "bash", "migrate", "-c", f"{again} -f /sql/008_watchdog.sql"
    )
    assert len((await look(store)).incidents) == 1
