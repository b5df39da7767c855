"""What a page may not load: nothing that is only looked at or listened to, and nobody who counts visitors."""

from contextlib import suppress
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, Error, Route

KINDS = frozenset({"image", "media", "font", "texttrack", "manifest", "ping", "cspviolationreport"})
TRACKERS = (
    "google-analytics.com",
    "googletagmanager.com",
    "googleadservices.com",
    "googlesyndication.com",
    "doubleclick.net",
    "facebook.net",
    "facebook.com",
    "tiktok.com",
    "clarity.ms",
    "hotjar.com",
    "segment.io",
    "segment.com",
    "optimizely.com",
    "newrelic.com",
    "nr-data.net",
    "datadoghq.com",
    "sentry.io",
    "intercom.io",
    "zendesk.com",
    "zdassets.com",
    "onesignal.com",
    "appsflyer.com",
    "adjust.com",
    "branch.io",
    "criteo.com",
    "taboola.com",
    "outbrain.com",
    "bing.com",
    "twitter.com",
)


def is_wanted(url: str, kind: str) -> bool:
    host = urlsplit(url).hostname or ""
    return kind not in KINDS and not any(host == tracker or host.endswith(f".{tracker}") for tracker in TRACKERS)


async def block_ballast(context: BrowserContext) -> None:
    await context.route("**/*", _judge)


async def _judge(route: Route) -> None:
    with suppress(Error):  # the page is gone
        if is_wanted(route.request.url, route.request.resource_type):
            await route.continue_()
        else:
            await route.abort()
