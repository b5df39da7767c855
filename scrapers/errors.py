"""What can go wrong in a cycle. Four errors, each meaning an action:

    ScrapeError
    ├── Blocked      403, 429, challenge page   rotate the proxy, back off; a restart does not help
    ├── Unavailable  timeout, 5xx, network      retry with jitter inside the cycle
    ├── Changed      the format moved           no retry; keep the answer as evidence; alert
    └── Refused      the store says no          dead letter

Classified where they are raised, never guessed from a message. `kind` is what heartbeats, alerts and metrics show.
"""

from typing import ClassVar


class ScrapeError(Exception):
    kind: ClassVar[str]


class Blocked(ScrapeError):  # noqa: N818 - the name says what happened
    kind = "blocked"

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unavailable(ScrapeError):  # noqa: N818
    kind = "unavailable"

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Changed(ScrapeError):  # noqa: N818
    kind = "changed"

    def __init__(self, message: str, evidence: bytes = b"") -> None:
        super().__init__(message)
        self.evidence = evidence


class Refused(ScrapeError):  # noqa: N818
    kind = "refused"


class Waiting(Exception):  # noqa: N818
    """Not an error: nothing can be done until the operator acts, such as setting a key. The message names what."""
