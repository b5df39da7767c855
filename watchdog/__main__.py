"""python -m watchdog: watch, or tell the watchdog what you want of a scraper."""

import argparse
import asyncio
import getpass
import signal
import socket
import sys
import time
from functools import partial
from urllib.parse import urlsplit

import common.early  # noqa: F401 - before anything that takes time
from common import logs, settings
from common.discord import DiscordError, Webhook
from scrapers.errors import Refused
from store.rpc import Rpc, StoreDown
from store.watchdog import LEADER_PATIENCE, Place, WatchdogStore
from watchdog.causes import RUNS
from watchdog.policy import Policy, WatchdogSettings

PATIENCE = 180.0
SIMULATED = "/discord/api/webhooks/"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m watchdog", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("run", help="watch until stopped")
    commands.add_parser("alert-test", help="send a sample message to Discord")
    for name, help_ in (
        ("restart", "restart a scraper after its cycle in hand; not charged to its budget"),
        ("pause", "stop a scraper, and keep it stopped"),
        ("resume", "start it again"),
    ):
        commands.add_parser(name, help=help_).add_argument("scraper")
    arguments = parser.parse_args()
    try:
        logs.configure(settings.read(settings.LogSettings))
        match arguments.command:
            case "run":
                return asyncio.run(run())
            case "alert-test":
                return asyncio.run(alert_test())
            case command:
                return asyncio.run(wish(command, arguments.scraper))
    except (settings.BadSetting, StoreDown, Refused) as error:
        print(f"oddsfleet: {error}", file=sys.stderr)
        return 2


async def run() -> int:
    from watchdog.alerts import Alerts
    from watchdog.engine import Engine, Hints
    from watchdog.journal import Journal
    from watchdog.loop import Watchdog

    policy, where = settings.read(Policy), settings.read(WatchdogSettings)
    alerting, service = settings.read(settings.AlertSettings), settings.read(settings.ServiceSettings)
    loop, stopping = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    async with Rpc(settings.read(settings.StoreSettings)) as rpc:
        webhook = Webhook(alerting.discord_webhook_url) if alerting.discord_webhook_url else None
        store, journal = WatchdogStore(rpc, holder=socket.gethostname()), Journal(where.spool_dir)
        alerts = Alerts(webhook, store, journal, alerting.alert_language)
        engine = Engine(where.docker_url, where.project)
        watchdog = Watchdog(
            policy, where, store, engine=engine, alerts=alerts, journal=journal, progress_file=service.progress_file
        )
        Hints(where.docker_url, where.project, wake=partial(loop.call_soon_threadsafe, watchdog.hint))
        await watchdog.run(stopping)
        if webhook:
            await webhook.close()
    return 0


async def alert_test() -> int:
    from watchdog.words import test_embed

    alerting = settings.read(settings.AlertSettings)
    if not alerting.discord_webhook_url:
        print("DISCORD_WEBHOOK_URL is not set: put your webhook's address into .env and run `make up`.")
        return 1
    async with Webhook(alerting.discord_webhook_url) as webhook:
        try:
            await webhook.post(test_embed(alerting.alert_language, time.time()))
        except DiscordError as error:
            print(f"Discord did not take it: {error}")
            return 1
    print(f"Sent. {where_to_look(alerting.discord_webhook_url)}")
    return 0


def where_to_look(webhook: settings.Secret) -> str:
    """In the demo, the simulator takes Discord's place; its port is the same here as among the containers."""
    address = urlsplit(webhook.reveal())
    if not address.path.startswith(SIMULATED):
        return "Look at your Discord channel."
    return (
        f"The demo's simulator took it in place of Discord: http://127.0.0.1:{address.port}/_control/discord shows it."
    )


async def wish(command: str, scraper: str) -> int:
    """Written down first; the watchdog does it, and we wait for its word."""
    async with Rpc(settings.read(settings.StoreSettings)) as rpc:
        store = WatchdogStore(rpc, holder="operator")
        place = await find(store, scraper.removeprefix("scraper-"))
        if place is None:
            print(f"There is no scraper called {scraper}; `make list` shows them all.", file=sys.stderr)
            return 2
        unit = place.unit
        if len(place.scrapers) > 1:
            print(f"{unit} runs {', '.join(place.scrapers)} in turn: what is done to one is done to all.")
            if command == "pause" and unit not in scraper:
                print(f"Nothing is changed. `make pause S={unit}` stops all of them.", file=sys.stderr)
                return 2
        if command == "resume" and await runs_unpaused(store, unit):
            print(f"{unit} is not paused; it runs.")
            return 0
        desired = "paused" if command == "pause" else "run"
        key = await store.wish(unit, desired, restart=command != "pause", by=getpass.getuser())
        if command == "pause":
            print(f"{unit} is stopped by the watchdog after its cycle in hand. `make resume S={unit}` starts it again.")
        return await follow(store, key, unit)


async def find(store: WatchdogStore, name: str) -> Place | None:
    """Also by the name of its service, and also one that no watchdog has seen yet."""
    from scrapers import catalog

    key = name.replace("-", "_")
    seen = await store.place_of(name) or await store.place_of(key)
    return seen or (Place(key, (key,)) if any(book.name == key for book in catalog.BOOKMAKERS) else None)


async def runs_unpaused(store: WatchdogStore, unit: str) -> bool:
    """False also where Docker cannot be asked: then the watchdog is, which finds out."""
    from watchdog.engine import Engine, EngineDown
    from watchdog.observe import states

    where = settings.read(WatchdogSettings)
    if await store.desired(unit) == "paused":
        return False
    try:
        found = await asyncio.to_thread(states, Engine(where.docker_url, where.project))
    except EngineDown:
        return False
    return found.get(unit) in RUNS


async def follow(store: WatchdogStore, key: str | None, unit: str) -> int:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        state = await store.restart_state(key)
        if state.beat_age is None or state.beat_age > LEADER_PATIENCE:
            print("The watchdog is not at work, so nothing happens until it is: `make up` starts it.", file=sys.stderr)
            return 1
        if key is None:
            return 0
        match state.state:
            case "verified":
                print(f"{unit} runs and has brought odds.")
                return 0
            case "answered":
                print(f"{unit} runs, but brings no odds yet: `make status` tells why.")
                return 0
            case "failed":
                break
        await asyncio.sleep(0.5)
    print(f"{unit} was restarted, without a sign of it. `make logs S={unit}` tells more.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
