"""One file per wire format, each with two pure functions: what to request, and how to read an answer."""

from collections.abc import Sequence
from datetime import datetime
from importlib import import_module
from typing import Protocol, cast

from scrapers.catalog import Bookmaker
from scrapers.odds import Page
from scrapers.wire import Request, Response


class Platform(Protocol):
    def requests(self, book: Bookmaker, now: datetime) -> Sequence[Request]:
        """What one cycle asks the site for."""

    def parse(self, book: Bookmaker, response: Response) -> Page:
        """What an answer says. Raises `Changed` when it no longer has the known shape, and nothing else."""


def load(name: str) -> Platform:
    """Imported when needed: a container pays memory for the one format that it reads."""
    return cast("Platform", import_module(f"scrapers.platforms.{name}"))
