"""Every live page: how its address names it, what it needs, and which view draws it."""

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from dashboard import view_containers, view_incidents, view_overview, view_scraper, view_surebets
from dashboard.html import Child, Html
from dashboard.model import Snapshot, standing
from dashboard.source import Source
from dashboard.view import Fragments
from dashboard.words import SPEAKERS, Words

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


class Topic(NamedTuple):
    """What a page is about, in which language: pages of one topic get the same updates."""

    page: str
    about: str
    language: str

    @property
    def words(self) -> Words:
        return SPEAKERS[self.language]

    @property
    def address(self) -> str:
        return f"{self.page}:{self.about}" if self.about else self.page


class Rendered(NamedTuple):
    title: str
    parts: Fragments
    content: Callable[[Child], Html]  # what is this reader's own goes in
    standings: Mapping[str, str]  # how each scraper stands, in words

    @property
    def version(self) -> str:
        return version_of(self.parts)


def parse_topic(address: str, language: str) -> Topic | None:
    """None for what no page of ours is called."""
    page, _, about = address.partition(":")
    if page == "scraper" and NAME.fullmatch(about):
        return Topic(page, about, language)
    if page == "match" and about.isascii() and about.isdecimal() and len(about) <= 18:
        return Topic(page, about, language)
    return Topic(page, "", language) if page in ("overview", "incidents", "surebets", "containers") else None


async def render(source: Source, topic: Topic) -> Rendered | None:  # noqa: PLR0911 - one way out per page
    """The page as it is now; None when it is about something that is not there."""
    words = topic.words
    match topic.page:
        case "overview":
            snapshot = await source.snapshot()
            parts = view_overview.fragments(snapshot, words)
            return made(words("overview"), parts, lambda _: view_overview.content(parts, words), snapshot, words)
        case "scraper":
            snapshot, shown = await source.scraper(topic.about)
            if shown is None:
                return None
            parts = view_scraper.fragments(shown, snapshot, words)
            return made(shown.row.title, parts, lambda own: view_scraper.content(parts, own), snapshot, words)
        case "incidents":
            snapshot, incidents = await source.incidents()
            parts = view_incidents.fragments(incidents, snapshot, words)
            return made(words("incidents"), parts, lambda _: view_incidents.content(parts, words), snapshot, words)
        case "surebets":
            snapshot, found = await source.surebets()
            parts = view_surebets.fragments(found, snapshot, words)
            return made(words("surebets"), parts, lambda _: view_surebets.content(parts, words), snapshot, words)
        case "match":
            snapshot, match_ = await source.match(int(topic.about))
            if match_ is None:
                return None
            parts = view_surebets.match_fragments(match_, snapshot, words)
            title = f"{match_.home} × {match_.away}"
            return made(title, parts, lambda _: view_surebets.match_content(match_, parts, words), snapshot, words)
        case _:
            snapshot = await source.snapshot()
            parts = view_containers.fragments(snapshot, words)
            return made(words("containers"), parts, lambda _: view_containers.content(parts, words), snapshot, words)


def made(title: str, parts: Fragments, content: Callable[[Child], Html], snapshot: Snapshot, words: Words) -> Rendered:
    standings = {row.title: words(standing(row)) for row in snapshot.scrapers}
    return Rendered(title, parts, content, standings)


def version_of(parts: Fragments) -> str:
    """The same for two pages that show the same."""
    digest = hashlib.blake2b(digest_size=8)
    for name, markup in parts.items():
        digest.update(f"{name}\0{markup}\0".encode())
    return digest.hexdigest()
