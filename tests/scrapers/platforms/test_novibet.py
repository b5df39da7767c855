from datetime import UTC, datetime

import msgspec
import pytest

from scrapers import catalog
from scrapers.errors import Changed
from scrapers.odds import Page
from scrapers.platforms import novibet
from scrapers.wire import Request, Response

BOOK = catalog.get("novibet")
EPL, NBA = "5909300", "6680221"
EARLY, SUPER = "SOCCER_2_GOALS_AHEAD_EARLY_PAYOUT", "ODDS_KEY_0"

Row = dict[str, object]


def market(number: int, *prices: float, sysname: str = "SOCCER_MATCH_RESULT", available: bool = True) -> Row:
    codes = ("1", "X", "2") if len(prices) == 3 else ("1", "2")
    items = [
        {"code": code, "price": price, "isAvailable": available} for code, price in zip(codes, prices, strict=True)
    ]
    return {"marketId": number, "betTypeSysname": sysname, "betItems": items}


def match(*markets: Row, first: str = "Arsenal", second: str = "Chelsea", **fields: object) -> Row:
    return {
        "eventBetContextId": 47678025,
        "additionalCaptions": {"competitor1": first, "competitor2": second},
        "startDate": "2026-11-21T14:30:00-03:00",
        "path": "matches/arsenal-chelsea",
        "markets": list(markets),
        **fields,
    }


def read(*items: object, group: str = EPL, status: int = 200) -> Page:
    return parse([{"marketViewGroupId": int(group), "betViews": [{"items": items}]}], group, status)


def parse(answer: object, group: str = EPL, status: int = 200) -> Page:
    return novibet.parse(BOOK, Response(Request("https://x", note=group), status, {}, msgspec.json.encode(answer)))


def prices(page: Page) -> dict[str, dict[str, float]]:
    (event,) = page.events
    return {market.key: {price.outcome: price.price for price in market.prices} for market in event.markets}


def test_requests_one_competition_each_with_the_gateway_headers() -> None:
    asked = novibet.requests(BOOK, datetime(2026, 11, 18, 12, tzinfo=UTC))

    assert len(asked) == len(novibet.LEAGUES)
    assert len({request.url for request in asked}) == len(asked)
    nba = next(request for request in asked if request.note == NBA)
    assert nba.url == "https://www.novibet.bet.br/spt/feed/marketviews/location/v2/4324/6680221/"
    assert nba.params["timestamp"] == "1795003200000"
    assert nba.headers["x-gw-application-name"] == "NoviBR"
    assert nba.headers["x-gw-cms-key"] == "_BR"


def test_event_has_league_utc_kick_off_and_link() -> None:
    (event,) = read(match(market(1, 2.1, 3.3, 3.6))).events

    assert (event.home, event.away, event.league) == ("Arsenal", "Chelsea", "soccer_epl")
    assert event.starts_at == datetime(2026, 11, 21, 17, 30, tzinfo=UTC)
    assert event.url == "https://www.novibet.bet.br/apostas-esportivas/matches/arsenal-chelsea/e47678025"


def test_early_payout_is_a_market_of_its_own() -> None:
    tags = [{"marketId": 1, "tag": EARLY}, {"marketId": 2, "tag": SUPER}]
    page = read(match(market(1, 2.08, 3.5, 3.5), market(2, 2.2, 3.7, 3.7), marketTags=tags))

    assert prices(page) == {
        "h2h": {"home": 2.2, "draw": 3.7, "away": 3.7},
        "h2h_2up": {"home": 2.08, "draw": 3.5, "away": 3.5},
    }


def test_match_with_early_payout_only_has_no_plain_market() -> None:
    page = read(match(market(1, 2.08, 3.5, 3.5), marketTags=[{"marketId": 1, "tag": EARLY}]))

    assert list(prices(page)) == ["h2h_2up"]


def test_zero_margin_and_unknown_tags_never_replace_the_plain_market() -> None:
    tags = [{"marketId": 1, "tag": SUPER}, {"marketId": 2, "tag": "BOOSTED"}]
    page = read(match(market(1, 2.3, 3.9, 3.9), market(2, 5, 5, 5), market(3, 2.1, 3.3, 3.6), marketTags=tags))

    assert prices(page) == {"h2h": {"home": 2.1, "draw": 3.3, "away": 3.6}}


def test_in_basketball_the_visitor_comes_first() -> None:
    page = read(
        match(market(1, 2.4, 1.6, sysname="BASKETBALL_MATCH_RESULT_NODRAW"), first="TOR Raptors", second="GS Warriors"),
        group=NBA,
    )

    assert (page.events[0].home, page.events[0].away) == ("GS Warriors", "TOR Raptors")
    assert prices(page) == {"h2h": {"home": 1.6, "away": 2.4}}


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (match(market(1, 2.1, 3.3, 3.6), isLive=True), "live"),
        (match(market(1, 2.1, 3.3, 3.6), liveData={"isLive": True}), "live"),
        (match(market(1, 2.1, 3.3, 3.6, available=False)), "suspended"),
        (match(market(1, 2.1, 3.3, 3.6), first="Arsenal SRL", second="Chelsea SRL"), "virtual"),
        (match(market(1, 2.1, 3.3, 3.6), first="Arsenal (Esports)"), "virtual"),
        (match(market(1, 2.1, 3.3, 3.6, sysname="SOCCER_HALF_TIME_RESULT")), "no match winner"),
        (match(market(1, 2.1, 3.3, 3.6), startDate="soon"), "unreadable kick-off"),
        (match({"marketId": 1, "betTypeSysname": "SOCCER_MATCH_RESULT", "betItems": [None]}), "suspended"),
    ],
)
def test_what_is_left_out_and_why(item: Row, reason: str) -> None:
    page = read(item)

    assert page.events == []
    assert page.skipped == {reason: 1}


def test_overview_layout_is_read_but_several_competitions_are_no_league_of_ours() -> None:
    item = match(market(1, 2.1, 3.3, 3.6)) | {"eventBetContextId": None, "betContextId": 7}
    one = {"caption": "Premier League", "events": [item]}
    other = {"caption": "Série B", "events": [item]}

    (alone,) = parse([{"betViews": [{"competitions": [one]}]}]).events
    mixed = parse([{"betViews": [{"competitions": [one, other]}]}]).events

    assert (alone.external_id, alone.league, alone.league_name) == ("7", "soccer_epl", "Premier League")
    assert [(event.league, event.league_name) for event in mixed] == [(None, "Premier League"), (None, "Série B")]


def test_competition_with_nothing_on_offer_is_no_error() -> None:
    assert parse({"code": 622}, status=622).events == []
    assert parse([]).events == []


def test_one_bad_match_does_not_cost_the_rest() -> None:
    page = read(match(market(1, 2.1, 3.3, 3.6)), match(markets="none"))

    assert len(page.events) == 1
    assert page.skipped == {"unreadable event": 1}


@pytest.mark.parametrize("answer", [{}, [{}], [{"betViews": [{"items": [1, 2]}]}], "x"])
def test_other_shapes_are_changed(answer: object) -> None:
    with pytest.raises(Changed):
        parse(answer)


def test_path_that_is_no_path_gives_no_link() -> None:
    (event,) = read(match(market(1, 2.1, 3.3, 3.6), path="javascript:alert(1)")).events

    assert event.url is None
