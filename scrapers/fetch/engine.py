"""What an engine is: something that sends one request, once."""

from typing import Protocol

from scrapers.fetch.proxies import Proxy
from scrapers.wire import Request, Response

USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"
LANGUAGES = "pt-BR,pt;q=0.9"


class Engine(Protocol):
    keeps_proxy: bool  # one proxy as long as it is healthy, since what the site gave us is tied to the address
    timeout: float  # seconds that one sending may take

    async def prepare(self) -> None:
        """Bring up what sending needs. It has its own time: a slow start is not the site's fault."""

    async def send(self, request: Request, proxy: Proxy | None) -> Response:
        """Whatever the site answers, redirects not followed. `Unavailable` when nothing comes, `ProxyDown` when the
        proxy is the reason, `Changed` when the answer cannot be read."""

    def describe(self) -> dict[str, object]:
        """What the heartbeat should show of this engine."""

    async def close(self) -> None:
        """End everything that was started. Never raises, may be called twice."""
