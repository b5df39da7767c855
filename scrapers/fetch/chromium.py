"""One Chromium with playwright's driver: found, started light, measured, and gone for certain when closed."""

import asyncio
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from loguru import logger
from playwright.async_api import Browser, BrowserContext, Playwright, async_playwright

from common.settings import BadSetting, ScraperSettings
from scrapers.errors import Unavailable
from scrapers.fetch import processes
from scrapers.fetch.finishing import finish
from scrapers.fetch.proxies import Proxy

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CLOSING = 2.0  # seconds for a polite end: a stop leaves little more before SIGKILL
DRIVER = "run-driver"  # how playwright starts its own
FLAGS = (
    # Fewer processes: nothing is drawn, and one site's pages need no walls between each other.
    "--in-process-gpu",
    "--disable-gpu",
    # Without it, a browser at rest takes two thirds of a core: it tries for ever to load what draws in software, which
    # the image leaves out.
    "--disable-software-rasterizer",
    "--disable-site-isolation-trials",
    "--enable-features=NetworkServiceInProcess2",
    # Playwright already turns off background networking, updates, sync, extensions and crash reports.
    "--disable-domain-reliability",
    "--no-pings",
)
# Where several scrapers share a process: whose driver is new can only be told while one of them starts.
ONE_AT_A_TIME = asyncio.Lock()
UNSANDBOXED_FLAGS = ("--no-zygote",)


class Chromium:
    def __init__(self, settings: ScraperSettings) -> None:
        self._path = find_chromium(settings)
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._driver = 0
        self._groups: set[int] = set()
        self._not_ours: set[int] | None = None  # drivers that ran before ours; None while ours does not
        self._temporary: Path | None = None
        self._user_agent = ""

    async def start(self) -> None:
        """Raises `Unavailable` when it does not come up. However this ends, `close` cleans up."""
        async with ONE_AT_A_TIME:
            await self._start()

    async def _start(self) -> None:
        sandboxed = await can_sandbox()
        self._temporary = Path(tempfile.mkdtemp(prefix="oddsfleet-browser-"))
        self._not_ours = driver_pids()
        try:
            self._playwright = await start_playwright(self._temporary)
            self._note_processes()
            self._browser = await self._playwright.chromium.launch(
                executable_path=self._path,
                chromium_sandbox=sandboxed,
                args=[*FLAGS, *(() if sandboxed else UNSANDBOXED_FLAGS)],
                # Who stops this process stops the browser through `close`.
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
            )
        except Exception as error:
            raise Unavailable(f"the browser does not start: {first_line(error)}") from error
        self._note_processes()
        major = self._browser.version.split(".")[0]
        self._user_agent = (
            f"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{major}.0.0.0 Safari/537.36"
        )
        logger.debug("browser started: {} {}", self._path, self._browser.version)

    @property
    def is_connected(self) -> bool:
        """Playwright notices when the browser dies, but not when its own driver does."""
        return (
            self._browser is not None
            and self._browser.is_connected()
            and (not self._driver or processes.is_alive(self._driver))
        )

    @property
    def user_agent(self) -> str:
        return self._user_agent

    async def new_context(self, proxy: Proxy | None) -> BrowserContext:
        if self._browser is None:
            raise Unavailable("the browser is not running")
        options: dict[str, Any] = {"proxy": proxy_options(proxy)} if proxy else {}
        return await self._browser.new_context(
            user_agent=self._user_agent,
            locale="pt-BR",
            timezone_id="America/Sao_Paulo",
            accept_downloads=False,
            service_workers="block",
            **options,
        )

    def memory_mb(self) -> int:
        return processes.memory_mb(process.pid for process in processes.tree(self._driver))

    async def close(self) -> None:
        await finish(self._close())

    async def _close(self) -> None:
        self._note_processes()
        try:
            async with asyncio.timeout(CLOSING):
                if self._browser is not None:
                    await self._browser.close()
                if self._playwright is not None:
                    await self._playwright.stop()
        except TimeoutError:
            logger.warning("the browser did not close within {:g} s: killed", CLOSING)
        except Exception as error:  # noqa: BLE001 - a dead driver raises bare exceptions; what is left is killed below
            logger.debug("the browser was gone already: {}", first_line(error))
        finally:
            await self._bury()
            self._browser = self._playwright = None
            self._driver, self._groups, self._not_ours = 0, set(), None
            if self._temporary is not None:
                shutil.rmtree(self._temporary, ignore_errors=True)

    async def _bury(self) -> None:
        """Kill what is left, and wait until it is gone: a signal takes its time."""
        pids = [self._driver] if self._driver else []
        processes.kill(pids, self._groups)
        deadline = asyncio.get_running_loop().time() + CLOSING
        while processes.any_alive(pids, self._groups) and asyncio.get_running_loop().time() < deadline:  # noqa: ASYNC110
            await asyncio.sleep(0.01)

    def _note_processes(self) -> None:
        """Playwright gives a browser a process group of its own. Known, it can be ended even after its driver died.

        Also called in the middle of a start, before playwright has told us anything.
        """
        if self._not_ours is not None and not self._driver:
            self._driver = next(iter(driver_pids() - self._not_ours), 0)
        if self._driver:
            own = {os.getpgrp()}
            self._groups |= {process.group for process in processes.tree(self._driver)} - own


def find_chromium(settings: ScraperSettings) -> str:
    if settings.chromium_path:
        if not os.access(settings.chromium_path, os.X_OK):
            raise BadSetting(f"CHROMIUM_PATH is {settings.chromium_path}, which is no program.")
        return str(settings.chromium_path)
    for name in NAMES:
        if path := shutil.which(name):
            return path
    raise BadSetting(
        "This bookmaker needs a browser and none was found. Use the image oddsfleet/playwright, install Debian's"
        " chromium-headless-shell, or name a Chromium in CHROMIUM_PATH."
    )


async def can_sandbox() -> bool:
    """Whether Chromium can build its own walls, which takes user namespaces.

    Containers do not have them: Docker forbids them to a process without privileges. There the container is the wall,
    with no capabilities, no new privileges and a read-only disk. As root Chromium refuses to build them at all.
    """
    if os.geteuid() == 0:
        return False
    try:
        probe = await asyncio.create_subprocess_exec(
            "unshare", "--user", "--pid", "--fork", "true", stderr=asyncio.subprocess.DEVNULL
        )
    except OSError:
        return False
    return await probe.wait() == 0


async def start_playwright(temporary: Path) -> Playwright:
    """Profiles of a browser that is killed stay behind, in memory where /tmp is: so they get a folder of ours.

    The driver takes its folder from the environment, and offers no other way to give it one.
    """
    usual = os.environ.get("TMPDIR")
    os.environ["TMPDIR"] = str(temporary)
    try:
        return await async_playwright().start()
    finally:
        if usual is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = usual


def driver_pids() -> set[int]:
    mine = os.getpid()
    return {
        process.pid
        for process in processes.processes()
        if process.parent == mine and DRIVER in processes.command(process.pid)
    }


def proxy_options(proxy: Proxy) -> dict[str, str]:
    options = {"server": f"{proxy.scheme.removesuffix('h')}://{proxy.host}:{proxy.port}"}
    if proxy.username:
        options |= {"username": proxy.username, "password": proxy.password}
    return options


def first_line(error: BaseException) -> str:
    """Playwright's messages go on with a call log and terminal colours."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).strip()
    return text.splitlines()[0] if text else type(error).__name__
