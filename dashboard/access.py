"""Who may act: a token typed once, a session that holds no token, and forms that only our own pages can send.

The session is `<expiry>.<nonce>.<signature>`, signed with a key derived from the token: another token ends every
session, a restart of the dashboard ends none, and nothing is stored.
"""

import hashlib
import hmac
import ipaddress
import secrets
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from common.settings import Secret

COOKIE = "oddsfleet_session"
HOURS = 12
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0  # seconds after a wrong token, doubled each time
FREE_TRIES = 3


class Access:
    """Raises nothing: every question is answered with yes or no. `clock` gives seconds since 1970."""

    def __init__(self, token: Secret, clock: Callable[[], float]) -> None:
        self._token = token
        self._key = hashlib.blake2b(token.reveal().encode(), person=b"oddsfleet").digest()
        self._clock = clock
        self._failures = 0
        self._closed_until = 0.0

    @property
    def is_possible(self) -> bool:
        return bool(self._token)

    def wait(self) -> float:
        """Seconds until the next token is looked at."""
        return max(0.0, self._closed_until - self._clock())

    def log_in(self, token: str) -> str | None:
        """A session, or None: the token is wrong, or it is too soon after a wrong one."""
        if not self.is_possible or self.wait():
            return None
        digests = [hashlib.blake2b(text.encode()).digest() for text in (token, self._token.reveal())]
        if not hmac.compare_digest(*digests):
            self._failures += 1
            if self._failures >= FREE_TRIES:
                pause = min(FIRST_WAIT * 2.0 ** (self._failures - FREE_TRIES), LONGEST_WAIT)
                self._closed_until = self._clock() + pause
            return None
        self._failures = 0
        content = f"{self._clock() + HOURS * 3600:.0f}.{secrets.token_urlsafe(12)}"
        return f"{content}.{self._sign('session', content)}"

    def is_session(self, session: str) -> bool:
        content, _, signature = session.rpartition(".")
        if not self.is_possible or not content or not session.isascii():
            return False
        if not hmac.compare_digest(self._sign("session", content), signature):
            return False
        return float(content.partition(".")[0]) > self._clock()

    def form_token(self, session: str) -> str:
        """What the forms of this session carry; empty where there is no session."""
        return self._sign("form", session) if self.is_session(session) else ""

    def is_own_form(self, session: str, token: str) -> bool:
        expected = self.form_token(session)
        return bool(expected) and token.isascii() and hmac.compare_digest(expected, token)

    def _sign(self, purpose: str, content: str) -> str:
        return hmac.new(self._key, f"{purpose}:{content}".encode(), hashlib.sha256).hexdigest()


def is_same_origin(headers: Mapping[str, str]) -> bool:
    """Whether a request was sent by a page of ours, as far as the browser says. Other programs say nothing."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None and site != "same-origin":
        return False
    if origin is None:
        return True
    return urlsplit(origin).netloc.lower() == headers.get("host", "").lower()


def is_known_host(host: str, names: frozenset[str]) -> bool:
    """Whether we go by this name. Numbers are always ours; a name could be a stranger's, pointed at this machine to
    read the page through somebody's browser (DNS rebinding).
    """
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() and not host.endswith("]") else host
    name = name.lower().rstrip(".")
    if name in names or name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True
