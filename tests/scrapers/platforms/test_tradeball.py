"""Tradeball has no recorded answer: these rows are built from what two public clients agree on."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from scrapers import catalog
from scrapers.errors import Blocked, Changed
from scrapers.odds import Page, Price
from scrapers.platforms import tradeball
from scrapers.wire import Request, Response

TRADEBALL = catalog.get("tradeball")
NOW = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)


def match(**more: object) -> dict[str, Any]:
    return {
        "ceId": "881",
        "clId": 4,
        "clName": "Brazil Serie A",
        "iso3": "BRA",
        "cthName": "Flamengo",
        "ctaName": "Santos",
        "dg": "2026-03-02 23:30:00",
        "wldHm": "1.98",
        "wldDm": 3.4,
        "wldAm": "4.10",
        **more,
    }


def parse(*rows: object, request: Request | None = None, book: catalog.Bookmaker = TRADEBALL, **more: object) -> Page:
    body = msgspec.json.encode({"total": len(rows), "init": rows, **more})
    asked = request or tradeball.requests(TRADEBALL, NOW)[0]
    return tradeball.parse(book, Response(request=asked, status=200, headers={}, body=body))


def test_row() -> None:
    (event,) = parse(match()).events
    assert (event.external_id, event.home, event.away) == ("881", "Flamengo", "Santos")
    assert (event.league, event.league_name) == ("soccer_brazil_campeonato", "Brazil Serie A")
    assert event.starts_at == datetime(2026, 3, 2, 22, 30, tzinfo=UTC)
    assert event.markets[0].prices == (Price("home", 1.98), Price("draw", 3.4), Price("away", 4.1))
    assert event.url == "https://betbra.bet.br/tradeball/dballTradingFeed"


def test_clock_of_the_list_is_a_parameter() -> None:
    brasilia = replace(TRADEBALL, params={"utc_offset": "-3"})
    (event,) = parse(match(), book=brasilia).events
    assert event.starts_at == datetime(2026, 3, 3, 2, 30, tzinfo=UTC)


def test_time_with_a_zone_is_believed() -> None:
    (event,) = parse(match(dg="2026-03-02T23:30:00Z")).events
    assert event.starts_at == datetime(2026, 3, 2, 23, 30, tzinfo=UTC)


@pytest.mark.parametrize("price", [0, "0", "0.00", None, "", "-", True, "nan", "inf", [1.5]])
def test_outcome_that_is_not_offered_leaves_the_match_out(price: object) -> None:
    assert parse(match(wldDm=price)).skipped == {"no complete market": 1}


def test_started_match_is_left_out() -> None:
    started, next_one = match(dg="2026-03-02 00:30:00"), match(ceId="882", dg="2026-03-02 00:31:00")
    page = parse(started, next_one)
    assert [event.external_id for event in page.events] == ["882"]
    assert page.skipped == {"live": 1}


@pytest.mark.parametrize(
    "name", ["England Premier League Women", "Brazil Serie A U20", "E-Soccer England Premier League"]
)
def test_league_is_known_only_by_its_whole_name(name: str) -> None:
    (event,) = parse(match(clName=name)).events
    assert (event.league, event.league_name) == (None, name)


@pytest.mark.parametrize("body", [b'{"total":0}', b"{}", b'{"init":[]}', b'{"total":"0","init":null}'])
def test_day_without_matches_is_empty_and_no_error(body: bytes) -> None:
    page = tradeball.parse(TRADEBALL, Response(request=Request("https://x"), status=200, headers={}, body=body))
    assert (page.events, page.skipped, page.follow) == ([], {}, [])


def test_refusal_inside_an_answer_is_no_empty_day() -> None:
    response = Response(request=Request("https://x"), status=200, headers={}, body=b'{"message":"Unauthenticated."}')
    with pytest.raises(Changed, match="Unauthenticated"):
        tradeball.parse(TRADEBALL, response)


def test_html_means_blocked() -> None:
    response = Response(request=Request("https://x"), status=200, headers={}, body=b"<html>")
    with pytest.raises(Blocked):
        tradeball.parse(TRADEBALL, response)


def test_one_bad_row_does_not_cost_the_rest_but_most_do() -> None:
    page = parse(match(), {"ceId": "1"})
    assert (len(page.events), page.skipped) == (1, {"unreadable event": 1})
    with pytest.raises(Changed, match="2 of 3"):
        parse(match(), {"ceId": "1"}, 7)


def test_further_pages_of_a_day_are_asked_for_once_and_bounded() -> None:
    first = parse(match(), total="250")
    assert [request.params["start"] for request in first.follow] == ["100", "200"]
    assert first.follow[0].note == NOW.isoformat()
    assert parse(match(), total=250, request=first.follow[0]).follow == []
    assert len(parse(match(), total=10**300).follow) == tradeball.MAX_PAGES - 1


def test_requests_ask_four_days_of_the_lists_own_calendar_as_a_guest() -> None:
    asked = tradeball.requests(TRADEBALL, NOW)
    assert {request.url for request in asked} == {"https://tradeball.betbra.bet.br/api/feedDballGuest/list"}
    filters = [msgspec.json.decode(request.params["filter"]) for request in asked]
    assert [each["date"] for each in filters] == ["2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05"]
    assert {each["marketId"] for each in filters} == {2}
    assert asked[0].headers["x-requested-with"] == "XMLHttpRequest"
    assert "authorization" not in asked[0].headers
