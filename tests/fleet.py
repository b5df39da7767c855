"""The real containers, under a project name of their own, so that a fleet that runs here is left alone."""

import os
import random
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from common.settings import Secret, StoreSettings

ROOT = Path(__file__).parent.parent
SOCKET = Path("/var/run/docker.sock")


class Fleet:
    """docker compose on our own files, with keys, ports and volumes of its own."""

    def __init__(self, project: str, secrets: Path, overlay: str = "tests/compose.test.yml", **settings: str) -> None:
        self.project = project
        self.secrets = secrets
        self._overlay = overlay
        self._environment = {
            **os.environ,
            "COMPOSE_PROJECT_NAME": project,
            "SECRETS_DIR": str(secrets),
            "SUPABASE_URL": "",
            "SIMULATOR_URL": "http://simulator:9000",
            "SUPABASE_PORT": str(free_port()),  # the same after a restart
            "SIMULATOR_PORT": "",  # any free one
            "DASHBOARD_PORT": "",
            "HEALTH_OUTSIDE": "off",
            "DOCKER_GID": str(SOCKET.stat().st_gid) if SOCKET.exists() else "0",
            **settings,
        }

    def compose(self, *arguments: str, check: bool = True, timeout: float = 180) -> str:
        files = ["-f", "compose.yml", "-f", "compose.demo.yml", "-f", self._overlay]
        if extra := extra_overlay("parallel"):
            files += ["-f", extra]
        done = subprocess.run(
            ["docker", "compose", "--env-file", "/dev/null", "-p", self.project, *files, *arguments],
            cwd=ROOT,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        if check and done.returncode:
            raise AssertionError(f"docker compose {' '.join(arguments)}: {done.stderr}\n{self.logs()}")
        return done.stdout

    def start(self, *services: str) -> None:
        self.compose("up", "--detach", "--remove-orphans", *services)

    def logs(self, *services: str) -> str:
        return self.compose("logs", "--no-color", "--tail", "200", *services, check=False)

    def container(self, service: str) -> str:
        return self.compose("ps", "--all", "--quiet", service).strip()

    def inspect(self, service: str, template: str) -> str:
        return docker("inspect", "--format", template, self.container(service))

    def host_port(self, service: str, port: int) -> str:
        return self.compose("port", service, str(port)).strip()

    @property
    def supabase_url(self) -> str:
        return f"http://{self.host_port('supabase', 54321)}"

    def wait_for_supabase(self) -> None:
        self.wait_for("supabase", 54321)

    def wait_for(self, service: str, port: int) -> None:
        """Until it answers at /health."""
        url = f"http://{self.host_port(service, port)}/health"
        for _ in range(300):
            with suppress(httpx.TransportError):
                if httpx.get(url).is_success:
                    return
            time.sleep(0.1)
        raise AssertionError(f"{service} does not answer\n{self.logs('migrate', service)}")

    def secret(self, name: str) -> str:
        return (self.secrets / name).read_text()

    @property
    def store_settings(self) -> StoreSettings:
        return StoreSettings(supabase_url=self.supabase_url, supabase_key=Secret(self.secret("supabase_key")))

    def sql(self, query: str) -> list[list[str]]:
        """Rows as text, as the superuser of the database sees them."""
        out = self.compose("exec", "-T", "db", "psql", "-AtX", "-F", "\t", "-c", query)
        return [line.split("\t") for line in out.splitlines()]

    def value(self, query: str) -> str:
        return self.sql(query)[0][0]

    @contextmanager
    def holding(self, query: str) -> Iterator[None]:
        """A transaction of somebody else, with its locks."""
        command = ["docker", "exec", "-i", self.container("db"), "psql", "-AtXq"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as psql:
            assert psql.stdin
            assert psql.stdout
            psql.stdin.write(f"begin; {query}; select 'held';\n")
            psql.stdin.flush()
            while psql.stdout.readline().strip() != "held":
                pass
            yield
            psql.stdin.write("commit;\n")
            psql.stdin.close()

    def cycles_written_by_an_older_instance(self) -> int:
        """Cycles that arrived after one of a newer epoch: there must never be any."""
        return int(
            self.value(
                "select count(*) from scraper_cycles newer join scraper_cycles older using (scraper_name)"
                " where newer.epoch > older.epoch and newer.written_at < older.written_at"
            )
        )

    def remove(self) -> None:
        self.compose("down", "--volumes", "--remove-orphans", "--timeout", "5", check=False)


def free_port() -> int:
    """Below those that the kernel and Docker give out by themselves, so that it stays free until it is used."""
    for _ in range(100):
        port = random.randrange(20_000, 30_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no free port between 20000 and 30000")


def extra_overlay(order: str) -> str:
    """TEST_OVERLAY names other images, where several checkouts share an engine; `{order}` in it becomes the mode."""
    return os.environ.get("TEST_OVERLAY", "").replace("{order}", order)


def image(name: str) -> str:
    """Of ours; under another name where several checkouts share an engine."""
    return f"{os.environ.get('TEST_IMAGES', 'oddsfleet')}/{name}"


def docker(*arguments: str) -> str:
    return subprocess.run(["docker", *arguments], capture_output=True, text=True, check=True, timeout=60).stdout.strip()


def make_secrets(folder: Path, **settings: str) -> Path:
    environment = {
        **os.environ,
        "SECRETS_DIR": str(folder),
        "ENV_FILE": "/dev/null",
        "DASHBOARD_TOKEN": "",
        "SUPABASE_URL": "",
        "BET365_FEED_KEY": "simulated",
        "DISCORD_WEBHOOK_URL": "http://simulator:9000/discord/api/webhooks/1/test",
        **settings,
    }
    subprocess.run(["scripts/secrets.sh"], cwd=ROOT, env=environment, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """The embedded Supabase, migrated. Tests add scrapers as they need them."""
    fleet = Fleet(f"oddsfleet-test-{os.getpid()}", make_secrets(tmp_path_factory.mktemp("secrets")))
    try:
        fleet.start("supabase")
        fleet.wait_for_supabase()
        yield fleet
    finally:
        fleet.remove()
