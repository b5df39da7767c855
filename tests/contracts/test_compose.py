"""What Compose itself makes of our files, anchors and `extends` resolved, against the catalog and the design."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scrapers import catalog
from scrapers.catalog import Bookmaker
from scrapers.doctor.judge import USUAL_MB, USUAL_SEQUENTIAL_MB

pytestmark = pytest.mark.docker

ROOT = Path(__file__).parent.parent.parent
MEGABYTE = 1024 * 1024
LIGHT = [book for book in catalog.BOOKMAKERS if not book.is_heavy]
HEAVY = [book for book in catalog.BOOKMAKERS if book.is_heavy]
# Seed 002: 200 MB and 500 MB; 150 s to finish a scraper that waits for its browser.
SEQUENTIAL = {"scraper-seq-light": (LIGHT, 200, 30), "scraper-seq-heavy": (HEAVY, 500, 150)}
# Seed 001, and the rest of the design's list.
SIDECARS = {"json-generator": 100, "cleanup-service": 50}
OTHERS = {"db", "migrate", "supabase", "operator", "operator-browser", "docker-proxy", "watchdog"}
LATER = {"dashboard"}  # brought by an issue of its own


def config(file: str) -> dict[str, Any]:
    done = subprocess.run(
        ["docker", "compose", "--env-file", "/dev/null", "-f", file, "config", "--format", "json"],
        cwd=ROOT, env={**os.environ, "SUPABASE_URL": ""}, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@pytest.fixture(scope="module")
def parallel() -> dict[str, dict[str, Any]]:
    services: dict[str, dict[str, Any]] = config("compose.yml")["services"]
    return services


@pytest.fixture(scope="module")
def sequential() -> dict[str, dict[str, Any]]:
    services: dict[str, dict[str, Any]] = config("compose.sequential.yml")["services"]
    return services


def scrapers(services: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {name: service for name, service in services.items() if name.startswith("scraper-")}


def seconds(duration: str) -> int:
    """Compose writes 150 s as 2m30s."""
    minutes, _, rest = duration.rpartition("m")
    return int(minutes or 0) * 60 + int(rest.removesuffix("s") or 0)


def check(service: Mapping[str, Any], books: list[Bookmaker], memory_mb: int, grace: int) -> None:
    """Everything that the table "From PM2 to Compose" asks of a scraper's container."""
    heavy = books[0].is_heavy
    assert service["restart"] == "unless-stopped"
    assert service["stop_signal"] == "SIGTERM"
    assert seconds(service["stop_grace_period"]) == int(service["environment"]["STOP_GRACE"]) == grace
    assert int(service["mem_limit"]) == int(service["memswap_limit"]) == memory_mb * MEGABYTE
    assert int(service["pids_limit"]) == (256 if heavy else 64)
    assert service["init"] is True
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["tmpfs"]
    assert service["logging"] == {"driver": "json-file", "options": {"max-size": "5m", "max-file": "3"}}
    assert service["healthcheck"]["test"] == ["CMD", "rm", "/tmp/progress"]
    assert service["healthcheck"]["start_period"]
    assert service["labels"] == {"oddsfleet.scraper": ",".join(book.name for book in books)}
    assert service["image"] == ("oddsfleet/playwright" if heavy else "oddsfleet/base")
    assert service["pull_policy"] == "never"
    assert "user" not in service, "the images have their own, which is not root"
    for hole in ("privileged", "cap_add", "ports", "network_mode", "pid", "ipc", "devices"):
        assert not service.get(hole), hole


def test_every_bookmaker_has_its_container_and_back(parallel: dict[str, dict[str, Any]]) -> None:
    found = scrapers(parallel)
    assert set(found) == {book.service for book in catalog.BOOKMAKERS}
    for book in catalog.BOOKMAKERS:
        service = found[book.service]
        check(service, [book], book.memory_mb, book.grace)
        assert service["command"] == ["scrapers", "run", book.name]


def test_the_sequential_mode_has_two_and_back(sequential: dict[str, dict[str, Any]]) -> None:
    found = scrapers(sequential)
    assert set(found) == set(SEQUENTIAL)
    for name, (books, memory_mb, grace) in SEQUENTIAL.items():
        check(found[name], books, memory_mb, grace)
        assert found[name]["command"] == ["scrapers", "sequential", "--mode", name.removeprefix("scraper-seq-")]


def test_limits_of_scrapers_are_those_that_were_asked_for() -> None:
    assert {book.memory_mb for book in LIGHT} == {100}
    assert all(book.memory_mb <= 512 for book in HEAVY)
    stake = catalog.get("stake")  # seed 000, where it was killed in the middle of its cycle
    assert (stake.memory_mb, stake.grace) == (400, 30)


def test_both_modes_share_everything_but_the_scrapers(
    parallel: dict[str, dict[str, Any]], sequential: dict[str, dict[str, Any]]
) -> None:
    shared = set(parallel) - set(scrapers(parallel))
    assert shared - LATER == OTHERS | set(SIDECARS)
    assert shared == set(sequential) - set(SEQUENTIAL)
    for name in shared - {"json-generator"}:
        assert sequential[name] == parallel[name], name
    commands = [services["json-generator"].pop("command")[-1] for services in (parallel, sequential)]
    assert commands == ["15", "30"], "its interval follows the mode"
    assert sequential["json-generator"] == parallel["json-generator"]


def test_switching_replaces_in_place() -> None:
    shared = ("name", "networks", "volumes", "secrets")
    documents = [{key: config(file)[key] for key in shared} for file in ("compose.yml", "compose.sequential.yml")]
    assert documents[0]["name"] == "oddsfleet"
    assert documents[0] == documents[1], "project, networks, volumes and secrets are the same"


def test_sidecars_have_their_limits(parallel: dict[str, dict[str, Any]]) -> None:
    for name, memory_mb in SIDECARS.items():
        service = parallel[name]
        assert int(service["mem_limit"]) == int(service["memswap_limit"]) == memory_mb * MEGABYTE, name
        assert "labels" not in service, "the watchdog must not touch it"


def guests(services: Mapping[str, dict[str, Any]], place: str) -> dict[str, bool]:
    """Who has it mounted, and whether for writing too."""
    return {
        name: not volume.get("read_only", False)
        for name, service in services.items()
        for volume in service.get("volumes", ())
        if volume["source"] == place
    }


def test_only_the_watchdog_and_the_dashboard_have_a_door_to_docker(
    parallel: dict[str, dict[str, Any]], sequential: dict[str, dict[str, Any]]
) -> None:
    for services in (parallel, sequential):
        assert guests(services, "/var/run/docker.sock") == {"docker-proxy": False}
        assert guests(services, "act") == {"docker-proxy": True, "watchdog": False}
        assert guests(services, "look") == {"docker-proxy": True, "dashboard": False}
        assert services["docker-proxy"]["network_mode"] == "none", "a port would be open to every user of the machine"
        assert not services["docker-proxy"].get("ports")
    assert "mode=0700," in config("compose.yml")["volumes"]["act"]["driver_opts"]["o"]


def test_the_doctor_knows_every_image(
    parallel: dict[str, dict[str, Any]], sequential: dict[str, dict[str, Any]]
) -> None:
    images = {service["image"] for service in (*parallel.values(), *sequential.values())}
    assert images == set(USUAL_MB)
    assert set(SEQUENTIAL) == set(USUAL_SEQUENTIAL_MB)
