"""Proxies: which one is healthy, and for how long one that was blocked has to rest. No clock and no socket here.

An entry of PROXY_LIST is `http://user:password@host:port`, also https, socks5 and socks5h; a comma in a password is
written %2C.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit

from common.settings import BadSetting
from scrapers.errors import Blocked, Unavailable

SCHEMES = ("http", "https", "socks5", "socks5h")
BLOCK_REST = 60.0  # seconds after the first block; doubled by each one more
FAILURE_REST = 15.0  # the same for a proxy that does not work
LONGEST_REST = 3600.0
FORGIVEN_AFTER = 20  # good answers in a row that take one strike away


class ProxyDown(Unavailable):
    """The proxy does not work, whatever the site would have said."""


@dataclass(frozen=True)
class Proxy:
    position: int  # in PROXY_LIST, from 1
    scheme: str
    host: str
    port: int
    username: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    url: str = field(default="", repr=False)  # with credentials: for the network library, never for a log

    @property
    def name(self) -> str:
        """For logs. The position too: some vendors sell one address with many accounts."""
        return f"#{self.position} {self.host}:{self.port}"

    def hide(self, text: str) -> str:
        """The text of a library's error, without what it may repeat of the credentials."""
        secrets = {self.username, self.password, *re.findall(r"//([^/]*)@", self.url)} - {""}
        for secret in sorted(secrets, key=len, reverse=True):
            text = text.replace(secret, "***")
        return text


def parse_proxies(text: str) -> tuple[Proxy, ...]:
    """Raises `BadSetting` naming an entry by its position: the entry itself may hold a password."""
    entries = [entry.strip() for entry in re.split(r"[,\n]", text) if entry.strip()]
    return tuple(parse_proxy(position, entry) for position, entry in enumerate(entries, start=1))


def parse_proxy(position: int, entry: str) -> Proxy:
    def bad(reason: str) -> BadSetting:
        return BadSetting(f"PROXY_LIST, entry {position}: {reason}. Write it as http://user:password@host:port.")

    try:
        parts = urlsplit(entry)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise bad("it is no address, or its port is no number") from None
    if parts.scheme not in SCHEMES:
        raise bad(f"it must begin with one of {', '.join(SCHEMES)}")
    if not host or not port:
        raise bad("host or port is missing")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise bad("something follows the port; in a password, write / as %2F, # as %23 and ? as %3F")
    return Proxy(position, parts.scheme, host, port, *credentials(parts), url=entry.rstrip("/"))


def credentials(parts: SplitResult) -> tuple[str, str]:
    return unquote(parts.username or ""), unquote(parts.password or "")


@dataclass
class Health:
    strikes: int = 0
    good_in_a_row: int = 0
    rests_until: float = 0.0
    reason: str = ""


class Proxies:
    """Turns through the healthy ones. Times are handed in, in seconds of any clock that only goes forward."""

    def __init__(self, proxies: Sequence[Proxy] = ()) -> None:
        self._proxies = tuple(proxies)
        self._health = {proxy: Health() for proxy in self._proxies}
        self._turn = 0

    def __len__(self) -> int:
        return len(self._proxies)

    def pick(self, now: float, *, keep: bool = False) -> Proxy | None:
        """The next healthy one, or with `keep` the last as long as it is healthy; None when there is no list.

        Raises `Blocked` when all of them rest.
        """
        if not self._proxies:
            return None
        start = self._turn - 1 if keep and self._turn else self._turn
        for step in range(len(self._proxies)):
            index = (start + step) % len(self._proxies)
            if self.is_healthy(self._proxies[index], now):
                self._turn = index + 1
                return self._proxies[index]
        wait = min(health.rests_until for health in self._health.values()) - now
        raise Blocked(f"no healthy proxy of {len(self._proxies)}, next in {wait:.0f} s", retry_after=wait)

    def is_healthy(self, proxy: Proxy, now: float) -> bool:
        return self._health[proxy].rests_until <= now

    def any_healthy(self, now: float) -> bool:
        return any(self.is_healthy(proxy, now) for proxy in self._proxies)

    def blocked(self, proxy: Proxy, now: float, asked: float | None = None) -> float:
        """The site refused this proxy: it rests, longer each time. Seconds of rest."""
        return self._rest(proxy, now, BLOCK_REST, asked or 0.0, "blocked")

    def failed(self, proxy: Proxy, now: float) -> float:
        return self._rest(proxy, now, FAILURE_REST, 0.0, "not working")

    def worked(self, proxy: Proxy) -> None:
        health = self._health[proxy]
        health.good_in_a_row += 1
        if health.good_in_a_row >= FORGIVEN_AFTER and health.strikes:
            health.strikes -= 1
            health.good_in_a_row = 0

    def describe(self, now: float) -> list[dict[str, object]]:
        return [
            {"proxy": proxy.name, "state": "healthy", "strikes": health.strikes}
            if self.is_healthy(proxy, now)
            else {
                "proxy": proxy.name,
                "state": health.reason,
                "strikes": health.strikes,
                "rests_s": round(health.rests_until - now),
            }
            for proxy, health in self._health.items()
        ]

    def _rest(self, proxy: Proxy, now: float, first: float, least: float, reason: str) -> float:
        health = self._health[proxy]
        seconds = min(max(first * 2.0 ** min(health.strikes, 16), least), LONGEST_REST)
        health.strikes += 1
        health.good_in_a_row = 0
        health.rests_until = max(health.rests_until, now + seconds)
        health.reason = reason
        return health.rests_until - now
