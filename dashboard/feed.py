"""Live updates: one look at the data for all open pages, and to each page only what changed on it.

A page of which nobody looks costs nothing: the loop rests while no page is open.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping

import msgspec
from loguru import logger

from dashboard.html import Html
from dashboard.pages import Rendered, Topic, render
from dashboard.source import Source
from dashboard.view import Fragments

Send = Callable[[bytes], Awaitable[None]]
TICK = 15.0  # seconds between two signs of life to a page on which nothing changes
MOST_SAID = 4  # changes that a screen reader is told at once
MOST_READERS = 500


class Reader:
    """One open page. At most one message is on its way to it; a slow one gets the whole page when it is free again."""

    __slots__ = ("_behind", "_busy", "_delivery", "_send", "channel", "handler")

    def __init__(self, send: Send, channel: "Channel") -> None:
        self.channel = channel
        self._send = send
        self._busy = False
        self._behind = False
        self._delivery: asyncio.Task[None] | None = None
        self.handler = asyncio.current_task()

    def tell(self, message: bytes) -> None:
        if self._busy:
            self._behind = True
            return
        self._busy = True
        self._delivery = asyncio.create_task(self._deliver(message))

    async def _deliver(self, message: bytes) -> None:
        try:
            await self._send(message)
            while self._behind:
                self._behind = False
                await self._send(self.channel.everything())
        except OSError:
            pass  # it has left; its handler notices
        finally:
            self._busy, self._delivery = False, None


class Channel:
    """A topic, what its pages show now, and who looks."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.readers: set[Reader] = set()
        self.version = ""
        self._now = now
        self._parts: Fragments = {}
        self._standings: Mapping[str, str] = {}
        self._told_at = time.monotonic()

    def everything(self) -> bytes:
        return message(self.version, self._now(), self._parts, gone=[], said=[], whole=True)

    def show(self, page: Rendered, changed_to: Callable[[str, str], str]) -> None:
        """To every page what it does not show yet."""
        changed = {name: markup for name, markup in page.parts.items() if self._parts.get(name) != markup}
        gone = [name for name in self._parts if name not in page.parts]
        said = [
            changed_to(name, stands)
            for name, stands in page.standings.items()
            if name in self._standings and self._standings[name] != stands
        ]
        is_first = not self.version
        self._parts, self._standings, self.version = page.parts, page.standings, page.version
        if is_first:
            return
        if changed or gone:
            self._broadcast(message(self.version, self._now(), changed, gone=gone, said=said[:MOST_SAID]))
        elif time.monotonic() - self._told_at > TICK:
            self._broadcast(message(self.version, self._now(), {}, gone=[], said=[]))

    def _broadcast(self, text: bytes) -> None:
        self._told_at = time.monotonic()
        for reader in self.readers:
            reader.tell(text)


class Feed:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._channels: dict[Topic, Channel] = {}
        self._somebody = asyncio.Event()

    @property
    def readers(self) -> int:
        return sum(len(channel.readers) for channel in self._channels.values())

    @property
    def is_full(self) -> bool:
        return self.readers >= MOST_READERS

    async def join(self, topic: Topic, version: str, send: Send) -> Reader:
        """A page that shows `version` of its topic from now on gets what is new."""
        channel = self._channels.setdefault(topic, Channel(lambda: self._source.now))
        reader = Reader(send, channel)
        channel.readers.add(reader)
        self._somebody.set()
        if not channel.version:
            await self._look(topic, channel)
        # Also when it is up to date: the answer begins, and the page knows that it is connected.
        is_behind = channel.version and channel.version != version
        reader.tell(channel.everything() if is_behind else b": welcome\n\n")
        return reader

    def leave(self, topic: Topic, reader: Reader) -> None:
        reader.channel.readers.discard(reader)
        if not reader.channel.readers and self._channels.get(topic) is reader.channel:
            del self._channels[topic]
        if not self._channels:
            self._somebody.clear()

    def close(self) -> None:
        """Every page is let go, so that we can stop; each comes back by itself."""
        for channel in self._channels.values():
            for reader in channel.readers:
                if reader.handler:
                    reader.handler.get_loop().call_soon_threadsafe(reader.handler.cancel)

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self._somebody.wait()
            started = time.monotonic()
            for topic, channel in list(self._channels.items()):
                try:
                    await self._look(topic, channel)
                except Exception as error:  # noqa: BLE001 - a fault of ours on one page must not end the others
                    logger.opt(exception=error).error("[feed] a fault of our own, please report it: {}", error)
            await asyncio.sleep(max(0.1, self._source.poll - (time.monotonic() - started)))

    async def _look(self, topic: Topic, channel: Channel) -> None:
        page = await render(self._source, topic)
        if page is not None:
            words = topic.words
            channel.show(page, lambda name, status: words("changed_to", name=name, status=status))


def message(
    version: str, now: float, parts: Mapping[str, Html], *, gone: list[str], said: list[str], whole: bool = False
) -> bytes:
    """An event of an event stream. `whole`: what is not in it is no longer there."""
    content = {"now": round(now, 1), "parts": parts, "gone": gone, "said": said, "whole": whole}
    return b"id: %s\nevent: patch\ndata: %s\n\n" % (version.encode(), msgspec.json.encode(content, enc_hook=str))
