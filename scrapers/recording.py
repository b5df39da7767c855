"""A live answer kept as a test: the request, the raw answer, and what the parser made of it."""

import hashlib
from pathlib import Path

import msgspec

from scrapers.keys import masked
from scrapers.odds import Page
from scrapers.wire import Response


def expectation(page: Page) -> object:
    """A page as plain data, complete but for keys, in the form of expected.json."""
    follow = [masked(request) for request in page.follow]
    encoded = msgspec.json.encode({"events": page.events, "skipped": page.skipped, "follow": follow})
    return msgspec.json.decode(encoded)


def record(folder: Path, response: Response, page: Page) -> Path:
    """Write one case under `folder`, named after the request so that recording again replaces it."""
    request = masked(response.request)
    name = hashlib.sha256(msgspec.json.encode(request)).hexdigest()[:10]
    case = folder / name
    case.mkdir(parents=True, exist_ok=True)
    suffix = "json" if response.body.lstrip()[:1] in (b"{", b"[") else "html"
    (case / f"response.{suffix}").write_bytes(response.body)
    (case / "request.json").write_bytes(pretty(msgspec.to_builtins(request)))
    (case / "expected.json").write_bytes(pretty(expectation(page)))
    return case


def pretty(value: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"
