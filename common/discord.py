"""Discord's webhooks: send a message, edit it later. Small and typed; queueing is the caller's.

    DiscordError
    ├── Busy      429, 5xx, unreachable    the same again after `retry_after` seconds; asking earlier is answered here
    │   └── Lost  a new message, no answer it may stand there: the same again may tell it twice
    ├── Gone      the message was deleted  send another, or let it be
    └── Rejected  anything else            the address or the message is wrong: the same again cannot help

The address is a secret: it stands in no message and no log.
"""

import re
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

import httpx
import msgspec

from common.settings import Secret, is_encrypted

TITLE, DESCRIPTION, FIELDS, NAME, VALUE, FOOTER, TOTAL = 256, 4096, 25, 256, 1024, 2048, 6000
PAUSE = 5.0  # seconds to leave it alone when it does not say for how long
LONGEST_PAUSE = 600.0
UNKNOWN_MESSAGE = 10008
# Emphasis, code, spoilers, mentions, times, links with a text; addresses; emoji.
MARKUP = re.compile(r"[\\*_~`|<@\[\]]|:(?=\s*/|[^\s:]+:)")
# Headings, quotes, lists. Elsewhere a hyphen is left alone: previews and titles may show a backslash as it is.
LEADING = re.compile(r"((?:^|[\n\r])\s*)([#>-])")
NOT_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.InvalidURL,
)


class DiscordError(Exception):
    pass


class Busy(DiscordError):  # noqa: N818 - the name says what happened
    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Lost(Busy):
    pass


class Gone(DiscordError):  # noqa: N818
    pass


class Rejected(DiscordError):  # noqa: N818
    pass


class Field(msgspec.Struct, frozen=True, omit_defaults=True):
    name: str
    value: str
    inline: bool = False


class Footer(msgspec.Struct, frozen=True):
    text: str


class Embed(msgspec.Struct, frozen=True, omit_defaults=True):
    title: str
    description: str = ""
    color: int = 0
    fields: tuple[Field, ...] = ()
    footer: Footer | None = None
    timestamp: str | None = None  # ISO 8601
    url: str | None = None

    def clipped(self) -> "Embed":
        """Within Discord's limits: a message that is cut says more than one that is refused."""
        title, description = clip(self.title, TITLE), clip(self.description, DESCRIPTION)
        footer = Footer(clip(self.footer.text, FOOTER)) if self.footer else None
        left = TOTAL - len(title) - len(description) - (len(footer.text) if footer else 0)
        kept = []
        for field in self.fields[:FIELDS]:
            # Discord wants every field to have a name and a value.
            cut = Field(clip(field.name, NAME) or "–", clip(field.value, VALUE) or "–", field.inline)
            left -= len(cut.name) + len(cut.value)
            if left < 0:
                break
            kept.append(cut)
        return msgspec.structs.replace(self, title=title, description=description, footer=footer, fields=tuple(kept))


class Created(msgspec.Struct):
    id: str


class Complaint(msgspec.Struct):
    message: str = ""
    code: int = 0
    retry_after: float | None = None


class Webhook:
    def __init__(self, url: Secret, *, timeout: float = 10.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._url = url
        self._clock = clock
        self._not_before = 0.0
        self._client = httpx.AsyncClient(timeout=timeout, verify=is_encrypted(url.reveal()))

    async def post(self, embed: Embed) -> str:
        """The id of the new message."""
        answer = await self._send("POST", "?wait=true", embed)
        try:
            return msgspec.json.decode(answer, type=Created).id
        except msgspec.DecodeError:
            raise Rejected("what answers at DISCORD_WEBHOOK_URL is not Discord") from None

    async def edit(self, message_id: str, embed: Embed) -> None:
        await self._send("PATCH", f"/messages/{message_id}", embed)

    async def _send(self, method: str, path: str, embed: Embed) -> bytes:
        if (left := self._not_before - self._clock()) > 0:
            raise Busy(f"Discord asked for {left:.1f} more seconds of silence", left)
        # Names come from strangers: nobody is pinged, whatever they say.
        body = msgspec.json.encode({"embeds": [embed.clipped()], "allowed_mentions": {"parse": []}})
        try:
            answer = await self._client.request(
                method,
                self._url.reveal().rstrip("/") + path,
                content=body,
                headers={"content-type": "application/json"},
            )
        except (httpx.TransportError, httpx.InvalidURL) as error:
            if method == "POST" and not isinstance(error, NOT_SENT):
                self._hold(PAUSE)
                raise Lost(f"Discord's answer is lost: {type(error).__name__}", PAUSE) from None
            raise self._busy(f"Discord cannot be reached: {type(error).__name__}", None) from None
        if answer.is_success:
            if answer.headers.get("x-ratelimit-remaining") == "0":
                self._hold(seconds(answer.headers.get("x-ratelimit-reset-after")) or 0.0)
            return answer.content
        said = complaint(answer.content)
        if answer.status_code == 429 or answer.status_code >= 500:
            wait = said.retry_after if said.retry_after is not None else seconds(answer.headers.get("retry-after"))
            raise self._busy(f"Discord answers {answer.status_code}", wait)
        if answer.status_code == 404 and said.code == UNKNOWN_MESSAGE:
            raise Gone("the message was deleted on Discord")
        raise Rejected(f"Discord answers {answer.status_code}: {said.message or 'no reason given'}")

    def _busy(self, message: str, wait: float | None) -> Busy:
        pause = min(PAUSE if wait is None else max(wait, 0.0), LONGEST_PAUSE)
        self._hold(pause)
        return Busy(message, pause)

    def _hold(self, pause: float) -> None:
        self._not_before = max(self._not_before, self._clock() + pause)

    async def close(self) -> None:
        await self._client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def complaint(body: bytes) -> Complaint:
    try:
        return msgspec.json.decode(body, type=Complaint)
    except msgspec.DecodeError:
        return Complaint()


def seconds(text: str | None) -> float | None:
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None


def clip(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def plain(text: str) -> str:
    """Text from a stranger, without a meaning to Discord's Markdown."""
    return LEADING.sub(r"\1\\\2", MARKUP.sub(r"\\\g<0>", text))
