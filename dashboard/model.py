"""What the pages are made of: what the database said last, what Docker said last, and what is known to be away."""

import msgspec

from store.dashboard import Row, State
from watchdog.causes import RUNS

SEQUENTIAL = "seq-"  # how the units of the sequential mode begin


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """One reading of a container's statistics."""

    at: float  # by Docker's clock
    cpu_seconds: float  # since its start, on all cores
    memory: int  # bytes that cannot simply be dropped
    memory_limit: int | None = None


class Container(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    service: str
    state: str  # running, exited, restarting, …
    healthy: bool | None = None  # None where nobody checks
    scrapers: tuple[str, ...] = ()
    usage: Usage | None = None
    cpu: float | None = None  # cores in use; None until there are two readings

    @property
    def unit(self) -> str:
        """As the watchdog calls it."""
        return self.scrapers[0] if len(self.scrapers) == 1 else self.service.removeprefix("scraper-")


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    state: State | None = None  # None before the first answer
    down: str = ""  # why the database is away; empty while it is not
    containers: tuple[Container, ...] = ()
    docker_down: str = ""

    @property
    def scrapers(self) -> tuple[Row, ...]:
        return tuple(row for row in self.state.rows if row.kind == "scraper") if self.state else ()

    @property
    def services(self) -> tuple[Row, ...]:
        return tuple(row for row in self.state.rows if row.kind != "scraper") if self.state else ()

    @property
    def mode(self) -> str:
        """parallel, sequential, or unknown while Docker cannot be asked."""
        units = [container.unit for container in self.containers if container.scrapers]
        if not units:
            return "unknown"
        return "sequential" if any(unit.startswith(SEQUENTIAL) for unit in units) else "parallel"

    def scraper(self, name: str) -> Row | None:
        return next((row for row in self.scrapers if row.name == name), None)

    def container_of(self, scraper: str) -> Container | None:
        return next((container for container in self.containers if scraper in container.scrapers), None)

    def unit_of(self, scraper: str) -> str:
        """What the watchdog restarts and pauses when it is about this scraper."""
        container, row = self.container_of(scraper), self.scraper(scraper)
        return (container and container.unit) or (row and row.unit) or scraper

    def runs_unpaused(self, scraper: str) -> bool:
        """Nothing to resume. False also where Docker cannot be asked."""
        row, container = self.scraper(scraper), self.container_of(scraper)
        return bool(row and row.desired == "run" and not self.down and container and container.state in RUNS)


def standing(row: Row) -> str:
    """ok, warning, error, waiting, unknown; or paused, which is nobody's fault."""
    return "paused" if row.desired == "paused" else row.status


def has_problem(row: Row) -> bool:
    return standing(row) in ("warning", "error") or (row.cause is not None and standing(row) != "paused")
