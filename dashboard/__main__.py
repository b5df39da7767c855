"""python -m dashboard: the status page, /health and /metrics, until SIGTERM."""

import argparse
import asyncio
import signal
import socket
import sys
import time
from pathlib import Path
from types import FrameType

import uvicorn
from loguru import logger

from common import logs, settings
from dashboard.access import Access
from dashboard.app import Site
from dashboard.docker import Docker
from dashboard.feed import Feed
from dashboard.health import Health
from dashboard.source import Source
from store.dashboard import DashboardStore
from store.rpc import Rpc
from store.watchdog import WatchdogStore

GRACE = 2  # seconds for answers in hand
TOUCH = 5.0  # seconds between two signs of life
STORE_TIMEOUT = 4.0  # a page that waits longer is no page


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m dashboard", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", default=8080, type=int, help="0 takes a free one (default: %(default)s)")
    given = parser.parse_args()
    # uvicorn raises the signal once more after its clean end, which would make that end look like a death.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, leave)
    try:
        logs.configure(settings.read(settings.LogSettings))
        family = socket.AF_INET6 if ":" in given.host else socket.AF_INET
        with socket.create_server((given.host, given.port), family=family, backlog=512) as listener:
            asyncio.run(serve(listener))
    except settings.BadSetting as bad:
        print(f"oddsfleet: {bad}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"dashboard: cannot listen on {given.host} port {given.port}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


async def serve(listener: socket.socket) -> None:
    own, service = settings.read(settings.DashboardSettings), settings.read(settings.ServiceSettings)
    docker = Docker(own.look_socket)
    async with Rpc(settings.read(settings.StoreSettings), timeout=STORE_TIMEOUT) as rpc:
        store = DashboardStore(rpc)
        source = Source(store, docker, own.poll)
        feed = Feed(source)
        site = Site(
            source,
            feed,
            Health(source, store, own.outside_places),
            Access(own.token, time.time),
            WatchdogStore(rpc, holder="dashboard"),
        )
        config = uvicorn.Config(
            site.application(own),
            ws="none",
            lifespan="off",
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,  # the reader's address decides nothing here
            timeout_graceful_shutdown=GRACE,
        )
        tasks = [asyncio.create_task(feed.run()), asyncio.create_task(live(service.progress_file))]
        logger.info("listening on port {}", listener.getsockname()[1])
        try:
            await Server(config, feed).serve(sockets=[listener])
        finally:
            for task in tasks:
                task.cancel()
            await store.close()
            await docker.close()


class Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, feed: Feed) -> None:
        super().__init__(config)
        self._feed = feed

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self._feed.close()


async def live(progress: Path | None) -> None:
    """The local proof of life: a file that the healthcheck looks for. It says that we answer, not that all is well."""
    while True:
        touch(progress)
        await asyncio.sleep(TOUCH)


def touch(progress: Path | None) -> None:
    if progress:
        try:
            progress.touch()
        except OSError as error:
            logger.error("the progress file {} cannot be touched: {}", progress, error)


def leave(_sig: int, _frame: FrameType | None) -> None:
    sys.exit(0)


if __name__ == "__main__":
    sys.exit(main())
