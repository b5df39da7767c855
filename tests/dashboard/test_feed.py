"""Live updates: to each page what changed on it, once, and a slow one holds up nobody."""

import asyncio
from typing import Any

import msgspec

from dashboard.feed import Channel, Reader
from dashboard.html import tag
from dashboard.pages import Rendered, parse_topic


class Page:
    """An open page, and what it was sent. While `held`, it takes nothing more."""

    def __init__(self, channel: Channel) -> None:
        self.received: list[bytes] = []
        self.free = asyncio.Event()
        self.free.set()
        self.reader = Reader(self.take, channel)
        channel.readers.add(self.reader)

    async def take(self, text: bytes) -> None:
        self.received.append(text)
        await self.free.wait()

    @property
    def patches(self) -> list[Any]:
        return [msgspec.json.decode(text.split(b"data: ")[1]) for text in self.received]


def show(channel: Channel, standing: str = "OK", **parts: str) -> None:
    markup = {name: tag("p", text) for name, text in parts.items()}
    page = Rendered("title", markup, lambda _: tag("p"), {"KTO": standing})
    channel.show(page, lambda name, status: f"{name}: {status}")


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def channel() -> Channel:
    made = Channel(lambda: 12.3)
    show(made, a="1", b="2")
    return made


async def test_only_what_changed_is_sent_and_to_everybody() -> None:
    made = channel()
    pages = [Page(made), Page(made)]
    show(made, a="1", b="3")
    await settled()
    for page in pages:
        assert page.patches == [{"now": 12.3, "parts": {"b": "<p>3</p>"}, "gone": [], "said": [], "whole": False}]


async def test_nothing_changed_nothing_sent() -> None:
    made = channel()
    page = Page(made)
    show(made, a="1", b="2")
    await settled()
    assert page.received == []


async def test_what_is_no_longer_there_is_said_and_so_is_a_change_of_status() -> None:
    made = channel()
    page = Page(made)
    show(made, "no data", a="1")
    await settled()
    (patch,) = page.patches
    assert patch["gone"] == ["b"]
    assert patch["said"] == ["KTO: no data"]


async def test_a_slow_page_gets_all_of_it_when_it_is_free_and_holds_up_nobody() -> None:
    made = channel()
    slow, quick = Page(made), Page(made)
    slow.free.clear()
    for text in ("3", "4", "5"):
        show(made, a="1", b=text)
        await settled()
    assert len(quick.received) == 3
    assert len(slow.received) == 1
    slow.free.set()
    await settled()
    assert len(slow.received) == 2
    assert slow.patches[1]["whole"]
    assert slow.patches[1]["parts"] == {"a": "<p>1</p>", "b": "<p>5</p>"}


def test_a_version_is_the_same_for_the_same_content_only() -> None:
    one, other = channel(), channel()
    assert one.version == other.version
    show(other, a="1", b="3")
    assert one.version != other.version


def test_no_page_is_called_so() -> None:
    for address in (
        "",
        "x",
        "scraper",
        "scraper:",
        "scraper:../x",
        "scraper:A",
        "match:-1",
        "match:x",
        "match:" + "9" * 30,
    ):
        assert parse_topic(address, "en") is None, address
    topic = parse_topic("scraper:br4bet_nba", "pt-BR")
    assert topic
    assert topic.address == "scraper:br4bet_nba"
