"""Stake in two steps: the matches of a tournament, then their prices, joined by what the note carries."""

from dataclasses import replace
from datetime import UTC, datetime

import msgspec
import pytest

from scrapers import catalog
from scrapers.catalog import Bookmaker
from scrapers.errors import Blocked, Changed
from scrapers.odds import Page
from scrapers.platforms import stake
from scrapers.wire import Request, Response

BOOK = catalog.get("stake")
NOW = datetime(2026, 10, 3, 12, 0, tzinfo=UTC)
SERIE_A = "1000094569"
NBA = "1000093652"
API = "https://sbweb.stake.bet.br/api/v1/br/pt-br"


def match(number: int = 1, home: str = "Flamengo", away: str = "Vasco", **changes: object) -> dict[str, object]:
    teams = {"home": home, "away": away}
    return {"id": number, "teams": teams, "dateStart": "2026-10-04T19:00:00Z", "isLive": False, **changes}


def row(column: int | None, price: object, market: object = "1001159858", **changes: object) -> dict[str, object]:
    return {"eventId": 1, "marketId": market, "columnId": column, "oddValues": {"decimal": price}, **changes}


WINNER = (row(0, 1.95), row(1, 3.4), row(2, 4.1))


def listed(*matches: object, tournament: str = SERIE_A, book: Bookmaker = BOOK) -> Page:
    body = msgspec.json.encode({"events": matches})
    return stake.parse(book, Response(Request(API, note=tournament), 200, {}, body))


def priced(*rows: object, tournament: str = SERIE_A) -> Page:
    follow = listed(match(), tournament=tournament).follow[0]
    return stake.parse(BOOK, Response(follow, 200, {}, msgspec.json.encode({"odds": rows})))


def prices(page: Page, key: str = "h2h") -> dict[str, float]:
    (event,) = page.events
    return {price.outcome: price.price for market in event.markets if market.key == key for price in market.prices}


def test_a_cycle_starts_with_one_request_per_tournament() -> None:
    asked = stake.requests(BOOK, NOW)

    assert len(asked) == 15
    assert asked[0].url == f"{API}/tournament/{SERIE_A}/live-upcoming"
    assert asked[-1].url == f"{API}/tournament/{NBA}/live-upcoming"


def test_prices_of_a_whole_tournament_come_in_one_call() -> None:
    page = listed(*(match(number) for number in range(1, 31)))

    (follow,) = page.follow
    assert follow.url == f"{API}/events/odds"
    assert follow.params["events"].split(",") == [str(number) for number in range(1, 31)]


def test_basketball_is_asked_for_match_by_match_and_not_without_end() -> None:
    page = listed(*(match(number) for number in range(1, 31)), tournament=NBA)

    assert [follow.url for follow in page.follow] == [f"{API}/events/{number}/odds" for number in range(1, 11)]


def test_the_next_matches_can_be_asked_for_one_by_one_for_early_payout() -> None:
    book = replace(BOOK, params={**BOOK.params, "match_pages": "1"})
    page = listed(match(2), match(1, dateStart="2026-10-03T19:00:00Z"), book=book)

    assert [(follow.url, dict(follow.params)) for follow in page.follow] == [
        (f"{API}/events/1/odds", {}),
        (f"{API}/events/odds", {"events": "2"}),
    ]


def test_a_match_gets_its_names_kick_off_and_league_from_the_list() -> None:
    (event,) = priced(*WINNER).events

    assert (event.external_id, event.home, event.away) == ("1", "Flamengo", "Vasco")
    assert event.starts_at == datetime(2026, 10, 4, 19, 0, tzinfo=UTC)
    assert event.league == "soccer_brazil_campeonato"
    assert event.url == "https://stake.bet.br/esportes/1"


def test_live_matches_are_left_out_before_their_prices_are_asked_for() -> None:
    page = listed(match(isLive=True))

    assert page.skipped == {"live": 1}
    assert page.follow == []


def test_either_name_of_the_price_is_read() -> None:
    rows = [
        {"eventId": 1, "marketId": 1000316018, "columnId": c, "oddValue": p} for c, p in enumerate((1.95, "3.4", 4.1))
    ]

    assert prices(priced(*rows)) == {"home": 1.95, "draw": 3.4, "away": 4.1}


def test_of_two_full_markets_the_first_in_the_row_of_the_brand_counts() -> None:
    boosted = [row(column, 9.0, "1001159858") for column in range(3)]
    plain = [row(column, price, "1000316018") for column, price in enumerate((1.95, 3.4, 4.1))]

    assert prices(priced(*boosted, *plain)) == {"home": 1.95, "draw": 3.4, "away": 4.1}


def test_early_payout_is_a_market_of_its_own() -> None:
    page = priced(*WINNER, *(row(column, price, "2100089307_0") for column, price in enumerate((1.87, 3.3, 3.9))))

    assert prices(page) == {"home": 1.95, "draw": 3.4, "away": 4.1}
    assert prices(page, "h2h_2up") == {"home": 1.87, "draw": 3.3, "away": 3.9}


@pytest.mark.parametrize("away_column", [1, 2])
def test_a_moneyline_has_its_away_side_in_either_column(away_column: int) -> None:
    page = priced(row(0, 1.5, "1001159732"), row(away_column, 2.6, "1001159732"), tournament=NBA)

    assert prices(page) == {"home": 1.5, "away": 2.6}


def test_the_name_of_a_team_outweighs_its_column() -> None:
    rows = row(0, 2.6, "1001159732", name="Vasco"), row(1, 1.5, "1001159732", name="Flamengo")

    assert prices(priced(*rows, tournament=NBA)) == {"home": 1.5, "away": 2.6}


def test_two_prices_for_one_side_are_no_market() -> None:
    assert priced(row(0, 1.95), row(0, 2.0), row(1, 3.4), row(2, 4.1)).skipped == {"no complete market": 1}


@pytest.mark.parametrize(
    "draw", [row(1, 0), row(1, None), row(1, "-"), row(1, 3.4, frozen=True), row(1, 3.4, isFrozen=True), row(None, 3.4)]
)
def test_a_suspended_price_takes_its_market_out(draw: dict[str, object]) -> None:
    assert priced(row(0, 1.95), draw, row(2, 4.1)).skipped == {"no complete market": 1}


def test_a_new_market_number_is_a_change_and_not_a_day_without_odds() -> None:
    with pytest.raises(Changed, match="new number"):
        priced(row(0, 1.95, "777"), row(1, 3.4, "777"), row(2, 4.1, "777"))


def test_no_prices_yet_is_no_change() -> None:
    assert priced().skipped == {"no complete market": 1}


def test_one_bad_match_does_not_cost_the_rest() -> None:
    page = listed(match(1), match(2), {"id": 3}, match(4, id="4/../5"), match(5))

    assert page.skipped == {"unreadable event": 2}
    assert page.follow[0].params["events"] == "1,2,5"


def test_the_challenge_page_means_blocked() -> None:
    body = b"<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title></head></html>"

    with pytest.raises(Blocked):
        stake.parse(BOOK, Response(Request(API, note=SERIE_A), 200, {}, body))


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"{}", b'{"events":[1,2],"odds":[1,2]}', b'{"events":' + b"[" * 90_000]
)
@pytest.mark.parametrize("note", [SERIE_A, '{"tournament":"1","matches":{}}', "{"])
def test_another_shape_is_a_change(body: bytes, note: str) -> None:
    with pytest.raises(Changed):
        stake.parse(BOOK, Response(Request(API, note=note), 200, {}, body))
