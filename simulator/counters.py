"""How each site was visited. No clock: times are handed in."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

REMEMBERED = 50


@dataclass(slots=True)
class Visits:
    since: datetime
    count: int = 0
    open: int = 0
    max_concurrency: int = 0
    user_agent: str | None = None
    last: deque[tuple[datetime, str]] = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    def state(self) -> dict[str, object]:
        return {
            "since": self.since,
            "count": self.count,
            "open": self.open,
            "max_concurrency": self.max_concurrency,
            "user_agent": self.user_agent,
            "last": [{"at": at, "request": request} for at, request in self.last],
        }


class Counters:
    def __init__(self, now: datetime) -> None:
        self._since = now
        self._visits: dict[str, Visits] = {}

    def of(self, target: str) -> Visits:
        return self._visits.get(target) or Visits(self._since)

    def totals(self) -> dict[str, int]:
        return {target: visits.count for target, visits in self._visits.items()}

    def reset(self, now: datetime) -> None:
        """Requests still open are no longer counted anywhere."""
        self._since = now
        self._visits = {}

    @contextmanager
    def visit(self, target: str, request: str, user_agent: str | None, now: datetime) -> Iterator[None]:
        visits = self._visits.setdefault(target, Visits(self._since))
        visits.count += 1
        visits.open += 1
        visits.max_concurrency = max(visits.max_concurrency, visits.open)
        visits.user_agent = user_agent
        visits.last.append((now, request))
        try:
            yield
        finally:
            visits.open -= 1
