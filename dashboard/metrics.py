"""What Prometheus reads: the same state as the page, in base units. Pure.

Times of things are given as moments, not as ages: Prometheus computes the age, and it goes on while we are away.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dashboard.model import Snapshot, standing
from store.dashboard import Row

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
STATUSES = ("ok", "warning", "error", "waiting", "unknown", "paused")
Sample = tuple[Mapping[str, str], float]


class Metric(NamedTuple):
    name: str
    kind: str  # gauge or counter
    help: str
    samples: Sequence[Sample]


def exposition(snapshot: Snapshot, readers: int) -> str:
    return "".join(lines(metric) for metric in metrics(snapshot, readers) if metric.samples)


def lines(metric: Metric) -> str:
    name = f"oddsfleet_{metric.name}"
    head = f"# HELP {name} {metric.help}\n# TYPE {name} {metric.kind}\n"
    return head + "".join(f"{name}{labels(given)} {value!r}\n" for given, value in metric.samples)


def labels(given: Mapping[str, str]) -> str:
    return "{" + ",".join(f'{name}="{escaped(value)}"' for name, value in given.items()) + "}" if given else ""


def escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def metrics(snapshot: Snapshot, readers: int) -> Iterator[Metric]:
    state, scrapers = snapshot.state, snapshot.scrapers
    yield one("database_up", "Whether Supabase answers; while it does not, the rest is as it was last known.",
              0.0 if snapshot.down or not state else 1.0)  # fmt: skip
    yield one("dashboard_open_pages", "Pages that are open now.", float(readers))
    if state is None:
        return
    yield one("state_timestamp_seconds", "When the state below was read, by the database's clock.", state.now)
    yield one("odds_last_minute", "Odds that all scrapers collected in the last minute.", float(state.odds_last_minute))
    yield one("surebets_open", "Surebets that pay now, suspicious ones included.", float(state.surebets))
    if state.watchdog:
        yield one("watchdog_beat_timestamp_seconds", "When the watchdog last looked.", state.watchdog.beat_at)
    causes: dict[str, float] = {}
    for incident in state.incidents:
        causes[incident.cause] = causes.get(incident.cause, 0.0) + 1.0
    yield one("incidents_open", "Incidents that are open.", float(len(state.incidents)))
    yield Metric("incidents_open_by_cause", "gauge", "Incidents that are open, by cause.",
                 [({"cause": cause}, count) for cause, count in sorted(causes.items())])  # fmt: skip
    yield from of_scrapers(scrapers)
    yield from of_services(snapshot.services)
    yield from of_containers(snapshot)


def one(name: str, help_: str, value: float) -> Metric:
    return Metric(name, "gauge", help_, [({}, value)])


def of_scrapers(rows: Iterable[Row]) -> Iterator[Metric]:
    def each(name: str, help_: str, values: Iterable[tuple[Row, float | None]], kind: str = "gauge") -> Metric:
        samples = [({"scraper": row.name}, float(value)) for row, value in values if value is not None]
        return Metric(f"scraper_{name}", kind, help_, samples)

    rows = list(rows)
    yield each("up", "1 while good odds keep arriving in time.", ((row, standing(row) == "ok") for row in rows))
    yield Metric(
        "scraper_status",
        "gauge",
        "1 for the status that the scraper has.",
        [
            ({"scraper": row.name, "status": status}, float(standing(row) == status))
            for row in rows
            for status in STATUSES
        ],
    )
    yield each("heartbeat_timestamp_seconds", "End of the last cycle.", ((row, row.heartbeat_at) for row in rows))
    yield each("success_timestamp_seconds", "End of the last cycle with odds.", ((row, row.success_at) for row in rows))
    yield each("cycles_total", "Cycles that arrived.", ((row, row.cycles) for row in rows), "counter")
    yield each("cycle_odds", "Odds of the last cycle.", ((row, row.collected) for row in rows))
    yield each("cycle_inserted", "Odds of the last cycle that had changed.", ((row, row.inserted) for row in rows))
    yield each(
        "cycle_duration_seconds",
        "Time that the last cycle took.",
        ((row, None if row.duration_ms is None else row.duration_ms / 1000) for row in rows),
    )
    yield each("interval_seconds", "Time between two cycles, as expected.", ((row, row.interval) for row in rows))
    yield each(
        "failures_in_a_row", "Cycles without odds since the last good one.", ((row, row.failures) for row in rows)
    )
    yield each("restarts_used", "Restarts charged within the window.", ((row, row.restarts_used) for row in rows))
    yield each("restarts_allowed", "Restarts allowed within the window.", ((row, row.restart_budget) for row in rows))
    yield each("circuit_open", "1 while no restart is tried.", ((row, row.circuit == "open") for row in rows))
    yield each("paused", "1 while the operator wants it stopped.", ((row, row.desired == "paused") for row in rows))


def of_services(rows: Iterable[Row]) -> Iterator[Metric]:
    rows = list(rows)
    yield Metric("service_up", "gauge", "1 while the service does its rounds in time.",
                 [({"service": row.name}, float(row.status == "ok")) for row in rows])  # fmt: skip
    yield Metric("service_heartbeat_timestamp_seconds", "gauge", "End of the last round.",
                 [({"service": row.name}, row.heartbeat_at) for row in rows if row.heartbeat_at])  # fmt: skip


def of_containers(snapshot: Snapshot) -> Iterator[Metric]:
    shown = [(container, container.usage) for container in snapshot.containers if container.usage]
    yield Metric("container_memory_bytes", "gauge", "Memory in use, files that can be dropped left out.",
                 [({"service": container.service}, float(usage.memory)) for container, usage in shown])  # fmt: skip
    yield Metric("container_memory_limit_bytes", "gauge", "Memory that the container may use.",
                 [({"service": container.service}, float(usage.memory_limit)) for container, usage in shown
                  if usage.memory_limit])  # fmt: skip
    yield Metric("container_cpu_seconds_total", "counter", "CPU time since its start, on all cores.",
                 [({"service": container.service}, usage.cpu_seconds) for container, usage in shown])  # fmt: skip
