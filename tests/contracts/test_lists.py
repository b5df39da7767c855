"""Lists that are kept in two places, compared in both directions."""

import re
from collections.abc import Mapping
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from common import settings
from scrapers import catalog, leagues, platforms
from watchdog.policy import Policy, WatchdogSettings

ROOT = Path(__file__).parent.parent.parent
OF_A_SCRAPER = (settings.StoreSettings, settings.ScraperSettings, settings.LogSettings)
OF_THE_WATCHDOG = (settings.StoreSettings, settings.AlertSettings, settings.LogSettings, Policy, WatchdogSettings)
SETTINGS = (
    *OF_A_SCRAPER,
    settings.ServiceSettings,
    settings.GeneratorSettings,
    settings.CleanupSettings,
    settings.DashboardSettings,
    *OF_THE_WATCHDOG,
)
# Set by the images or by Compose, not by an operator; and what only scripts and Compose read.
INTERNAL = {
    "SPOOL_DIR", "PROGRESS_FILE", "PULSE_DIR", "STOP_GRACE", "CHROMIUM_PATH", "COMPOSE_PROJECT", "DOCKER_PROXY_URL",
    "DOCKER_LOOK_SOCKET",
}  # fmt: skip
KEYS = {book.key_env for book in catalog.BOOKMAKERS if book.key_env}
OF_SCRIPTS = {
    "SUPABASE_DB_URL", "CA_BUNDLE", "SUPABASE_PORT", "SIMULATOR_PORT", "DASHBOARD_PORT", "DOCKER_GID", "DOCKER_SOCKET",
}  # fmt: skip


def compose() -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = yaml.safe_load((ROOT / "compose.yml").read_text())
    return loaded


def variables_of_example() -> set[str]:
    return set(re.findall(r"^([A-Z_0-9]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))


def test_every_setting_is_in_the_example_and_back() -> None:
    known = {item.metadata["name"] for shape in SETTINGS for item in fields(shape)} | KEYS
    assert variables_of_example() == known - INTERNAL | OF_SCRIPTS


def test_every_line_of_the_example_has_its_comment() -> None:
    lines = (ROOT / ".env.example").read_text().splitlines()
    for before, line in pairwise(lines):
        if re.match(r"[A-Z_0-9]+=", line):
            assert before.startswith(("#", "SUPABASE_PORT", "SIMULATOR_PORT")), line


def test_the_example_shows_the_defaults() -> None:
    example = dict(
        line.split("=", 1)
        for line in (ROOT / ".env.example").read_text().splitlines()
        if re.match(r"[A-Z_0-9]+=", line)
    )
    for shape in SETTINGS:
        for item in fields(shape):
            name = item.metadata["name"]
            if name in example and isinstance(item.default, int | float):
                assert float(example[name]) == item.default, name


def passed_on(environment: Mapping[str, Any]) -> set[str]:
    for name, value in environment.items():
        if isinstance(value, str) and (match := re.fullmatch(r"\$\{(\w+):-(.*)\}", value)):
            assert match[1].removesuffix("_NAME") == name, "a setting must carry its own variable"
    return {name.removesuffix("_FILE") for name in environment}


def test_every_setting_of_a_scraper_reaches_its_container() -> None:
    known = {item.metadata["name"] for shape in OF_A_SCRAPER for item in fields(shape)} | KEYS
    passed = passed_on(compose()["x-scraper-environment"])
    assert passed == known - {"SPOOL_DIR", "PROGRESS_FILE", "PULSE_DIR", "CHROMIUM_PATH"}  # the images know these


def test_every_setting_of_the_watchdog_reaches_its_container_with_its_default() -> None:
    environment = compose()["services"]["watchdog"]["environment"]
    items = [item for shape in OF_THE_WATCHDOG for item in fields(shape)]
    known = {item.metadata["name"] for item in items}
    assert passed_on(environment) == known - {"SPOOL_DIR", "PULSE_DIR", "DOCKER_PROXY_URL"}  # as the image has them
    for item in items:
        name = item.metadata["name"]
        if isinstance(item.default, int | float):
            assert environment[name] == f"${{{name}:-{item.default:g}}}"


def test_every_setting_of_a_sidecar_reaches_its_container_with_its_default() -> None:
    every = (settings.StoreSettings, settings.LogSettings, settings.ServiceSettings)
    own = {
        "json-generator": (settings.GeneratorSettings, settings.AlertSettings),
        "cleanup-service": (settings.CleanupSettings,),
        "dashboard": (settings.DashboardSettings,),
    }
    as_the_image_has_them = {"SPOOL_DIR", "PROGRESS_FILE", "DOCKER_LOOK_SOCKET"}
    for name, shapes in own.items():
        environment = compose()["services"][name]["environment"]
        items = {item.metadata["name"]: item for shape in every + shapes for item in fields(shape)}
        assert passed_on(environment) == items.keys() - as_the_image_has_them, name
        for variable in environment.keys() & items.keys() - {"STOP_GRACE"}:
            if isinstance(default := items[variable].default, int | float):
                assert environment[variable] == f"${{{variable}:-{default:g}}}", name


def test_every_sidecar_stops_in_its_grace_and_is_not_the_watchdogs() -> None:
    for name, memory in (("json-generator", "100m"), ("cleanup-service", "50m"), ("dashboard", "64m")):
        service = compose()["services"][name]
        assert service["mem_limit"] == service["memswap_limit"] == memory
        assert service["stop_grace_period"] == f"{service['environment']['STOP_GRACE']}s"
        assert "labels" not in service, "the watchdog must not touch it"
        assert service["healthcheck"]["test"] == ["CMD", "rm", "/tmp/progress"]


def test_every_scraper_service_is_in_the_catalog_and_back() -> None:
    by_service = {book.service: book for book in catalog.BOOKMAKERS}
    services = {name: service for name, service in compose()["services"].items() if name.startswith("scraper-")}
    assert list(services) == list(by_service)
    for name, service in services.items():
        book = by_service[name]
        assert service["image"] == ("oddsfleet/playwright" if book.is_heavy else "oddsfleet/base")
        assert service["healthcheck"]["test"] == ["CMD", "rm", "/tmp/progress"]
        assert service["command"][:3] == ["scrapers", "run", book.name]
        assert service["labels"] == {"oddsfleet.scraper": book.name}
        assert service["mem_limit"] == service["memswap_limit"] == f"{book.memory_mb}m"
        assert service["stop_grace_period"] == f"{book.grace}s"
        assert service["environment"]["STOP_GRACE"] == book.grace


def test_the_sequential_mode_takes_every_scraper_in_its_order() -> None:
    services = yaml.safe_load((ROOT / "compose.sequential.yml").read_text())["services"]
    labels = {name: service["labels"]["oddsfleet.scraper"] for name, service in services.items() if "labels" in service}
    heavy = [book.name for book in catalog.BOOKMAKERS if book.is_heavy]
    light = [book.name for book in catalog.BOOKMAKERS if not book.is_heavy]
    assert {name: sorted(label.split(",")) for name, label in labels.items()} == {
        "scraper-seq-light": sorted(light),
        "scraper-seq-heavy": sorted(heavy),
    }
    assert set(services) - set(labels) == {name for name in compose()["services"] if not name.startswith("scraper-")}


def test_every_service_is_locked_down() -> None:
    loaded = [compose(), yaml.safe_load((ROOT / "compose.demo.yml").read_text())]
    for services in (document["services"] for document in loaded):
        for name, service in services.items():
            assert service["read_only"], name
            assert service["cap_drop"] == ["ALL"], name
            assert "no-new-privileges:true" in service["security_opt"], name
            assert service["init"], name
            assert service["pids_limit"], name
            assert service["mem_limit"], name
            assert service["logging"]["options"]["max-size"], name
            assert service["restart"], name
            assert "privileged" not in service, name
            for port in service.get("ports", ()):
                assert port.startswith("127.0.0.1:"), name


def test_the_dashboards_door_knows_every_service() -> None:
    config = (ROOT / "images/docker-proxy/haproxy.cfg").read_text()
    known = set(re.search(r"acl stats .*?-\(([^)]*)\)-\[0-9\]", config)[1].split("|"))  # type: ignore[index]
    services = {name for name in compose()["services"] if not name.startswith(("scraper-", "operator"))}
    assert known == services | {"scraper-[a-z0-9-]+", "simulator"}


def test_every_platform_of_the_catalog_loads() -> None:
    for book in catalog.BOOKMAKERS:
        platform = platforms.load(book.platform)
        assert callable(platform.requests), book.name
        assert callable(platform.parse), book.name


def test_names_in_the_catalog_are_unique_and_usable() -> None:
    names = [book.name for book in catalog.BOOKMAKERS]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in names)


def test_leagues_have_unique_keys() -> None:
    keys = [league.key for league in leagues.LEAGUES]
    assert len(set(keys)) == len(keys)


def test_make_help_names_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text()
    phony = set(re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split())  # type: ignore[index]
    rules = set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))
    assert rules == phony
    readme = (ROOT / "README.md").read_text()
    for target in set(re.findall(r"make ([a-z-]+)", readme)):
        assert target in rules, f"README.md names `make {target}`"


def test_no_registry_is_named() -> None:
    hosts = re.compile(
        "|".join(("pypi" r"\.org", "pythonhosted" r"\.org", "registry" r"\.npmjs", "deb" r"\.debian\.org"))
    )
    for path in [*ROOT.glob("requirements/*.txt"), *ROOT.glob("images/**/*.json"), *ROOT.glob("scripts/*.sh")]:
        assert not hosts.search(path.read_text()), path
