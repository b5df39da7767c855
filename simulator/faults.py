"""What can be made to go wrong at a site, and for how long. State without clock or I/O: times are handed in."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

import msgspec

MEGABYTE = 1024 * 1024

FAULTS = {
    "hang": "the connection is held, no answer comes",
    "slow": "the right answer after `delay` seconds",
    "403": "forbidden",
    "429": "too many requests, with `retry_after` seconds",
    "500": "internal server error",
    "empty": "the right format with no match in it",
    "malformed": "JSON with other keys and types",
    "truncated": "half of the answer, then the connection is closed",
    "huge": "`megabytes` of answer",
    "huge_gzip": "`megabytes` of answer in a small gzip body",
    "drop": "the connection is closed with no answer",
    "challenge": "a page that asks for a human, with status 200",
    "hostile": "the right format with absurd prices and hostile names among the good ones",
    "redirect": "302 to another host",
    "leak": "pages eat the browser's memory; answers that are no page are right",
}
NEEDS_BOARD = frozenset({"empty", "malformed", "hostile", "leak"})


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    fault: str | int
    count: Annotated[int, msgspec.Meta(ge=1)] | None = None  # requests that it hits
    seconds: Annotated[float, msgspec.Meta(gt=0)] | None = None  # time that it lasts
    delay: Annotated[float, msgspec.Meta(ge=0, le=3600)] = 10.0
    retry_after: Annotated[float, msgspec.Meta(ge=0)] = 1.0
    megabytes: Annotated[int, msgspec.Meta(ge=1, le=2048)] = 200

    @property
    def kind(self) -> str:
        return str(self.fault)


@dataclass(slots=True)
class Active:
    fault: Fault
    left: int | None
    until: float | None

    def over(self, now: float) -> bool:
        return self.left == 0 or (self.until is not None and now >= self.until)


class Faults:
    """One fault at most per target: a scraper's name, or `discord`."""

    def __init__(self) -> None:
        self._active: dict[str, Active] = {}

    def put(self, target: str, fault: Fault, now: float) -> None:
        until = None if fault.seconds is None else now + fault.seconds
        self._active[target] = Active(fault, fault.count, until)

    def clear(self, target: str | None = None) -> None:
        if target is None:
            self._active.clear()
        else:
            self._active.pop(target, None)

    def take(self, target: str, now: float) -> Fault | None:
        """The fault that the next request of this target meets, which counts as met."""
        active = self._active.get(target)
        if active is None or active.over(now):
            self.clear(target)
            return None
        if active.left is not None:
            active.left -= 1
        return active.fault

    def state(self, now: float) -> dict[str, dict[str, object]]:
        return {
            target: {
                "fault": active.fault.kind,
                "count_left": active.left,
                "seconds_left": None if active.until is None else round(active.until - now, 3),
            }
            for target, active in self._active.items()
            if not active.over(now)
        }


def refusal(fault: Fault, target: str, targets: Iterable[str]) -> str | None:
    """Why this fault cannot be put on this target, in words for a person; None when it can."""
    if target not in (known := sorted(targets)):
        return f"no target called {target!r}; there are: {', '.join(known)}"
    if fault.kind not in FAULTS:
        return f"no fault called {fault.kind!r}; there are: {', '.join(FAULTS)}"
    if target == "discord" and fault.kind in NEEDS_BOARD:
        return f"{fault.kind!r} is about odds, which discord does not have"
    return None
