"""What goes over the wire, as values: platforms make requests and read responses without touching a socket."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TypeVar

import msgspec

from scrapers.errors import Changed

T = TypeVar("T")

EVIDENCE_BYTES = 64 * 1024


class Request(msgspec.Struct, frozen=True):
    url: str
    params: Mapping[str, str] = {}
    method: str = "GET"
    headers: Mapping[str, str] = {}
    json: object = None  # body, when there is one
    note: str = ""  # carried to `parse`: what this request was for, when the answer does not say


class Response(msgspec.Struct, frozen=True):
    request: Request
    status: int
    headers: Mapping[str, str]  # lower-case names
    body: bytes


def read_json(response: Response, shape: type[T]) -> T:
    """The answer as `shape`, or `Changed` naming the first thing that does not fit, with the answer as evidence."""
    return decode(response.body, shape)


def decode(body: bytes | msgspec.Raw, shape: type[T]) -> T:
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise Changed(f"the answer does not have the known shape: {error}", bytes(body[:EVIDENCE_BYTES])) from error


def try_decode(raw: msgspec.Raw, shape: type[T]) -> T | None:
    """One element of a list, where a single bad one must not cost the rest."""
    try:
        return msgspec.json.decode(raw, type=shape)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


def utc(text: object) -> datetime | None:
    """An ISO time as UTC; without a zone it is taken as UTC already. None when it is no time."""
    if not isinstance(text, str):
        return None
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        return None
    try:
        return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def utc_millis(value: object) -> datetime | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return datetime.fromtimestamp(value / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
