"""What an exchange can show that the recorded answers do not: price ladders, sides, states, pages."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from scrapers import catalog
from scrapers.errors import Blocked, Changed
from scrapers.odds import Event, Page, Price
from scrapers.platforms import mexchange
from scrapers.wire import Request, Response

BETBRA = catalog.get("betbra")
NOW = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)

# As Matchbook sent them on 2017-07-31, for T Paul and C Ruud: (side, price, amount).
LADDER = [
    ("back", 2.31, 38.81416),
    ("back", 2.18, 219.29122),
    ("back", 2.07, 31.05113),
    ("lay", 2.33, 1337.54938),
    ("lay", 2.38, 2237.50188),
    ("lay", 2.4, 200.44133),
]
OTHER_LADDER = [("back", 1.75187, 1778.94068), ("back", 1.72463, 3087.7526), ("lay", 1.76336, 50.84656)]


def offers(*ladder: tuple[str, float, float], currency: str = "BRL") -> list[dict[str, Any]]:
    return [
        {"side": side, "odds": odds, "decimal-odds": odds, "available-amount": amount, "currency": currency}
        for side, odds, amount in ladder
    ]


def runner(participant: str, name: str, prices: list[dict[str, Any]], **more: object) -> dict[str, Any]:
    return {"event-participant-id": participant, "name": name, "status": "open", "prices": prices, **more}


def football(**more: object) -> dict[str, Any]:
    return {
        "id": "31",
        "name": "Flamengo vs Santos",
        "sport-id": "15",
        "start": "2026-03-02T22:30:00.000Z",
        "status": "open",
        "in-running-flag": False,
        "event-participants": [
            {"id": "2002", "number": "2", "participant-name": "Santos"},
            {"id": "2001", "number": "1", "participant-name": "Flamengo"},
        ],
        "meta-tags": [
            {"name": "Futebol", "type": "SPORT", "url-name": "soccer"},
            {"name": "Brasil", "type": "COUNTRY", "url-name": "brazil"},
            {"name": "Brasileirão Série A", "type": "COMPETITION", "url-name": "brazil-serie-a"},
        ],
        "markets": [one_x_two()],
        **more,
    }


def one_x_two(**more: object) -> dict[str, Any]:
    return {
        "id": "77",
        "name": "Resultado Final",
        "name-original": "Match Odds",
        "market-type": "one_x_two",
        "status": "open",
        "runners": [
            runner("2002", "Santos", offers(("back", 4.1, 50))),
            runner("0", "Empate", offers(("back", 3.4, 60))),
            runner("2001", "Flamengo", offers(("back", 1.98, 70))),
        ],
        **more,
    }


def nba(**more: object) -> dict[str, Any]:
    return {
        "id": "41",
        "name": "Miami Heat em Boston Celtics",
        "sport-id": "4",
        "start": "2026-03-03T00:30:00.000Z",
        "status": "open",
        "event-participants": [
            {"id": "1", "number": "0", "participant-name": "Miami Heat"},
            {"id": "2", "number": "0", "participant-name": "Boston Celtics"},
        ],
        "meta-tags": [
            {"name": "Basquete", "type": "SPORT", "url-name": "basketball"},
            {"name": "NBA", "type": "COMPETITION", "url-name": "nba"},
        ],
        "markets": [
            {
                "id": "88",
                "market-type": "money_line",
                "name": "Moneyline",
                "runners": [
                    runner("1", "Miami Heat", offers(*LADDER)),
                    runner("2", "Boston Celtics", offers(*OTHER_LADDER)),
                ],
            }
        ],
        **more,
    }


def parse(*events: object, request: Request | None = None, **envelope: object) -> Page:
    body = msgspec.json.encode({"offset": 0, "per-page": 100, "total": len(events), "events": events, **envelope})
    asked = request or mexchange.requests(BETBRA, NOW)[0]
    return mexchange.parse(BETBRA, Response(request=asked, status=200, headers={}, body=body))


def only(*events: object) -> Event:
    (event,) = parse(*events).events
    return event


def test_best_back_is_published_with_its_own_liquidity() -> None:
    assert only(nba()).markets[0].prices == (Price("home", 1.7519, 1778.94), Price("away", 2.31, 38.81))


def test_best_back_counts_even_when_the_ladder_is_not_sorted() -> None:
    event = nba()
    event["markets"][0]["runners"][0]["prices"].reverse()
    assert only(event).markets[0].prices[1] == Price("away", 2.31, 38.81)


def test_runner_with_only_lay_offers_has_no_price() -> None:
    event = football()
    event["markets"][0]["runners"][1]["prices"] = offers(("lay", 3.5, 900))
    assert parse(event).skipped == {"no complete market": 1}


def test_liquidity_in_another_currency_is_unknown() -> None:
    event = football()
    event["markets"][0]["runners"][0]["prices"] = offers(("back", 4.1, 50), currency="EUR")
    assert only(event).markets[0].prices[2] == Price("away", 4.1, None)


def test_football_sides_come_from_the_numbers_not_from_the_order() -> None:
    event = only(football())
    assert (event.home, event.away) == ("Flamengo", "Santos")
    assert [(price.outcome, price.price) for price in event.markets[0].prices] == [
        ("home", 1.98),
        ("draw", 3.4),
        ("away", 4.1),
    ]


def test_football_sides_come_from_the_name_when_participants_are_missing() -> None:
    event = only(football(**{"event-participants": []}))
    assert (event.home, event.away, event.markets[0].prices[0].price) == ("Flamengo", "Santos", 1.98)


@pytest.mark.parametrize("name", ["Miami Heat em Boston Celtics", "Miami Heat at Boston Celtics"])
def test_nba_host_is_the_second_name(name: str) -> None:
    event = only(nba(name=name))
    assert (event.home, event.away, event.league) == ("Boston Celtics", "Miami Heat", "basketball_nba")


def test_nba_host_is_number_two_when_the_name_does_not_say() -> None:
    event = nba(name="NBA")
    for number, participant in enumerate(event["event-participants"], start=1):
        participant["number"] = number
    assert only(event).home == "Boston Celtics"


@pytest.mark.parametrize("draw", ["Empate", "Draw", "DRAW (Fla/San)"])
def test_draw_is_known_by_its_names(draw: str) -> None:
    event = football()
    event["markets"][0]["runners"][1]["name"] = draw
    assert only(event).markets[0].prices[1].price == 3.4


def test_link_league_and_kick_off() -> None:
    event = only(football())
    assert event.url == "https://betbra.bet.br/b/exchange/sport/soccer/event/31/market/77"
    assert event.league == "soccer_brazil_campeonato"
    assert event.league_name == "Brasileirão Série A"
    assert event.starts_at == datetime(2026, 3, 2, 22, 30, tzinfo=UTC)


def test_uncollected_league_keeps_its_name() -> None:
    event = only(football(**{"meta-tags": [{"type": "COMPETITION", "name": "Série C", "url-name": "brazil-serie-c"}]}))
    assert (event.league, event.league_name) == (None, "Série C")


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (football(status="suspended"), "suspended"),
        (football(markets=[one_x_two(status="suspended")]), "suspended"),
        (football(**{"in-running-flag": True}), "live"),
        (football(markets=[one_x_two(live=True)]), "live"),
        (football(markets=[one_x_two(**{"in-running-flag": True})]), "live"),
        (football(markets=[one_x_two(**{"market-type": "outright"})]), "no winner market"),
        (football(markets=[]), "no winner market"),
        (football(**{"meta-tags": [{"type": "SPORT", "url-name": "esports"}]}), "other sport"),
    ],
)
def test_left_out(event: object, reason: str) -> None:
    page = parse(event)
    assert (page.events, page.skipped) == ([], {reason: 1})


@pytest.mark.parametrize("state", [{"withdrawn": True}, {"status": "suspended"}])
def test_withdrawn_runner_leaves_the_market_incomplete(state: dict[str, object]) -> None:
    event = football()
    event["markets"][0]["runners"][0].update(state)
    assert parse(event).skipped == {"no complete market": 1}


@pytest.mark.parametrize("name", ["Half Time", "1º Tempo", "1st Half Moneyline"])
def test_first_half_has_the_same_market_type_and_is_not_the_match(name: str) -> None:
    half = one_x_two(id="78", name=name, **{"name-original": None})
    half["runners"][0]["prices"] = offers(("back", 9.0, 1))
    assert only(football(markets=[half, one_x_two()])).markets[0].prices[2].price == 4.1


def test_two_winner_markets_are_not_guessed_between() -> None:
    assert parse(football(markets=[one_x_two(), one_x_two()])).skipped == {"several winner markets": 1}


def test_one_bad_event_does_not_cost_the_rest() -> None:
    page = parse({"id": None}, football())
    assert (len(page.events), page.skipped) == (1, {"unreadable event": 1})


def test_mostly_bad_events_mean_that_the_format_moved() -> None:
    with pytest.raises(Changed, match="2 of 3"):
        parse({"id": None}, football(), {"id": {}})


def test_html_means_blocked() -> None:
    response = Response(request=Request("https://x"), status=200, headers={}, body=b"\n<!doctype html><p>Acesso negado")
    with pytest.raises(Blocked):
        mexchange.parse(BETBRA, response)


def test_first_page_asks_for_the_others_once() -> None:
    page = parse(football(), total=250)
    assert [request.params["offset"] for request in page.follow] == ["100", "200"]
    assert {request.params["sport-ids"] for request in page.follow} == {"15"}
    assert parse(football(), total=250, offset=100).follow == []


def test_pages_are_bounded() -> None:
    page = parse(football(), total=10**30)
    assert len(page.follow) == mexchange.MAX_PAGES - 1
    assert page.skipped == {"pages beyond the limit": 1}


def test_requests() -> None:
    matches, games = mexchange.requests(BETBRA, NOW)
    assert matches.url == games.url == "https://mexchange-api.betbra.bet.br/api/events"
    assert matches.params == {
        "offset": "0",
        "per-page": "100",
        "after": "1772368200",
        "before": "1772973000",
        "sort-by": "volume",
        "sort-direction": "desc",
        "sport-ids": "15",
        "market-types": "one_x_two",
        "en-market-names": "Moneyline,Match Odds,Winner",
    }
    assert games.params["tag-url-names"] == "nba,basketball"
    assert matches.headers["cookie"] == "BIAB_LANGUAGE=PT_BR"
