"""The feed behind bet365: a key that may be missing, ten matches a call, prices as text."""

from dataclasses import replace
from datetime import UTC, datetime

import msgspec
import pytest

from scrapers import catalog
from scrapers.errors import Changed, ScrapeError, Waiting
from scrapers.odds import Page
from scrapers.platforms import oddsapi
from scrapers.wire import Request, Response

WITHOUT_KEY = catalog.get("bet365")
BOOK = replace(WITHOUT_KEY, params={**WITHOUT_KEY.params, "key": "secret"})
NOW = datetime(2026, 10, 3, 12, 0, 41, tzinfo=UTC)
WINNER = {"name": "ML", "odds": [{"home": "1.950", "draw": "3.400", "away": 4.1}]}


def match(number: int = 1, **changes: object) -> dict[str, object]:
    return {
        "id": number,
        "home": "Flamengo",
        "away": "Vasco",
        "date": "2026-10-04T19:00:00Z",
        "status": "pending",
        "league": {"name": "Brazil - Brasileiro Serie A", "slug": "brazil-brasileiro-serie-a"},
        "urls": {"Bet365": "https://www.bet365.com/#/AC/B1/C1/D8/E1/F3/"},
        "bookmakers": {"Bet365": [WINNER]},
        **changes,
    }


def read(answer: object, note: str = "odds") -> Page:
    return oddsapi.parse(BOOK, Response(Request(BOOK.api, note=note), 200, {}, msgspec.json.encode(answer)))


def prices(page: Page) -> dict[str, float]:
    ((market,),) = (event.markets for event in page.events)
    return {price.outcome: price.price for price in market.prices}


def test_without_a_key_the_scraper_waits_and_names_the_variable() -> None:
    with pytest.raises(Waiting, match="BET365_FEED_KEY") as waiting:
        oddsapi.requests(WITHOUT_KEY, NOW)

    assert not isinstance(waiting.value, ScrapeError)


def test_a_cycle_starts_with_the_matches_of_each_sport() -> None:
    football, basketball = oddsapi.requests(BOOK, NOW)

    assert football.url == "https://api.odds-api.io/v3/events"
    assert football.params == {
        "apiKey": "secret",
        "sport": "football",
        "bookmaker": "Bet365",
        "from": "2026-10-03T12:00:00Z",
        "to": "2026-10-11T12:00:00Z",
    }
    assert basketball.params["sport"] == "basketball"


def test_a_small_plan_looks_less_far_ahead() -> None:
    football, _ = oddsapi.requests(replace(BOOK, params={**BOOK.params, "days": "2"}), NOW)

    assert football.params["to"] == "2026-10-05T12:00:00Z"


def test_odds_are_asked_for_ten_collected_matches_a_call() -> None:
    women = match(90, league={"slug": "brazil-copa-do-brasil-women"})
    page = read([*(match(number) for number in range(1, 13)), women, match(91, status="live")], "events")

    assert [follow.params["eventIds"] for follow in page.follow] == ["1,2,3,4,5,6,7,8,9,10", "11,12"]
    assert {follow.url for follow in page.follow} == {"https://api.odds-api.io/v3/odds/multi"}
    assert page.follow[0].params["apiKey"] == "secret"
    assert page.skipped == {"league not collected": 1, "live": 1}
    assert page.events == []


@pytest.mark.parametrize("wrap", ["data", "items"])
def test_lists_come_bare_and_wrapped(wrap: str) -> None:
    assert len(read({wrap: [match()]}).events) == 1


def test_prices_are_text_or_numbers() -> None:
    assert prices(read([match()])) == {"home": 1.95, "draw": 3.4, "away": 4.1}


def test_nba_has_no_draw() -> None:
    moneyline = {"name": "ML", "odds": [{"home": "1.500", "away": "2.600"}]}
    page = read([match(league={"slug": "usa-nba"}, bookmakers={"Bet365": [moneyline]})])

    assert page.events[0].league == "basketball_nba"
    assert prices(page) == {"home": 1.5, "away": 2.6}


def test_another_bookmaker_in_the_answer_is_not_ours() -> None:
    page = read([match(bookmakers={"Bet365 IT": [WINNER], "Unibet": [WINNER]})])

    assert page.skipped == {"no complete market": 1}


def test_the_doubled_name_of_the_bookmaker_serves_when_its_own_is_missing() -> None:
    other = {"name": "ML", "odds": [{"home": "9", "draw": "9", "away": "9"}]}

    assert prices(read([match(bookmakers={"Bet365 (no latency)": [other], "Bet365": [WINNER]})]))["home"] == 1.95
    assert prices(read([match(bookmakers={"Bet365 (no latency)": [WINNER]})]))["home"] == 1.95


def test_other_markets_of_any_shape_do_not_cost_the_winner() -> None:
    others = [
        {"name": "Player Props", "odds": [{"home": [1]}]},
        {"odds": 3},
        {"name": "ML HT", "odds": [{"home": "9"}]},
    ]

    assert prices(read([match(bookmakers={"Bet365": [*others, WINNER]})]))["home"] == 1.95


def test_links_lead_to_the_brazilian_site() -> None:
    assert read([match()]).events[0].url == "https://www.bet365.bet.br/#/AC/B1/C1/D8/E1/F3/"
    assert read([match(urls={"Bet365": "N/A"})]).events[0].url is None
    assert read([match(urls=None)]).events[0].url is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"status": "live"}, "live"),
        ({"status": "settled"}, "over"),
        ({"league": {"slug": "italy-serie-b"}}, "league not collected"),
        ({"bookmakers": {}}, "no complete market"),
        ({"bookmakers": {"Bet365": [{"name": "ML", "odds": []}]}}, "no complete market"),
        (
            {"bookmakers": {"Bet365": [{"name": "ML", "odds": [{"home": "-", "draw": "3", "away": "nan"}]}]}},
            "no complete market",
        ),
        ({"date": "soon"}, "unreadable kick-off"),
        ({"league": None}, "unreadable event"),
    ],
)
def test_what_is_left_out(change: dict[str, object], reason: str) -> None:
    page = read([match(2), match(1, **change)])

    assert [event.external_id for event in page.events] == ["2"]
    assert page.skipped == {reason: 1}


@pytest.mark.parametrize("answer", [{}, {"error": "quota"}, [1, 2], "text", {"data": 1}])
def test_another_shape_is_a_change(answer: object) -> None:
    with pytest.raises(Changed):
        read(answer)


def test_the_words_of_the_feed_are_kept_when_it_complains() -> None:
    with pytest.raises(Changed, match="plan has expired"):
        read({"error": "plan has expired"})
