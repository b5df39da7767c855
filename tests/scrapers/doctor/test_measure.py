"""Measured on this machine, with the simulator where the internet would be."""

import json
import os
import subprocess
import sys
from pathlib import Path

from scrapers import catalog
from scrapers.doctor.machine import Service, read_fleet
from scrapers.doctor.measure import ahead_of, measure, origins, read_meminfo
from tests.conftest import ROOT, Simulator

NOWHERE = "http://127.0.0.1:9"
LIMIT = {"image": "oddsfleet/base", "restart": "unless-stopped", "mem_limit": "104857600"}
COMPOSE = json.dumps(
    {"services": {"scraper-kto": LIMIT, "operator": {**LIMIT, "restart": "no"}}}, indent=2
) + json.dumps({"services": {"scraper-seq-light": LIMIT}}, indent=2)


async def test_the_machine_and_the_way_to_every_site(simulator: Simulator, tmp_path: Path) -> None:
    books = [book.at(simulator.url) for book in catalog.BOOKMAKERS]
    machine = await measure(books, tmp_path, NOWHERE)
    assert machine.cores == os.cpu_count()
    assert machine.memory_mb
    assert machine.memory_mb == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // (1024 * 1024)
    assert machine.disk_free_mb
    assert {name for visit in machine.visits for name in visit.scrapers} == {book.name for book in catalog.BOOKMAKERS}
    assert all(visit.resolved and visit.seconds is not None for visit in machine.visits)
    assert machine.clock
    assert machine.clock.asked == "the bookmakers' sites"
    assert abs(machine.clock.ahead) < 60, "the simulator has this machine's clock"


async def test_with_no_internet_and_nothing_running_it_still_answers(tmp_path: Path) -> None:
    machine = await measure([catalog.get("kto").at(NOWHERE)], tmp_path / "missing", NOWHERE)
    (visit,) = machine.visits
    assert visit.seconds is None
    assert visit.error
    assert machine.clock is None
    assert machine.disk_free_mb


def test_every_bookmaker_is_visited_and_shared_addresses_once() -> None:
    readers = origins(catalog.BOOKMAKERS)
    assert readers[catalog.ALTENAR][0] == "estrelabet"
    assert "https://www.aposta1.bet.br" in readers, "a browser opens the site as well"
    assert {name for names in readers.values() for name in names} == {book.name for book in catalog.BOOKMAKERS}


def test_memory_is_read_as_the_kernel_writes_it(tmp_path: Path) -> None:
    (tmp_path / "meminfo").write_text("MemTotal:        4018928 kB\nHugePages_Total:       0\nSwapTotal:  0 kB\n")
    assert read_meminfo(tmp_path / "meminfo") == {"MemTotal": 3924, "SwapTotal": 0}
    assert read_meminfo(tmp_path / "none") == {}


def test_a_clock_that_cannot_be_read_is_unknown() -> None:
    assert ahead_of(None, 0.0) is None
    assert ahead_of("yesterday", 0.0) is None
    assert ahead_of("Thu, 01 Jan 1970 00:01:00 GMT", 70.0) == 9.5


def test_limits_are_what_compose_says_of_both_modes() -> None:
    assert read_fleet(COMPOSE) == {
        "parallel": (Service("scraper-kto", 100, "oddsfleet/base"),),
        "sequential": (Service("scraper-seq-light", 100, "oddsfleet/base"),),
    }


def doctor(simulator_url: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "SUPABASE_URL": NOWHERE, "SUPABASE_KEY": "none", "SIMULATOR_URL": simulator_url}
    return subprocess.run(
        [sys.executable, "-m", "scrapers", "doctor"],
        cwd=ROOT, env=environment, input=COMPOSE, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_the_table_names_the_mode(simulator: Simulator) -> None:
    done = doctor(simulator.url)
    assert "Recommended: parallel" in done.stdout
    assert "bookmakers' sites" in done.stdout, "asked by a clock that is not the database's"
    assert "tradeball" in done.stdout
    assert doctor(NOWHERE).returncode == 1
