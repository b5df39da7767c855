"""What Betano's lists hold beside plain matches, and what must not be taken for them."""

from dataclasses import replace
from datetime import UTC, datetime

import msgspec
import pytest

from scrapers import catalog
from scrapers.errors import Blocked, Changed
from scrapers.odds import Page
from scrapers.platforms import betano
from scrapers.wire import Request, Response

BOOK = catalog.get("betano")
NOW = datetime(2026, 10, 3, 12, 0, tzinfo=UTC)
SIDES = [{"name": "Flamengo", "id": "11"}, {"name": "Vasco", "id": "22"}]


def offer(kind: str, *prices: float | None, names: tuple[str, ...] = ("1", "X", "2")) -> dict[str, object]:
    selections = [
        {"name": name, "price": price, "columnIndex": column}
        for column, (name, price) in enumerate(zip(names, prices, strict=True))
    ]
    return {"type": kind, "selections": selections}


PLAIN = offer("MRES", 1.95, 3.4, 4.1)
BOOSTED = offer("MR12", 2.05, 3.6, 4.5)


def match(**changes: object) -> dict[str, object]:
    return {
        "id": "93062328",
        "sportId": "FOOT",
        "name": "Flamengo - Vasco",
        "startTime": 1790880300000,
        "url": "/odds/flamengo-vasco/93062328/",
        "leagueId": "10016",
        "leagueName": "Brasileirão Série A",
        "participants": SIDES,
        "markets": [PLAIN],
        **changes,
    }


def game(*selections: dict[str, object], **changes: object) -> dict[str, object]:
    sixpack = [{"columns": [{"type": "FHOT", "selections": []}, {"type": "H2HT", "selections": list(selections)}]}]
    shape = {"sportId": "BASK", "leagueId": "17106", "markets": [], "sixPackBlocks": sixpack}
    return match(**{**shape, **changes})


def read(*events: object, note: str = "10016", pages: str = "2") -> Page:
    book = replace(BOOK, params={"match_pages": pages})
    body = msgspec.json.encode({"data": {"events": events}})
    return betano.parse(book, Response(Request(BOOK.api, note=note), 200, {}, body))


def prices(page: Page) -> dict[str, float]:
    ((market,),) = (event.markets for event in page.events)
    return {price.outcome: price.price for price in market.prices}


def test_a_cycle_asks_for_each_collected_league_once() -> None:
    asked = betano.requests(BOOK, NOW)

    assert len(asked) == len({(request.url, request.params["req"], request.note) for request in asked}) == 16
    assert asked[0].url == "https://www.betano.bet.br/api/league/hot/upcoming/"
    assert asked[0].params == {"leagueId": "10016", "req": "s,stnf,c,mb"}
    assert asked[-1].url == "https://www.betano.bet.br/api/sports/BASK/hot/trending/leagues/441g/events/"


def test_a_boosted_price_never_stands_for_the_plain_one() -> None:
    page = read(match(markets=[BOOSTED, PLAIN]))

    assert prices(page) == {"home": 1.95, "draw": 3.4, "away": 4.1}
    assert page.follow == []


def test_the_plain_price_behind_a_boosted_one_is_on_the_page_of_the_match() -> None:
    page = read(match(markets=[BOOSTED]))

    assert page.events == []
    assert page.skipped == {"only a boosted price": 1}
    assert [request.url for request in page.follow] == [f"{BOOK.api}/api/odds/flamengo-vasco/93062328/"]


def test_pages_of_matches_are_asked_for_sparingly_and_soonest_first() -> None:
    events = [
        match(id=str(day), url=f"/odds/a-b/{day}/", startTime=1790880300000 + day, markets=[BOOSTED])
        for day in (4, 2, 9, 1)
    ]

    assert [request.url[-3:-1] for request in read(*events).follow] == ["/1", "/2"]
    assert read(*events, pages="0").follow == []


def test_a_page_of_a_match_is_never_asked_for_twice() -> None:
    body = msgspec.json.encode({"data": {"event": match(markets=[BOOSTED])}})

    assert betano.parse(BOOK, Response(Request(BOOK.api), 200, {}, body)).follow == []


def test_the_draw_is_known_by_its_column_however_it_is_printed() -> None:
    page = read(match(markets=[offer("MRES", 1.95, 3.4, 4.1, names=("1", "0", "2"))]))

    assert prices(page)["draw"] == 3.4


def test_without_columns_the_names_decide() -> None:
    shuffled = {
        "type": "MRES",
        "selections": [{"name": n, "price": p} for n, p in (("2", 4.1), ("X", 3.4), ("1", 1.95))],
    }

    assert prices(read(match(markets=[shuffled]))) == {"home": 1.95, "draw": 3.4, "away": 4.1}


def test_in_a_sixpack_the_team_decides_the_side_since_both_stand_in_column_0() -> None:
    away = {"name": "Vasco", "price": 2.6, "columnIndex": 0, "teamId": "22"}
    home = {"name": "Flamengo", "price": 1.5, "columnIndex": 0, "teamId": "11"}

    assert prices(read(game(away, home))) == {"home": 1.5, "away": 2.6}


def test_in_a_sixpack_without_teams_the_order_is_left() -> None:
    page = read(game({"price": 1.5, "columnIndex": 0}, {"price": 2.6, "columnIndex": 0}))

    assert prices(page) == {"home": 1.5, "away": 2.6}


def test_two_prices_for_one_side_are_no_market() -> None:
    same = {"price": 1.5, "teamId": "11"}

    assert read(game(same, same)).skipped == {"no complete market": 1}


def test_a_boosted_moneyline_is_left_out() -> None:
    columns = [{"type": "H2H1", "selections": [{"price": 1.6}, {"price": 2.8}]}]

    assert read(game(sixPackBlocks=[{"columns": columns}])).skipped == {"only a boosted price": 1}


def test_nba_games_are_known_by_the_group_that_was_asked_for() -> None:
    both = {"price": 1.5, "teamId": "11"}, {"price": 2.6, "teamId": "22"}

    assert read(game(*both), note="441g").events[0].league == "basketball_nba"
    assert read(game(*both), note="440g").events[0].league is None


def test_a_league_with_a_known_name_and_another_number_is_not_ours() -> None:
    page = read(match(leagueId="77777", leagueName="Premier League"), note="1")

    assert [event.league for event in page.events] == [None]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"liveNow": True}, "live"),
        ({"url": "/live/flamengo-vasco/93062328/"}, "live"),
        ({"sportId": "ESPS"}, "other sport"),
        ({"sportId": "HAND"}, "other sport"),
        ({"leagueName": "Esoccer Battle - 8 minutos de jogo"}, "virtual"),
        ({"name": "Flamengo (Esports) - Vasco (Esports)"}, "virtual"),
        ({"name": "Brasileirão - Campeão - 2026", "participants": []}, "not a match of two sides"),
        ({"participants": [*SIDES, {"name": "Santos"}]}, "not a match of two sides"),
        ({"markets": [offer("MRES", 1.95, None, 4.1)]}, "no complete market"),
        ({"markets": [offer("MRES", 1.95, 1.0, 4.1)]}, "no complete market"),
        ({"markets": []}, "no complete market"),
        ({"startTime": None}, "unreadable kick-off"),
        ({"startTime": 1e30}, "unreadable kick-off"),
        ({"id": ["93062328"]}, "unreadable event"),
    ],
)
def test_what_is_left_out(change: dict[str, object], reason: str) -> None:
    page = read(match(**change), match(id="1"))

    assert [event.external_id for event in page.events] == ["1"]
    assert page.skipped == {reason: 1}


def test_a_match_that_can_be_bet_live_later_is_not_live() -> None:
    assert len(read(match(willGoLive=True, liveNow=False)).events) == 1


def test_without_participants_the_name_gives_the_sides() -> None:
    (event,) = read(match(participants=None, name="Athletic Club-MG - Atlético-GO")).events

    assert (event.home, event.away) == ("Athletic Club-MG", "Atlético-GO")


def test_the_splash_page_means_blocked() -> None:
    body = b"<!doctype html><html><head><title>Betano Splash Screen</title></head></html>"

    with pytest.raises(Blocked):
        betano.parse(BOOK, Response(Request(BOOK.api), 200, {}, body))


@pytest.mark.parametrize("body", [b"", b"<html>", b"{}", b'{"data":{}}', b'{"data":{"events":[1,2]}}', b"[" * 90_000])
def test_another_shape_is_a_change(body: bytes) -> None:
    with pytest.raises(Changed):
        betano.parse(BOOK, Response(Request(BOOK.api), 200, {}, body))


def test_a_league_without_matches_is_no_change() -> None:
    assert read().events == []
