"""The sidecars as processes: killed in the middle of an upload, stopped, and without a database."""

import gzip
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from sidecars.feed import Envelope
from tests.cycles import made_up_name, page_event
from tests.fleet import Fleet
from tests.processes import LoggedProcess
from tests.sidecars.conftest import HIGH_HOME, Books, Generators, Published
from tests.sidecars.cutting import CuttingProxy

pytestmark = pytest.mark.docker

MOMENTS = 10
MATCHES = 150


class Readers:
    """Visitors of the site who ask for the files again and again."""

    def __init__(self, fleet: Fleet) -> None:
        self.seen: list[str] = []
        self.wrong: list[str] = []
        self._fleet = fleet
        self._done = threading.Event()
        self._threads = [threading.Thread(target=self._read) for _ in range(2)]

    def _read(self) -> None:
        published = Published(self._fleet)
        last = ""
        while not self._done.is_set():
            try:
                envelope = msgspec.json.decode(published.get().content, type=Envelope)
                msgspec.json.decode(gzip.decompress(published.get("odds.json.gz").content), type=Envelope)
                rows = published.get("odds.csv").text.splitlines()
                if len(envelope.events) != MATCHES or len(rows) != MATCHES + 1:
                    self.wrong.append(f"{len(envelope.events)} events, {len(rows)} rows")
                if envelope.generated_at < last:
                    self.wrong.append(f"{envelope.generated_at} after {last}")
                last = envelope.generated_at
                self.seen.append(last)
            except Exception as error:  # noqa: BLE001 - whatever a visitor meets
                self.wrong.append(repr(error))
        published.close()

    @contextmanager
    def reading(self) -> Iterator[None]:
        for thread in self._threads:
            thread.start()
        try:
            yield
        finally:
            self._done.set()
            for thread in self._threads:
                thread.join()


def later(number: int) -> datetime:
    return (datetime.now(UTC) + timedelta(days=1)).replace(minute=0, second=0, microsecond=0) + timedelta(
        minutes=15 * number
    )


async def test_killed_at_any_moment_readers_see_whole_files_only(
    database: Fleet, books: Books, generators: Generators, published: Published
) -> None:
    events = [
        page_event(n, home=made_up_name(f"h{n}"), away=made_up_name(f"a{n}"), starts_at=later(n))
        for n in range(2, MATCHES + 1)
    ]
    await books.show("kto", HIGH_HOME, *events, expected_interval=3600.0)
    await (await generators.start()).round()

    # How much a whole round sends, to spread the moments over it.
    with CuttingProxy(database.supabase_url) as proxy:
        with LoggedProcess(database, "sidecars", "json-generator", SUPABASE_URL=proxy.url) as process:
            process.await_line(lambda line: "odds of" in line["event"])
        whole = proxy.passed

    readers = Readers(database)
    with readers.reading():
        for moment in range(MOMENTS):
            await books.show("kto", {**HIGH_HOME, "home": 3.3 + moment / 100}, *events, expected_interval=3600.0)
            with (
                CuttingProxy(database.supabase_url, after=whole * (moment + 0.5) / MOMENTS) as proxy,
                LoggedProcess(database, "sidecars", "json-generator", SUPABASE_URL=proxy.url) as process,
            ):
                proxy.then(lambda process=process: process.send(signal.SIGKILL))  # type: ignore[misc]
                assert process.await_exit() == -signal.SIGKILL
        # And the next one carries on.
        with LoggedProcess(database, "sidecars", "json-generator") as process:
            process.await_line(lambda line: "odds of" in line["event"])
    assert readers.wrong == []
    assert len(readers.seen) > 2 * MOMENTS
    newest = msgspec.json.decode(published.get().content, type=Envelope)
    assert max(event.best["h2h"]["home"].price for event in newest.events) == pytest.approx(3.3 + (MOMENTS - 1) / 100)


async def test_sigterm_ends_it_after_the_round_in_hand(database: Fleet, books: Books) -> None:
    await books.show("kto", HIGH_HOME)
    for command, said in (("json-generator", "odds of"), ("cleanup", "deleted")):
        with LoggedProcess(database, "sidecars", command, "--interval", "60") as process:
            process.await_line(lambda line, said=said: said in line["event"])  # type: ignore[misc]
            process.send(signal.SIGTERM)
            assert process.await_exit() == 0
            assert process.lines[-1]["event"] == "stopped"


async def test_while_the_database_is_away_they_wait_and_say_so_once(
    database: Fleet, books: Books, published: Published
) -> None:
    await books.show("kto", HIGH_HOME, expected_interval=3600.0)
    with (
        LoggedProcess(database, "sidecars", "json-generator", "--interval", "0.2") as generator,
        LoggedProcess(database, "sidecars", "cleanup", "--interval", "0.2") as cleanup,
    ):
        generator.await_line(lambda line: "odds of" in line["event"])
        cleanup.await_line(lambda line: "deleted" in line["event"])
        database.compose("stop", "--timeout", "0", "db")
        for process in (generator, cleanup):
            process.await_line(lambda line: "waiting for Supabase" in line["event"])
        database.start("supabase")
        for process in (generator, cleanup):
            process.await_line(lambda line: "Supabase is back" in line["event"])
        assert published.odds()["events"], "the file stays where it was"
        await books.show("kto", {**HIGH_HOME, "home": 3.33}, expected_interval=3600.0)
        generator.await_line(lambda line: "odds of" in line["event"])
        for process in (generator, cleanup):
            process.send(signal.SIGTERM)
            assert process.await_exit() == 0
            outages = [line for line in process.lines if "waiting for Supabase" in line["event"]]
            assert len(outages) <= 2, "once when it goes, and once more if it flickers while it comes back"
            assert not [line for line in process.lines if line["level"] == "error"]
        events = [line["event"] for line in cleanup.lines]
        waiting = next(at for at, event in enumerate(events) if "waiting for Supabase" in event)
        assert events[waiting + 1] == "Supabase is back", "and then what was deleted"


async def test_a_bad_setting_stops_it_at_once(database: Fleet) -> None:
    with LoggedProcess(database, "sidecars", "json-generator", SUREBET_BANK="many") as process:
        assert process.await_exit() == 2
    assert "SUREBET_BANK" in process.lines[-1]["event"]


async def test_a_dry_run_ends_by_itself(database: Fleet) -> None:
    with LoggedProcess(database, "sidecars", "cleanup", "--dry-run") as process:
        assert process.await_exit() == 0
    assert "nothing was deleted" in process.lines[-1]["event"]
