"""One round of the real loop, with the database's memory and Docker as small objects: shadow mode, the outside ping,
two watchdogs, and the sample message."""

import asyncio
import os
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from common.discord import Webhook, plain
from common.settings import Secret
from tests.conftest import ROOT, Simulator
from tests.watchdog.notes import Notes
from watchdog.alerts import Alerts
from watchdog.engine import Engine, EngineDown
from watchdog.journal import Journal
from watchdog.loop import Watchdog
from watchdog.model import Row
from watchdog.policy import Policy, WatchdogSettings

POLICY = Policy(poll=0.2, outage_after=0)
KTO = Row(scraper="kto", outcome="ok", heartbeat_age=500.0, success_age=500.0)


class Containers(Engine):
    """One container, kto's, which has shown no sign of life for long; what is done to it is noted."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.down = False

    def containers(self) -> list[dict[str, Any]]:
        if self.down:
            raise EngineDown("away, as the test wants it")
        started = datetime.fromtimestamp(time.time() - 3600, UTC).isoformat().replace("+00:00", "Z")
        return [
            {
                "Id": "a" * 64,
                "Created": started,
                "Name": "/oddsfleet-scraper-kto-1",
                "RestartCount": 0,
                "State": {"Status": "running", "StartedAt": started, "FinishedAt": "0001-01-01T00:00:00Z"},
                "Config": {"Labels": {"oddsfleet.scraper": "kto"}, "StopTimeout": 30},
            }
        ]

    @property
    def client(self) -> Any:  # noqa: ANN401
        raise OSError("no logs here")

    def restart(self, name: str, timeout: float) -> None:
        self.done.append(f"restart {name}")


class Ears:
    """Somebody outside who counts calls."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    async def hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.calls.append((await reader.readuntil(b"\r\n\r\n")).decode().splitlines()[0])
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        await writer.drain()
        writer.close()


@pytest.fixture
async def ears() -> AsyncIterator[tuple[Ears, str]]:
    heard = Ears()
    async with await asyncio.start_server(heard.hear, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield heard, f"http://127.0.0.1:{port}/ping/geheim"


@pytest.fixture
async def webhook(simulator: Simulator) -> AsyncIterator[Webhook]:
    async with Webhook(Secret(f"{simulator.url}/discord/api/webhooks/42/secret")) as webhook:
        yield webhook


class Round:
    """A watchdog, and what it has to do with."""

    def __init__(
        self,
        folder: Path,
        webhook: Webhook | None = None,
        *,
        policy: Policy = POLICY,
        row: Row = KTO,
        **settings: Any,  # noqa: ANN401
    ) -> None:
        self.notes, self.engine, self.journal = Notes(rows=(row,)), Containers(), Journal(folder)
        pulse = folder / "pulse"
        pulse.mkdir(exist_ok=True)
        (pulse / ("a" * 12)).touch()
        os.utime(pulse / ("a" * 12), (time.time() - 500, time.time() - 500))
        self.progress = folder / "progress"
        self.watchdog = Watchdog(
            policy,
            WatchdogSettings(pulse_dir=pulse, spool_dir=folder, summary_hour=24, **settings),
            self.notes,
            engine=self.engine,
            alerts=Alerts(webhook, self.notes, self.journal, "en"),
            journal=self.journal,
            progress_file=self.progress,
        )

    async def until(self, holds: Any) -> None:  # noqa: ANN401
        """Let it run, as its container does, until something holds."""
        stopping = asyncio.Event()
        running = asyncio.create_task(self.watchdog.run(stopping))
        async with asyncio.timeout(30):
            while not holds():  # noqa: ASYNC110 - of other processes and files too
                await asyncio.sleep(0.02)
        stopping.set()
        await running


async def test_a_hang_is_written_down_then_healed(tmp_path: Path, simulator: Simulator, webhook: Webhook) -> None:
    one = Round(tmp_path, webhook)
    await one.until(lambda: one.engine.done and simulator.discord())
    (decision,) = [decision for decision in one.notes.decisions if decision.actions]
    assert [event.state for event in decision.new_events] == ["intended"]
    assert one.engine.done == ["restart oddsfleet-scraper-kto-1"]
    assert one.progress.exists()


async def test_a_shadow_tells_what_it_would_do_and_does_nothing(
    tmp_path: Path, simulator: Simulator, webhook: Webhook
) -> None:
    shadow = Round(tmp_path, webhook, shadow="on")
    looks = 0

    def looked_often() -> bool:
        nonlocal looks
        looks += shadow.progress.exists()
        shadow.progress.unlink(missing_ok=True)
        return looks > 5 and bool(simulator.discord())

    await shadow.until(looked_often)
    assert shadow.engine.done == []
    assert [decision.new_events for decision in shadow.notes.decisions if decision.new_events] == []
    assert {control.circuit for decision in shadow.notes.decisions for control in decision.controls} <= {"closed"}
    (message,) = simulator.discord()
    assert message["embeds"][0]["title"] == "🔴 kto: hangs"
    assert message["embeds"][0]["footer"]["text"] == "shadow mode: nothing was done"


@pytest.mark.parametrize("shadow", ["off", "on"])
async def test_a_service_that_fell_silent_is_told_and_closed(
    tmp_path: Path, simulator: Simulator, webhook: Webhook, shadow: str
) -> None:
    silent = Row(scraper="json-generator", kind="service", error="KeyError: 1", heartbeat_age=7.0, success_age=500.0)
    # With a long grace, kto's container is no matter here.
    policy = Policy(poll=0.2, settle=0, start_grace=1e9, service_least=0.5, service_intervals=0.01)
    one = Round(tmp_path, webhook, policy=policy, row=silent, shadow=shadow)
    await one.until(simulator.discord)
    (embed,) = simulator.discord()[0]["embeds"]
    assert embed["title"] == f"🔴 {plain('json-generator')}: does not do its rounds"
    assert "`make logs S=json-generator`" in embed["description"]
    assert embed["fields"][0]["value"] == plain("no good round for 500 s: KeyError: 1")
    assert ("shadow" in embed["footer"]["text"]) == (shadow == "on")

    one.notes.rows = (msgspec.structs.replace(silent, success_age=0.1),)
    await one.until(lambda: "✅" in simulator.discord()[0]["embeds"][0]["title"])
    (message,) = simulator.discord()
    assert [field["name"] for field in message["embeds"][0]["fields"]] == ["Detail", "Duration"]
    assert one.engine.done == []


async def test_the_outside_is_pinged_while_everything_can_be_seen(tmp_path: Path, ears: tuple[Ears, str]) -> None:
    heard, url = ears
    blind = Round(tmp_path, heartbeat_url=Secret(url))
    blind.engine.down = True
    await blind.until(lambda: blind.journal.outage is not None and blind.progress.exists())
    assert heard.calls == []
    seeing = Round(tmp_path, heartbeat_url=Secret(url))
    await seeing.until(lambda: bool(heard.calls))
    assert heard.calls == ["GET /ping/geheim HTTP/1.1"]  # once a minute, not once a look


async def test_a_ping_that_fails_harms_nobody(tmp_path: Path) -> None:
    one = Round(tmp_path, heartbeat_url=Secret("http://127.0.0.1:1/x"))
    await one.until(lambda: bool(one.engine.done))


async def test_a_second_watchdog_neither_acts_nor_tells(tmp_path: Path, simulator: Simulator, webhook: Webhook) -> None:
    second = Round(tmp_path, webhook)
    second.notes.leads = False
    await second.until(second.progress.exists)
    second.progress.unlink()
    second.notes.away = True
    await second.until(second.progress.exists)
    assert (second.engine.done, second.notes.decisions, simulator.discord()) == ([], [], [])
    assert second.journal.outage is None


def alert_test(**environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "watchdog", "alert-test"],
        cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_sample_message_arrives_or_says_why_not(simulator: Simulator) -> None:
    address = f"{simulator.url}/discord/api/webhooks/42/geheim"
    done = alert_test(DISCORD_WEBHOOK_URL=address)
    assert done.returncode == 0, done.stderr
    assert "your Discord channel" not in done.stdout
    (sink,) = re.findall(r"http://\S+", done.stdout)
    assert [message["embeds"][0]["title"] for message in httpx.get(sink).json()] == ["🔔 Teste de alerta"]
    simulator.fault("discord", "500")
    refused = alert_test(DISCORD_WEBHOOK_URL=address)
    assert refused.returncode == 1
    assert "Discord answers 500" in refused.stdout
    assert "geheim" not in refused.stdout + refused.stderr
    missing = alert_test(DISCORD_WEBHOOK_URL="")
    assert missing.returncode == 1
    assert "DISCORD_WEBHOOK_URL is not set" in missing.stdout
