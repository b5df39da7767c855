from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from scrapers.errors import Blocked, Changed, ScrapeError, Unavailable
from scrapers.fetch.answers import LONGEST_PAUSE, check, is_block, retry_after
from scrapers.wire import Request, Response


def answer(status: int = 200, body: bytes = b"{}", **headers: str) -> Response:
    return Response(
        Request("https://site.test/feed"), status, {k.replace("_", "-"): v for k, v in headers.items()}, body
    )


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, Blocked), (403, Blocked), (429, Blocked), (408, Unavailable), (425, Unavailable), (500, Unavailable),
        (503, Unavailable), (204, Changed), (301, Changed), (302, Changed), (400, Changed), (404, Changed),
    ],
)  # fmt: skip
def test_status(status: int, error: type[ScrapeError]) -> None:
    with pytest.raises(error, match=f"site.test answers {status}"):
        check(answer(status))


def test_numbers_of_no_standard_are_for_the_platform() -> None:
    assert check(answer(622)).status == 622


def test_challenge_is_a_block_whatever_its_status() -> None:
    page = answer(200, b"<html><title>Just a moment...</title>", content_type="text/html")
    assert is_block(page)
    with pytest.raises(Blocked, match="challenge page"):
        check(page)
    assert check(answer(200, b'{"name": "Just a moment..."}', content_type="application/json"))


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7), ("0", 0), ("99999999999999", LONGEST_PAUSE), ("-3", None), ("soon", None), ("", None), ("²", None)],
)
def test_retry_after(value: str, seconds: float | None) -> None:
    assert retry_after(answer(429, retry_after=value)) == seconds


def test_retry_after_as_a_date() -> None:
    now = datetime.now(UTC)
    assert retry_after(answer(429, retry_after=format_datetime(now - timedelta(hours=1), usegmt=True))) == 0
    assert retry_after(answer(429, retry_after=format_datetime(now + timedelta(days=2), usegmt=True))) == LONGEST_PAUSE
