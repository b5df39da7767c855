"""What Discord keeps of a webhook: messages, their edits, and the limits that a message must respect. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

CONTENT_LIMIT = 2000
EMBEDS_LIMIT = 10
EMBED_LIMITS = {"title": 256, "description": 4096}
FIELDS_LIMIT = 25
FIELD_LIMITS = {"name": 256, "value": 1024}
EMBEDS_TEXT_LIMIT = 6000
FIRST_ID = 1_300_000_000_000_000_000
KEPT = 1000

Payload = Mapping[str, object]


@dataclass(slots=True)
class Message:
    id: str
    webhook: str
    sent_at: datetime
    payload: dict[str, object]
    edits: list[dict[str, object]] = field(default_factory=list)

    def shown(self) -> dict[str, object]:
        """As Discord's API gives it."""
        edited = self.edits[-1]["at"] if self.edits else None
        return {
            "id": self.id,
            "type": 0,
            "content": self.payload.get("content") or "",
            "channel_id": "1200000000000000001",
            "author": {"id": self.webhook, "bot": True, "username": self.payload.get("username") or "oddsfleet"},
            "embeds": self.payload.get("embeds") or [],
            "attachments": [],
            "mentions": [],
            "pinned": False,
            "tts": False,
            "timestamp": self.sent_at,
            "edited_timestamp": edited,
            "flags": 0,
            "webhook_id": self.webhook,
        }


class Sink:
    def __init__(self) -> None:
        self._messages: dict[str, Message] = {}
        self._next = FIRST_ID

    def post(self, webhook: str, payload: Payload, now: datetime) -> Message:
        message = Message(str(self._next), webhook, now, dict(payload))
        self._next += 1
        self._messages[message.id] = message
        if len(self._messages) > KEPT:
            self._messages.pop(next(iter(self._messages)))
        return message

    def find(self, webhook: str, message_id: str) -> Message | None:
        message = self._messages.get(message_id)
        return message if message and message.webhook == webhook else None

    def edit(self, message: Message, payload: Payload, now: datetime) -> None:
        message.payload |= payload
        message.edits.append({"at": now, "payload": dict(payload)})

    def delete(self, message: Message) -> None:
        self._messages.pop(message.id, None)

    def clear(self) -> None:
        self._messages.clear()

    def state(self) -> list[dict[str, object]]:
        return [{**message.shown(), "edits": message.edits} for message in self._messages.values()]


def problem(payload: object, *, new: bool) -> dict[str, object] | None:
    """Discord's answer to a message that it does not take; None when it does."""
    if not isinstance(payload, dict):
        return {"message": "The request body contains invalid JSON.", "code": 50109}
    if new and not payload.get("content") and not payload.get("embeds"):
        return {"message": "Cannot send an empty message", "code": 50006}
    errors = dict(_too_long(payload))
    return {"message": "Invalid Form Body", "code": 50035, "errors": errors} if errors else None


def _too_long(payload: Payload) -> list[tuple[str, str]]:
    found = []
    if len(str(payload.get("content") or "")) > CONTENT_LIMIT:
        found.append(("content", f"Must be {CONTENT_LIMIT} or fewer in length."))
    embeds = payload.get("embeds") or []
    if not isinstance(embeds, list) or not all(isinstance(embed, dict) for embed in embeds):
        return [*found, ("embeds", "Must be a list of embeds.")]
    if len(embeds) > EMBEDS_LIMIT:
        found.append(("embeds", f"Must be {EMBEDS_LIMIT} or fewer in length."))
    total = 0
    for index, embed in enumerate(embeds):
        fields = embed.get("fields") or []
        texts = [(f"embeds.{index}.{name}", embed.get(name), limit) for name, limit in EMBED_LIMITS.items()]
        texts += [
            (f"embeds.{index}.fields.{at}.{name}", item.get(name), limit)
            for at, item in enumerate(fields)
            if isinstance(item, dict)
            for name, limit in FIELD_LIMITS.items()
        ]
        found += [(where, f"Must be {limit} or fewer.") for where, text, limit in texts if len(str(text or "")) > limit]
        total += sum(len(str(text or "")) for _, text, _ in texts)
        if len(fields) > FIELDS_LIMIT:
            found.append((f"embeds.{index}.fields", f"Must be {FIELDS_LIMIT} or fewer in length."))
    if total > EMBEDS_TEXT_LIMIT:
        found.append(("embeds", f"Embed size exceeds maximum size of {EMBEDS_TEXT_LIMIT}"))
    return found
