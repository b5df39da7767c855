"""Kambi: what the recorded answers do not show."""

from datetime import UTC, datetime

import msgspec
import pytest

from scrapers import catalog
from scrapers.errors import Changed
from scrapers.odds import Page
from scrapers.platforms import kambi
from scrapers.wire import Request, Response

KTO = catalog.get("kto")
NOW = datetime(2026, 9, 22, 12, tzinfo=UTC)
FULL_TIME, TWO_GOALS_AHEAD, MONEYLINE, FOURTH_QUARTER = 1001159858, 2100089307, 1001159732, 1001211820

Row = dict[str, object]


def offer(criterion: int, *odds: object, **more: object) -> Row:
    """Odds in the order away, home, draw: the site keeps none."""
    types = ("OT_TWO", "OT_ONE", "OT_CROSS")
    outcomes = [{"type": type_, "odds": price, "status": "OPEN"} for type_, price in zip(types, odds, strict=False)]
    return {"criterion": {"id": criterion}, "betOfferType": {"id": 2}, "outcomes": outcomes, **more}


def event(*keys: str, **more: object) -> Row:
    path = keys or ("football", "brazil", "brasileirao_serie_a")
    return {
        "id": 1027,
        "name": "São Paulo - Grêmio",
        "homeName": "São Paulo",
        "awayName": "Grêmio",
        "start": "2026-09-26T19:00:00Z",
        "group": "Brasileirão",
        "path": [{"id": 1, "termKey": key} for key in path],
        "sport": path[0].upper(),
        "tags": ["MATCH"],
        "state": "NOT_STARTED",
        "groupSortOrder": 3999000000000000000,
        **more,
    }


def item(*offers: Row, **more: object) -> Row:
    return {"event": event(**more), "betOffers": list(offers)}


PLAIN = offer(FULL_TIME, 4100, 1910, 3700)
EARLY = offer(TWO_GOALS_AHEAD, 3900, 1850, 3600)


def parse(body: object, note: str = "football") -> Page:
    raw = body if isinstance(body, bytes) else msgspec.json.encode(body)
    return kambi.parse(KTO, Response(Request(url="https://x", note=note), 200, {}, raw))


def markets(page: Page) -> dict[str, dict[str, float]]:
    (found,) = page.events
    return {market.key: {price.outcome: price.price for price in market.prices} for market in found.markets}


def test_asks_for_whole_sports_and_apart_for_early_payout() -> None:
    football, basketball, early = kambi.requests(KTO, NOW)

    base = "https://us.offering-api.kambicdn.com/offering/v2018/ktobr/listView"
    assert football.url == early.url == f"{base}/football.json"
    assert (football.params["lang"], football.params["market"]) == ("pt_BR", "BR")
    assert "category" not in football.params
    assert early.params["category"] == "10028163"
    assert basketball.url == f"{base}/basketball/nba.json"


def test_prices_are_thousandths_and_outcomes_come_in_any_order() -> None:
    page = parse({"events": [item(PLAIN)]})

    assert markets(page) == {"h2h": {"home": 1.91, "draw": 3.7, "away": 4.1}}
    (found,) = page.events
    assert found.league == "soccer_brazil_campeonato"
    assert found.starts_at == datetime(2026, 9, 26, 19, tzinfo=UTC)
    assert found.url == "https://www.kto.bet.br/esportes/futebol/brasil/brasileirao-serie-a/sao-paulo---gremio/1027"


def test_two_goals_ahead_is_a_market_of_its_own() -> None:
    assert markets(parse({"events": [item(EARLY)]}, kambi.EARLY_PAYOUT)) == {
        "h2h_2up": {"home": 1.85, "draw": 3.6, "away": 3.9}
    }


def test_the_answer_for_early_payout_gives_nothing_else() -> None:
    both, plain = item(PLAIN, EARLY), item(PLAIN, id=1028)
    page = parse({"events": [both, plain]}, kambi.EARLY_PAYOUT)

    assert list(markets(page)) == ["h2h_2up"]
    assert page.skipped == {"no early payout": 1}


def test_basketball_counts_overtime() -> None:
    game = {
        "event": event("basketball", "nba"),
        "betOffers": [offer(FOURTH_QUARTER, 2700, 1520, 29000), offer(MONEYLINE, 2600, 1500)],
    }
    page = parse({"events": [game]}, "basketball")

    assert markets(page) == {"h2h": {"home": 1.5, "away": 2.6}}
    assert page.events[0].league == "basketball_nba"


def test_names_come_from_the_title_when_sides_are_not_given() -> None:
    (found,) = parse({"events": [item(PLAIN, homeName=None, awayName=None)]}).events

    assert (found.home, found.away) == ("São Paulo", "Grêmio")


@pytest.mark.parametrize("league", [("football", "brazil", "copa_do_brasil__w_"), ("football", "brazil")])
def test_a_league_is_known_by_its_whole_path(league: tuple[str, ...]) -> None:
    (found,) = parse({"events": [{"event": event(*league), "betOffers": [PLAIN]}]}).events

    assert found.league is None
    assert found.league_name == "Brasileirão"


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"state": "STARTED"}, "live"),
        ({"tags": ["COMPETITION"]}, "not a match"),
        ({"sport": "ESPORTS"}, "other sport"),
    ],
)
def test_only_real_matches_before_their_start(more: Row, reason: str) -> None:
    page = parse({"events": [item(PLAIN, **more)]})

    assert page.events == []
    assert page.skipped == {reason: 1}


def test_a_running_clock_means_live_whatever_the_state_says() -> None:
    page = parse({"events": [{**item(PLAIN), "liveData": {"matchClock": {"minute": 3}}}]})

    assert page.skipped == {"live": 1}


@pytest.mark.parametrize(
    "closed",
    [
        offer(FULL_TIME, 4100, 1910, 3700, suspended=True),
        {**PLAIN, "outcomes": [{"type": "OT_ONE", "odds": 1910, "status": "SUSPENDED"}]},
    ],
)
def test_a_suspended_offer_is_left_out(closed: Row) -> None:
    page = parse({"events": [item(closed)]})

    assert page.events == []
    assert page.skipped == {"suspended": 1}


def test_a_broken_offer_costs_only_itself() -> None:
    assert list(markets(parse({"events": [item({"criterion": "?"}, PLAIN)]}))) == ["h2h"]


def test_one_unreadable_event_costs_only_itself() -> None:
    page = parse({"events": [item(PLAIN), {"event": {"id": "?"}}]})

    assert len(page.events) == 1
    assert page.skipped == {"unreadable event": 1}


def test_an_absurd_price_is_no_price() -> None:
    body = msgspec.json.encode({"events": [item(PLAIN)]}).replace(b"1910", b"9" * 400)

    assert parse(body).skipped == {"no complete market": 1}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"No access",
        b"null",
        b"[]",
        b"{}",
        b'{"error": {"status": 400}}',
        b'{"events": null}',
        b'{"events": ' + b"[" * 100_000,
        b'{"events": [{}, {"event": 1}, 7]}',
    ],
)
def test_any_other_answer_is_a_changed_format(body: bytes) -> None:
    with pytest.raises(Changed):
        parse(body)
