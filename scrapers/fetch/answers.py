"""What a status means: the one place that says so."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from scrapers.errors import Blocked, Changed, Unavailable
from scrapers.wire import EVIDENCE_BYTES, Response

CHALLENGE_MARKS = (b"cf-challenge", b"cf_chl_", b"Just a moment...", b"_Incapsula_Resource", b"px-captcha", b"datadome")
BLOCKING = (401, 403, 429)
LONGEST_PAUSE = 3600.0  # seconds; a site that asks for more is asked again after this


def check(response: Response) -> Response:
    """The response, if it is an answer at all; else what its status means.

    Numbers above 599 belong to no standard: what a site means by them, its platform knows.
    """
    status, host = response.status, response.request.url.split("/")[2]
    if status in BLOCKING:
        raise Blocked(f"{host} answers {status}", retry_after(response))
    if 500 <= status < 600 or status in (408, 425):
        raise Unavailable(f"{host} answers {status}", retry_after(response))
    if status != 200 and status < 600:
        raise Changed(f"{host} answers {status} where it used to answer 200", response.body[:EVIDENCE_BYTES])
    if is_challenge(response):
        raise Blocked(f"{host} shows a challenge page instead of an answer")
    return response


def is_block(response: Response) -> bool:
    return response.status in BLOCKING or is_challenge(response)


def is_challenge(response: Response) -> bool:
    head = response.body[:4096]
    return "html" in response.headers.get("content-type", "") and any(mark in head for mark in CHALLENGE_MARKS)


def retry_after(response: Response) -> float | None:
    value = response.headers.get("retry-after", "")
    if value.isascii() and value.isdigit():
        return min(float(value[:9]), LONGEST_PAUSE)
    try:
        seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return None
    return min(max(0.0, seconds), LONGEST_PAUSE)
