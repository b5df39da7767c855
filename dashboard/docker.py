"""Docker, through the door that only looks: which containers there are, what they use, and the last log lines.

The door (images/docker-proxy) takes no parameters: what is listed and how much of a log is shown is its choice.
"""

import asyncio
import struct
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import msgspec

from dashboard.model import Container, Usage

LABEL = "oddsfleet.scraper"
AT_ONCE = 4  # containers that are measured at the same time
NANOSECONDS = 1e9


class DockerAway(Exception):  # noqa: N818 - a state, not a fault of the caller
    """Docker cannot be asked. The message says why."""


class Docker:
    def __init__(self, socket: Path) -> None:
        self._socket = socket
        # A socket in the file system: certificates would be 5 MB that nobody asks for.
        transport = httpx.AsyncHTTPTransport(uds=str(socket), verify=False)
        self._client = httpx.AsyncClient(transport=transport, base_url="http://docker", timeout=5.0)
        self._usage: dict[str, Usage] = {}
        self._places = asyncio.Semaphore(AT_ONCE)

    async def containers(self) -> tuple[Container, ...]:
        """Every container of the project with what it uses, by name."""
        measured = await asyncio.gather(*(self._measure(container) for container in await self.listed()))
        self._usage = {one.name: one.usage for one in measured if one.usage}
        return tuple(measured)

    async def listed(self) -> tuple[Container, ...]:
        """The same without what they use, which takes seconds to measure."""
        found = [described(item) for item in msgspec.json.decode(await self._get("/containers/json"))]
        return tuple(sorted((one for one in found if one), key=lambda one: one.name))

    async def log(self, container: str) -> list[str]:
        return log_lines(await self._get(f"/containers/{container}/logs"))

    async def _measure(self, container: Container) -> Container:
        if container.state != "running":
            return container
        async with self._places:
            try:
                usage = usage_of(msgspec.json.decode(await self._get(f"/containers/{container.name}/stats")))
            except DockerAway:  # it may be gone by now
                return container
        before = self._usage.get(container.name)
        cpu = cores(before, usage) if before and usage else None
        return msgspec.structs.replace(container, usage=usage, cpu=cpu)

    async def _get(self, path: str) -> bytes:
        try:
            answer = await self._client.get(path)
        except httpx.TransportError as error:
            said = str(error) or type(error).__name__
            raise DockerAway(f"{said}; docker-proxy gives the door at {self._socket}") from error
        if not answer.is_success:
            raise DockerAway(f"docker-proxy answers {answer.status_code} to {path}")
        return answer.content

    async def close(self) -> None:
        await self._client.aclose()


def described(item: dict[str, Any]) -> Container | None:
    """None for a container that somebody runs once."""
    labels = item.get("Labels") or {}
    if labels.get("com.docker.compose.oneoff") == "True":
        return None
    status = str(item.get("Status", ""))
    healthy = False if "(unhealthy)" in status else True if "(healthy)" in status else None
    return Container(
        name=str(item["Names"][0]).lstrip("/"),
        service=labels.get("com.docker.compose.service", ""),
        state=str(item.get("State", "")),
        healthy=healthy,
        scrapers=tuple(name for name in labels.get(LABEL, "").split(",") if name),
    )


def usage_of(stats: dict[str, Any]) -> Usage | None:
    """None while the container starts or ends, when Docker gives an empty reading."""
    memory, cpu = stats.get("memory_stats") or {}, (stats.get("cpu_stats") or {}).get("cpu_usage") or {}
    if "usage" not in memory or "total_usage" not in cpu:
        return None
    details = memory.get("stats") or {}
    # Files in the page cache can be dropped; version 1 and 2 of control groups name them differently.
    cached = details.get("total_inactive_file", details.get("inactive_file", 0))
    limit = memory.get("limit")
    return Usage(
        at=read_at(str(stats["read"])),
        cpu_seconds=cpu["total_usage"] / NANOSECONDS,
        memory=max(0, memory["usage"] - cached),
        memory_limit=int(limit) if limit else None,
    )


def read_at(text: str) -> float:
    head, _, fraction = text.rstrip("Z").partition(".")
    return datetime.fromisoformat(f"{head}+00:00").timestamp() + float(f"0.{fraction or 0}")


def cores(before: Usage, after: Usage) -> float | None:
    """Cores in use between two readings; None when it was started anew in between, or both are the same."""
    seconds, used = after.at - before.at, after.cpu_seconds - before.cpu_seconds
    return used / seconds if seconds > 0 and used >= 0 else None


def log_lines(stream: bytes) -> list[str]:
    """Docker's two streams in one: pieces with a header of eight bytes, the last four of them its length."""
    text, at = bytearray(), 0
    while at + 8 <= len(stream):
        kind, size = struct.unpack_from(">BxxxI", stream, at)
        if kind > 2:  # a terminal: no headers
            return stream.decode(errors="replace").splitlines()
        text += stream[at + 8 : at + 8 + size]
        at += 8 + size
    return text.decode(errors="replace").splitlines()
