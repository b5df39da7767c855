"""What there is to see: rows and memory of the database, containers of Docker, signs of life on the pulse volume."""

import signal
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from watchdog.causes import STOPPED
from watchdog.decide import one_per_unit
from watchdog.engine import LABEL, Engine, when
from watchdog.model import Container

KILLED = 128 + signal.SIGKILL
OOM_PATIENCE = 0.3  # seconds
GRACE = 10.0  # Docker's own, where a container has none


def look_at_containers(engine: Engine, pulse_dir: Path, known_counts: dict[str, int]) -> tuple[Container, ...]:
    """Raises `EngineDown`. `known_counts` remembers each container's restarts from one look to the next."""
    seen = tuple(container_of(item, pulse_dir, time.time()) for item in engine.containers())
    return tuple(with_last_end(container, engine, known_counts) for container in seen)


def states(engine: Engine) -> dict[str, str]:
    """Running, exited, … of every unit. Raises `EngineDown`."""
    seen = [container_of(item, Path(), time.time()) for item in engine.containers()]
    return {container.unit: container.state for container in one_per_unit(seen)}


def container_of(inspected: dict[str, Any], pulse_dir: Path, now: float) -> Container:
    state, config = inspected["State"], inspected["Config"]
    labels = config["Labels"]
    scrapers = tuple(name.strip() for name in labels[LABEL].split(",") if name.strip())
    service = labels.get("com.docker.compose.service", inspected["Name"].lstrip("/"))
    started_at, finished_at = when(state["StartedAt"]), when(state["FinishedAt"])
    grace = config.get("StopTimeout")
    return Container(
        name=inspected["Name"].lstrip("/"),
        id=inspected["Id"],
        unit=scrapers[0] if len(scrapers) == 1 else service.removeprefix("scraper-"),
        scrapers=scrapers,
        state=state["Status"],
        up_for=max(0.0, now - started_at) if state["Status"] == "running" else 0.0,
        stopped_for=max(0.0, now - max(finished_at, when(inspected["Created"]))) if state["Status"] in STOPPED else 0.0,
        started_at=started_at,
        finished_at=finished_at,
        restart_count=inspected["RestartCount"],
        healthy=state.get("Health", {}).get("Status") != "unhealthy",
        grace=GRACE if grace is None else float(grace),
        pulse_age=pulse_age(pulse_dir / inspected["Id"][:12], now),
        last_oom=bool(state.get("OOMKilled")) and state["Status"] != "running",
    )


def pulse_age(path: Path, now: float) -> float | None:
    """Both times are the kernel's: a wrong clock inside a container does not matter."""
    try:
        return max(0.0, now - path.stat().st_mtime)
    except OSError:
        return None


def with_last_end(container: Container, engine: Engine, known_counts: dict[str, int]) -> Container:
    """How it ended is asked only of a container that did end since the last look."""
    import msgspec

    before = known_counts.get(container.id, 0)
    known_counts[container.id] = container.restart_count
    if container.restart_count <= before and container.state != "restarting":
        return container
    code, out_of_memory = engine.last_end(container.name, container.finished_at - 5)
    if code == KILLED and not out_of_memory:  # Docker may tell the end first, and a moment later why
        time.sleep(OOM_PATIENCE)
        code, out_of_memory = engine.last_end(container.name, container.finished_at - 5)
    return msgspec.structs.replace(container, last_exit=code, last_oom=out_of_memory or container.last_oom)


def sweep(pulse_dir: Path, containers: Iterable[Container], older_than: float = 86400.0) -> None:
    """Files of containers that are gone."""
    ours = {container.id[:12] for container in containers}
    for path in pulse_dir.glob("*"):
        age = pulse_age(path, time.time())
        if path.name not in ours and age is not None and age > older_than:
            path.unlink(missing_ok=True)
