import asyncio
from pathlib import Path

import msgspec
import pytest

from common.settings import BadSetting, ScraperSettings
from scrapers import catalog
from scrapers.keys import masked, masked_url, with_key
from scrapers.looking import look
from scrapers.odds import Page
from scrapers.recording import record
from scrapers.wire import Request, Response
from tests.conftest import Simulator

KEY = "k3y-0f-the-feed"
BOOK = catalog.get("bet365")


def test_key_comes_from_the_variable_or_its_file(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n")
    assert with_key(BOOK, {BOOK.key_env: KEY}).params["key"] == KEY
    assert with_key(BOOK, {f"{BOOK.key_env}_FILE": str(file)}).params["key"] == KEY
    assert "key" not in with_key(BOOK, {}).params
    assert with_key(catalog.get("kto"), {BOOK.key_env: KEY}) == catalog.get("kto")
    with pytest.raises(BadSetting, match=BOOK.key_env):
        with_key(BOOK, {f"{BOOK.key_env}_FILE": str(tmp_path / "none")})


def test_masked_wherever_it_stands() -> None:
    request = Request(
        f"https://feed.test/v3/odds?apiKey={KEY}&sport=football",
        {"apiKey": KEY, "api_key": KEY, "token": KEY, "eventIds": "1,2"},
        headers={"Authorization": f"Bearer {KEY}", "X-Api-Key": KEY, "accept": "application/json"},
    )
    shown = masked(request)
    assert KEY not in msgspec.json.encode(shown).decode()
    assert shown.url == "https://feed.test/v3/odds?apiKey=&sport=football"
    assert shown.params["eventIds"] == "1,2"
    assert shown.headers["accept"] == "application/json"


def test_a_url_without_a_key_is_left_as_it_is() -> None:
    url = "https://site.test/a%20b?x=1,2&y=%C3%A9&flag"
    assert masked_url(url) == url


def test_recordings_hold_no_key(tmp_path: Path) -> None:
    request = Request("https://feed.test/v3/events", {"apiKey": KEY, "sport": "football"})
    page = Page()
    page.follow.append(Request("https://feed.test/v3/odds", {"apiKey": KEY}))
    case = record(tmp_path, Response(request, 200, {}, b"[]"), page)
    assert all(KEY.encode() not in file.read_bytes() for file in case.iterdir())
    again = record(tmp_path, Response(masked(request), 200, {}, b"[]"), page)
    assert again == case  # another key does not make another case


def test_without_its_key_a_feed_waits_kindly(
    simulator: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(BOOK.key_env, raising=False)
    monkeypatch.delenv(f"{BOOK.key_env}_FILE", raising=False)
    settings = ScraperSettings(simulator_url=simulator.url, request_gap=0.0)
    assert asyncio.run(look(BOOK, settings, None)) == 0
    told = capsys.readouterr()
    assert "waiting" in told.out + told.err
    assert BOOK.key_env in told.out + told.err
    assert simulator.requests(BOOK.name)["count"] == 0

    monkeypatch.setenv(BOOK.key_env, KEY)
    assert asyncio.run(look(BOOK, settings, tmp_path)) == 0
    told = capsys.readouterr()
    assert KEY not in told.out + told.err
    recorded = list(tmp_path.rglob("*.json"))
    assert recorded
    assert all(KEY.encode() not in file.read_bytes() for file in recorded)
