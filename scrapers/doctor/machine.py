"""What is known of a machine, and what the fleet asks of it. Unknown is None, never 0."""

import json
from typing import Literal

import msgspec

Mode = Literal["parallel", "sequential"]
MODES: tuple[Mode, ...] = ("parallel", "sequential")
MEGABYTE = 1024 * 1024


class Visit(msgspec.Struct, frozen=True, kw_only=True):
    """One origin that bookmakers are read from."""

    origin: str
    scrapers: tuple[str, ...]
    resolved: bool = False
    seconds: float | None = None  # from the request to the first line of the answer
    status: int | None = None
    error: str = ""


class Clock(msgspec.Struct, frozen=True):
    ahead: float  # seconds, of the one that was asked
    asked: str


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    memory_mb: int | None
    cores: int | None
    load: float | None  # processes that wanted a core, over the last minutes
    disk_free_mb: int | None
    clock: Clock | None
    visits: tuple[Visit, ...]


class Service(msgspec.Struct, frozen=True):
    name: str
    limit_mb: int
    image: str


Fleet = dict[Mode, tuple[Service, ...]]


def read_fleet(text: str) -> Fleet:
    """From what `docker compose config --format json` says of each mode, one after the other, in the order of MODES."""
    decoder, documents, rest = json.JSONDecoder(), [], text.strip()
    while rest:
        document, end = decoder.raw_decode(rest)
        documents.append(document)
        rest = rest[end:].lstrip()
    return {
        mode: tuple(
            Service(name, int(service["mem_limit"]) // MEGABYTE, service["image"])
            for name, service in document["services"].items()
            if service.get("restart") == "unless-stopped"  # the others end by themselves, or are never started
        )
        for mode, document in zip(MODES, documents, strict=True)
    }
