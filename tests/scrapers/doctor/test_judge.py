from typing import Any

import pytest
from msgspec.structs import replace

from scrapers import catalog
from scrapers.doctor.judge import SYSTEM_MB, Diagnosis, judge, usual_mb
from scrapers.doctor.machine import Clock, Fleet, Machine, Service, Visit

REST = (
    Service("db", 200, "oddsfleet/supabase"),
    Service("supabase", 150, "oddsfleet/supabase"),
    Service("watchdog", 96, "oddsfleet/base"),
)
FLEET: Fleet = {
    "parallel": (
        *REST,
        *(
            Service(book.service, book.memory_mb, "oddsfleet/playwright" if book.is_heavy else "oddsfleet/base")
            for book in catalog.BOOKMAKERS
        ),
    ),
    "sequential": (
        *REST,
        Service("scraper-seq-light", 200, "oddsfleet/base"),
        Service("scraper-seq-heavy", 500, "oddsfleet/playwright"),
    ),
}
NEAR = Visit(origin="near.example", scrapers=("kto",), resolved=True, seconds=0.05, status=200)
NAMELESS = Visit(origin="gone.example", scrapers=("stake",), error="its name is unknown")
SILENT = replace(NEAR, origin="silent.example", seconds=None, status=None, error="refused")
GOOD = Machine(memory_mb=8000, cores=4, load=0.5, disk_free_mb=40_000, clock=Clock(0.3, "the database"), visits=(NEAR,))


def usual(mode: Any) -> int:  # noqa: ANN401
    return sum(map(usual_mb, FLEET[mode]))


def verdicts(diagnosis: Diagnosis) -> dict[str, str]:
    return {finding.what.split(" (")[0]: finding.verdict for finding in diagnosis.findings}


def test_a_good_machine_is_well_and_runs_in_parallel() -> None:
    diagnosis = judge(GOOD, FLEET)
    assert set(verdicts(diagnosis).values()) == {"ok"}
    assert diagnosis.is_well
    assert diagnosis.mode == "parallel"


@pytest.mark.parametrize(
    ("memory", "mode", "parallel", "sequential"),
    [
        (usual("parallel") + SYSTEM_MB, "parallel", "tight", "ok"),
        (usual("parallel") + SYSTEM_MB - 1, "sequential", "tight", "ok"),
        (usual("sequential") + SYSTEM_MB, "sequential", "tight", "tight"),
        (usual("sequential") + SYSTEM_MB - 1, None, "bad", "bad"),
    ],
)
def test_memory_chooses_the_mode(memory: int, mode: str | None, parallel: str, sequential: str) -> None:
    diagnosis = judge(replace(GOOD, memory_mb=memory), FLEET)
    assert diagnosis.mode == mode
    assert verdicts(diagnosis)["memory, parallel"] == parallel
    assert verdicts(diagnosis)["memory, sequential"] == sequential
    assert diagnosis.is_well == (mode is not None)


def test_the_server_of_the_design_fits_the_parallel_mode() -> None:
    assert judge(replace(GOOD, memory_mb=3900, cores=2), FLEET).mode == "parallel"


def test_one_core_is_for_the_sequential_mode() -> None:
    diagnosis = judge(replace(GOOD, cores=1), FLEET)
    assert diagnosis.mode == "sequential"
    assert "1 of 2 cores" in diagnosis.why
    assert diagnosis.is_well, "a small machine in its mode is no fault"


@pytest.mark.parametrize(
    ("change", "what", "verdict"),
    [
        ({"disk_free_mb": 900}, "disk", "bad"),
        ({"disk_free_mb": 4000}, "disk", "tight"),
        ({"clock": Clock(-90.0, "the database")}, "clock", "bad"),
        ({"clock": Clock(5.0, "the database")}, "clock", "tight"),
        ({"clock": None}, "clock", "unknown"),
        ({"load": 30.0}, "load", "tight"),
        ({"visits": (NAMELESS, NAMELESS)}, "DNS", "bad"),
        ({"visits": (NEAR, NAMELESS)}, "DNS", "tight"),
        ({"visits": (NEAR, SILENT)}, "silent.example", "tight"),
        ({"visits": (NEAR, replace(NEAR, origin="far.example", seconds=7.0))}, "far.example", "tight"),
        ({"visits": (SILENT, SILENT)}, "bookmakers' sites", "bad"),
    ],
)
def test_each_finding_that_is_not_well_says_what_to_do(change: dict[str, Any], what: str, verdict: str) -> None:
    diagnosis = judge(replace(GOOD, **change), FLEET)
    (found,) = [finding for finding in diagnosis.findings if finding.what.split(" (")[0] == what]
    assert found.verdict == verdict
    assert found.advice
    assert diagnosis.is_well == (verdict != "bad")


def test_no_internet_is_one_finding_not_nineteen() -> None:
    visits = tuple(replace(NAMELESS, origin=book.api) for book in catalog.BOOKMAKERS)
    whats = [finding.what for finding in judge(replace(GOOD, visits=visits), FLEET).findings]
    assert whats.count("DNS") == 1
    assert len(whats) == 7


def test_a_machine_that_says_nothing_is_unknown_not_ill() -> None:
    silent = Machine(memory_mb=None, cores=None, load=None, disk_free_mb=None, clock=None, visits=())
    diagnosis = judge(silent, FLEET)
    assert set(verdicts(diagnosis).values()) == {"unknown"}
    assert diagnosis.mode == "parallel"


def test_a_site_that_refuses_plain_visitors_answers() -> None:
    """The engine of its row comes as a browser does."""
    assert judge(replace(GOOD, visits=(replace(NEAR, status=403),)), FLEET).is_well
