"""What a button asks the watchdog for, and when there is nothing to ask."""

import httpx
import pytest

from common.settings import DashboardSettings, Secret
from dashboard.access import COOKIE, Access
from dashboard.app import Site
from dashboard.docker import Docker
from dashboard.feed import Feed
from dashboard.health import Health
from dashboard.model import Container
from dashboard.source import Source
from store.dashboard import DashboardStore, State
from store.watchdog import WatchdogStore
from tests.dashboard.rows import NOW, row

TOKEN = "correct horse battery"
HERE = "http://127.0.0.1"


class Fleet(DashboardStore, Docker, WatchdogStore):
    """One scraper: what the database and Docker say of it, and what is asked for."""

    def __init__(self, desired: str, state: str) -> None:
        self._desired, self._state = desired, state
        self.wishes: list[tuple[str, str, bool]] = []

    async def state(self) -> State:
        return State(now=NOW, rows=(row("kto", desired=self._desired),))

    async def containers(self) -> tuple[Container, ...]:
        return (Container(name="kto-1", service="scraper-kto", state=self._state, scrapers=("kto",)),)

    async def wish(self, unit: str, desired: str, *, restart: bool, by: str) -> str | None:
        self.wishes.append((unit, desired, restart))
        return "key"


async def press(fleet: Fleet, action: str) -> httpx.Response:
    access = Access(Secret(TOKEN), lambda: NOW)
    source = Source(fleet, fleet, poll=2.0)
    site = Site(source, Feed(source), Health(source, fleet, ()), access, fleet)
    session = access.log_in(TOKEN)
    assert session
    transport = httpx.ASGITransport(site.application(DashboardSettings()))
    async with httpx.AsyncClient(transport=transport, base_url=HERE, cookies={COOKIE: session}) as reader:
        form = {"csrf": access.form_token(session)}
        return await reader.post(f"/scraper/kto/{action}", data=form, headers={"origin": HERE})


async def test_nothing_is_asked_of_what_runs_and_is_not_paused() -> None:
    fleet = Fleet("run", "running")
    assert (await press(fleet, "resume")).headers["location"] == "/scraper/kto?asked=nothing"
    assert fleet.wishes == []


@pytest.mark.parametrize(("desired", "state"), [("paused", "running"), ("paused", "exited"), ("run", "exited")])
async def test_what_is_paused_or_stopped_is_resumed(desired: str, state: str) -> None:
    fleet = Fleet(desired, state)
    assert (await press(fleet, "resume")).headers["location"] == "/scraper/kto?asked=resume"
    assert fleet.wishes == [("kto", "run", True)]
