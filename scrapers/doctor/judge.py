"""From measurements to a verdict on each, what to do about it, and a mode. Pure: no clock, no I/O."""

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from scrapers.doctor.machine import MODES, Clock, Fleet, Machine, Mode, Service, Visit

Verdict = Literal["ok", "tight", "bad", "unknown"]

# MB that a container usually takes, as `make bench B=memory` measures and checks.
USUAL_MB = {"oddsfleet/base": 40, "oddsfleet/playwright": 160, "oddsfleet/supabase": 130, "oddsfleet/docker-proxy": 15}
USUAL_SEQUENTIAL_MB = {"scraper-seq-light": 60, "scraper-seq-heavy": 200}
SYSTEM_MB = 400  # for the system itself and for Docker

CORES = {"parallel": 2, "sequential": 1}
DISK_MB, DISK_TIGHT_MB = 1_000, 5_000
CLOCK, CLOCK_TIGHT = 30.0, 2.0
SLOW_SITE = 3.0
REFUSALS = (401, 403, 429)


class Finding(msgspec.Struct, frozen=True):
    what: str
    measured: str
    verdict: Verdict
    advice: str = ""


class Diagnosis(msgspec.Struct, frozen=True):
    findings: tuple[Finding, ...]
    mode: Mode | None  # None: the machine is too small for either
    why: str

    @property
    def is_well(self) -> bool:
        return self.mode is not None and all(finding.verdict != "bad" for finding in self.findings)


def judge(machine: Machine, fleet: Fleet) -> Diagnosis:
    fits = {mode: memory(mode, fleet[mode], machine.memory_mb) for mode in MODES}
    enough = {mode: cores(mode, machine.cores) for mode in MODES}
    possible = [mode for mode in MODES if "bad" not in (fits[mode].verdict, enough[mode].verdict)]
    findings = [
        # A mode that does not fit is no fault of the machine while the other one does.
        *(softened(fits[mode], possible) for mode in MODES),
        softened(enough["parallel"], possible),
        load(machine),
        disk(machine.disk_free_mb),
        clock(machine.clock),
        *network(machine.visits),
    ]
    return Diagnosis(tuple(findings), possible[0] if possible else None, reason(possible, fits, enough))


def reason(possible: Sequence[Mode], fits: dict[Mode, Finding], enough: dict[Mode, Finding]) -> str:
    if not possible:
        return fits["sequential"].advice or enough["sequential"].advice
    if possible[0] == "parallel":
        return (
            "one container per bookmaker fits, so one that fails leaves the others alone: `make up` or `make parallel`"
        )
    against = [finding.measured for finding in (fits["parallel"], enough["parallel"]) if finding.verdict == "bad"]
    return f"one container per bookmaker does not fit ({'; '.join(against)}): `make sequential`"


def softened(finding: Finding, possible: Sequence[Mode]) -> Finding:
    return msgspec.structs.replace(finding, verdict="tight") if finding.verdict == "bad" and possible else finding


def memory(mode: Mode, services: Sequence[Service], available: int | None) -> Finding:
    limits, usual = sum(service.limit_mb for service in services), sum(map(usual_mb, services))
    what = f"memory, {mode}"
    if available is None:
        return Finding(
            what, f"usually {usual} MB, at most {limits} MB", "unknown", "The machine does not say its memory."
        )
    measured = f"usually {usual} MB, at most {limits} MB, of {available} MB"
    if limits + SYSTEM_MB <= available:
        return Finding(what, measured, "ok")
    if usual + SYSTEM_MB <= available:
        advice = "All at their limits at once would not fit; then the kernel ends one, and Docker starts it again."
        return Finding(what, measured, "tight", advice)
    return Finding(what, measured, "bad", f"It takes {usual + SYSTEM_MB} MB of memory with the system's own share.")


def usual_mb(service: Service) -> int:
    known = USUAL_SEQUENTIAL_MB.get(service.name) or USUAL_MB.get(service.image, service.limit_mb)
    return min(known, service.limit_mb)


def cores(mode: Mode, count: int | None) -> Finding:
    if count is None:
        return Finding("cores", "–", "unknown", "The machine does not say how many it has.")
    if count >= CORES[mode]:
        return Finding("cores", str(count), "ok")
    return Finding("cores", f"{count} of {CORES[mode]} cores", "bad", f"The {mode} mode wants {CORES[mode]} cores.")


def load(machine: Machine) -> Finding:
    if machine.load is None or machine.cores is None:
        return Finding("load", "–", "unknown", "This system does not say its load.")
    measured = f"{machine.load:.1f} on {machine.cores} cores"
    if machine.load <= 2 * machine.cores:
        return Finding("load", measured, "ok")
    return Finding("load", measured, "tight", "Something keeps the cores busy: `make top` shows ours, `top` the rest.")


def disk(free_mb: int | None) -> Finding:
    if free_mb is None:
        return Finding("disk", "–", "unknown", "The place of Docker's volumes cannot be read.")
    measured = f"{free_mb / 1000:.1f} GB free"
    if free_mb >= DISK_TIGHT_MB:
        return Finding("disk", measured, "ok")
    advice = "Free some: `docker system df` shows what Docker keeps, RETENTION_… in .env what the database keeps."
    return Finding("disk", measured, "bad" if free_mb < DISK_MB else "tight", advice)


def clock(seen: Clock | None) -> Finding:
    if seen is None:
        return Finding("clock", "–", "unknown", "Nobody could be asked: start the fleet, or connect to the internet.")
    measured = f"{abs(seen.ahead):.1f} s {'ahead of' if seen.ahead > 0 else 'behind'} {seen.asked}"
    if abs(seen.ahead) <= CLOCK_TIGHT:
        return Finding("clock", measured, "ok")
    advice = "Kick-offs and ages go wrong by as much. Let the system keep its time: `timedatectl set-ntp true`."
    return Finding("clock", measured, "tight" if abs(seen.ahead) <= CLOCK else "bad", advice)


def network(visits: Sequence[Visit]) -> Iterator[Finding]:
    """Names first: a site whose name is unknown is not blamed for being silent."""
    if not visits:
        return
    nameless = [visit for visit in visits if not visit.resolved]
    if len(nameless) == len(visits):
        advice = (
            'No name is known: no internet, or no DNS server. See /etc/resolv.conf, and "dns" of Docker\'s daemon.json.'
        )
        yield Finding("DNS", f"0 of {len(visits)} names", "bad", advice)
        return
    yield Finding(
        "DNS",
        f"{len(visits) - len(nameless)} of {len(visits)} names",
        "tight" if nameless else "ok",
        f"Unknown: {', '.join(visit.origin for visit in nameless)}." if nameless else "",
    )
    found = [visit for visit in visits if visit.resolved]
    if all(visit.seconds is None for visit in found):
        advice = f"None answers, so it is not the sites: no internet, or a firewall. The first said: {found[0].error}."
        yield Finding("bookmakers' sites", f"0 of {len(found)}", "bad", advice)
        return
    yield from map(site, found)


def site(visit: Visit) -> Finding:
    what = f"{visit.origin} ({', '.join(visit.scrapers)})"
    if visit.seconds is None:
        return Finding(what, "no answer", "tight", f"{visit.error}. Its scrapers will be told as `unavailable`.")
    measured = f"{visit.seconds * 1000:.0f} ms, status {visit.status}"
    if visit.status in REFUSALS:
        # Many refuse whoever is no browser, and the engine of the row deals with that.
        return Finding(
            what, measured, "ok", "It refuses plain visitors; if `make once` is blocked too, give PROXY_LIST."
        )
    if visit.seconds > SLOW_SITE:
        return Finding(what, measured, "tight", "Slow from here. A proxy nearer to it may help: PROXY_LIST.")
    return Finding(what, measured, "ok")
