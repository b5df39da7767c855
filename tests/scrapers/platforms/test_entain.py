from dataclasses import replace
from datetime import UTC, datetime

import msgspec
import pytest

from scrapers import catalog
from scrapers.errors import Changed
from scrapers.odds import Page
from scrapers.platforms import entain
from scrapers.wire import Request, Response

BOOK = catalog.get("sportingbet")
NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
HOME, AWAY = 729024, 729023

Row = dict[str, object]


def option(name: str, odds: object, participant: int | None = None, **fields: object) -> Row:
    parameters: Row = {"optionTypes": ["Draw"] if name == "X" else ["Max"]}
    if participant is not None:
        parameters["fixtureParticipant"] = participant
    return {"name": {"value": name}, "status": "Visible", "price": {"odds": odds}, "parameters": parameters, **fields}


def market(*options: Row, name: str = "Resultado da Partida", status: str = "Visible", **facts: object) -> Row:
    facts = {"MarketType": "3way", "Period": "RegularTime", "Happening": "Goal"} | facts
    parameters = [{"key": key, "type": "String", "value": value} for key, value in facts.items() if value is not None]
    return {"name": {"value": name}, "status": status, "parameters": parameters, "options": list(options)}


def three_way(home: object = 2.1, draw: object = 3.3, away: object = 3.6, **facts: object) -> Row:
    options = (option("Grêmio", home, HOME), option("X", draw), option("Bahia", away, AWAY))
    return market(*options, **facts)  # type: ignore[arg-type]


def moneyline(**facts: object) -> Row:
    """As recorded on the US sister site."""
    options = (option("San Francisco 49ers", 2.65, HOME), option("Los Angeles Rams", 1.5, AWAY))
    facts = {"MarketType": "2way", "Period": "FullTime", "Happening": "Point"} | facts
    return market(*options, name="Moneyline", **facts)  # type: ignore[arg-type]


def fixture(*markets: Row, **fields: object) -> Row:
    teams = [
        {"id": HOME, "name": {"value": "Grêmio"}, "properties": {"type": "HomeTeam"}},
        {"id": AWAY, "name": {"value": "Bahia"}, "properties": {"type": "AwayTeam"}},
        {"id": 1, "name": {"value": "Carlos Vinícius"}, "properties": {"type": "Player"}},
    ]
    return {
        "id": "2:7864550",
        "name": {"value": "Grêmio - Bahia"},
        "startDate": "2026-11-21T21:30:00Z",
        "stage": "PreMatch",
        "sport": {"id": 4},
        "competition": {"id": 102838, "name": {"value": "Brasileirão"}},
        "participants": teams,
        "optionMarkets": list(markets),
        **fields,
    }


def american(*markets: Row, **fields: object) -> Row:
    teams = [{"name": {"value": "Lakers"}, "properties": {}}, {"name": {"value": "Heat"}, "properties": {}}]
    base = fixture(id="19919149", name={"value": "Lakers at Heat"}, sport={"id": 7}, participants=teams)
    return base | {"competition": {"id": 6004}, "optionMarkets": list(markets), **fields}


def parse(answer: object, request: Request | None = None) -> Page:
    asked = request or Request("https://x/cds-api/bettingoffer/fixtures")
    return entain.parse(BOOK, Response(asked, 200, {}, msgspec.json.encode(answer)))


def read(*fixtures: object) -> Page:
    return parse({"fixtures": fixtures, "totalCount": len(fixtures)})


def prices(page: Page) -> dict[str, dict[str, float]]:
    (event,) = page.events
    return {market.key: {price.outcome: price.price for price in market.prices} for market in event.markets}


def test_requests_one_list_per_sport() -> None:
    football, basketball = entain.requests(BOOK, NOW)

    assert football.url == "https://www.sportingbet.bet.br/cds-api/bettingoffer/fixtures"
    assert (football.params["sportIds"], basketball.params["sportIds"]) == ("4", "7")
    assert football.params["x-bwin-accessid"] == BOOK.params["access_id"]
    assert football.params["isPriceBoost"] == "false"
    assert "competitionIds" not in basketball.params  # NBA asked for by number is answered 400
    assert football.headers["referer"] == "https://www.sportingbet.bet.br/pt-br/sports"


def test_without_an_access_id_the_site_is_asked_for_it() -> None:
    (request,) = entain.requests(replace(BOOK, params={}), NOW)

    page = parse({"msConnection": {"publicAccessId": "abc"}}, request)

    assert request.url == "https://www.sportingbet.bet.br/pt-br/api/clientconfig"
    assert [followed.params["x-bwin-accessid"] for followed in page.follow] == ["abc", "abc"]


def test_event_has_league_kick_off_and_link() -> None:
    (event,) = read(fixture(three_way())).events

    assert (event.external_id, event.home, event.away) == ("2:7864550", "Grêmio", "Bahia")
    assert (event.league, event.league_name) == ("soccer_brazil_campeonato", "Brasileirão")
    assert event.starts_at == datetime(2026, 11, 21, 21, 30, tzinfo=UTC)
    assert event.url == "https://www.sportingbet.bet.br/pt-br/sports/eventos/gremio-bahia-2:7864550"


@pytest.mark.parametrize(
    ("competition", "league"),
    [
        ({"id": 5, "name": {"value": "Brasileiro Série A"}}, "soccer_brazil_campeonato"),
        ({"id": 5, "name": {"value": "Brasileiro Série A Feminino"}}, None),
        ({"id": 5, "name": {"value": "Premier League"}}, None),  # of which country?
        (None, None),
    ],
)
def test_league_of_an_unknown_number_is_taken_from_a_clear_name_only(competition: object, league: str | None) -> None:
    (event,) = read(fixture(three_way(), competition=competition)).events

    assert event.league == league


def test_early_payout_is_a_market_of_its_own_wherever_it_stands() -> None:
    page = read(fixture(three_way(2.0, 3.2, 3.4, MarketSubType="2Up3wayPricing"), three_way()))

    assert prices(page) == {
        "h2h_2up": {"home": 2.0, "draw": 3.2, "away": 3.4},
        "h2h": {"home": 2.1, "draw": 3.3, "away": 3.6},
    }


def test_early_payout_is_known_by_its_name_too() -> None:
    page = read(fixture(three_way(name="Resultado da Partida - VP (+2)")))

    assert list(prices(page)) == ["h2h_2up"]


@pytest.mark.parametrize(
    "other",
    [
        three_way(9, 9, 9, Period="FirstHalf"),
        three_way(9, 9, 9, Happening="Corner"),
        three_way(9, 9, 9, RangeValue="0-3600"),
        three_way(9, 9, 9, MarketSubType="BigOdd"),
        three_way(9, 9, 9, MarketSubType="Build a Bet - Price Boost"),
        three_way(9, 9, 9, MarketType="ThreeWayAndBTTS", name="Resultado da Partida e Quais Equipes Marcam"),
    ],
)
def test_markets_that_look_like_the_result_are_not_it(other: Row) -> None:
    assert prices(read(fixture(other, three_way()))) == {"h2h": {"home": 2.1, "draw": 3.3, "away": 3.6}}
    assert read(fixture(other)).skipped == {"no match winner": 1}


def test_sides_come_from_the_participant_not_from_the_order() -> None:
    options = (option("Bahia", 3.6, AWAY), option("X", 3.3), option("Grêmio", 2.1, HOME))

    assert prices(read(fixture(market(*options)))) == {"h2h": {"home": 2.1, "draw": 3.3, "away": 3.6}}


def test_prices_may_be_text_and_a_bad_one_makes_the_market_incomplete() -> None:
    assert prices(read(fixture(three_way("2.10", "3,30", 3.6)))) == {"h2h": {"home": 2.1, "draw": 3.3, "away": 3.6}}
    assert read(fixture(three_way("-", 3.3, 3.6))).skipped == {"no complete market": 1}


def test_basketball_moneyline_of_the_sister_site() -> None:
    page = read(fixture(moneyline(Period="FirstHalf"), moneyline(), sport={"id": 7}))

    assert prices(page) == {"h2h": {"home": 2.65, "away": 1.5}}


def test_american_fixtures_list_the_visitor_first() -> None:
    by_place = [
        option("LAL", 2.4, sourceName={"value": "1"}),
        option("MIA", 1.6, sourceName={"value": "2"}),
    ]
    v2 = read(american(market(*by_place, name="Vencedor", MarketType="2way", Period="FullTime", Happening="Point")))
    game = {"name": {"value": "Vencedor"}, "results": [result("Lakers", 2.4), result("Heat", 1.6)]}
    v1 = read(american(games=[game]))

    for page in (v2, v1):
        assert (page.events[0].home, page.events[0].away) == ("Heat", "Lakers")
        assert page.events[0].league == "basketball_nba"
        assert prices(page) == {"h2h": {"home": 1.6, "away": 2.4}}


def result(name: str, odds: float) -> Row:
    return {"name": {"value": name}, "odds": odds, "visibility": "Visible"}


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (fixture(three_way(), stage="Live"), "live"),
        (fixture(three_way(), scoreboard={"started": True}), "live"),
        (fixture(three_way(), isOpenForBetting=False), "suspended"),
        (fixture(three_way(status="Suspended")), "suspended"),
        (fixture(three_way(), isVirtual=True), "virtual"),
        (fixture(three_way(), sport={"id": 5}), "other sport"),
        (fixture(three_way(), name={"value": "Grêmio - Bahia - Super Price Boost"}), "boosted"),
        (fixture(three_way(), participants=[{"name": {"value": name}} for name in "ABC"]), "outright"),
        (fixture(three_way(), participants=None), "outright"),
        (fixture(three_way(), startDate=None), "unreadable kick-off"),
        (fixture(moneyline()), "no match winner"),  # a two-way line is no 1X2
        (american(three_way(Happening="Point")), "no match winner"),  # regular time with a draw
    ],
)
def test_what_is_left_out_and_why(item: Row, reason: str) -> None:
    page = read(item)

    assert page.events == []
    assert page.skipped == {reason: 1}


def test_hidden_outcome_makes_the_market_incomplete() -> None:
    options = (option("Grêmio", 2.1, HOME), option("X", 3.3), option("Bahia", 3.6, AWAY, status="Hidden"))

    assert read(fixture(market(*options))).skipped == {"no complete market": 1}


def test_full_page_is_followed_until_the_horizon() -> None:
    (request, _) = entain.requests(BOOK, NOW)
    near = {"fixtures": [fixture(three_way())] * entain.TAKE, "totalCount": 900}
    far = {"fixtures": [fixture(three_way(), startDate="2026-12-21T21:30:00Z")] * entain.TAKE, "totalCount": 900}

    (second,) = parse(near, request).follow
    (third,) = parse(near, second).follow

    assert (second.params["skip"], third.params["skip"]) == ("400", "800")
    assert parse(near, third).follow == []
    assert parse(far, request).follow == []


def test_one_bad_fixture_does_not_cost_the_rest() -> None:
    page = read(fixture(three_way()), fixture(optionMarkets="none"))

    assert len(page.events) == 1
    assert page.skipped == {"unreadable event": 1}


@pytest.mark.parametrize("body", [b"", b"[]", b'{"message":"Access id is invalid"}', b'{"fixtures":[1,2]}', b"<html>"])
def test_other_shapes_are_changed_and_an_empty_body_is_no_empty_list(body: bytes) -> None:
    with pytest.raises(Changed):
        entain.parse(BOOK, Response(Request("https://x"), 200, {}, body))
