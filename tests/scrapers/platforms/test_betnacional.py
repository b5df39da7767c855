from dataclasses import replace
from datetime import UTC, datetime

import msgspec
import pytest

from scrapers import catalog
from scrapers.errors import Changed
from scrapers.odds import Page
from scrapers.platforms import betnacional
from scrapers.wire import Request, Response

BOOK = catalog.get("betnacional")
NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)

Row = dict[str, object]


def ramp(outcome: str, odd: object, **fields: object) -> Row:
    return {
        "event_id": 916559498,
        "sport_id": 1,
        "tournament_name": "Brasileirão Série A",
        "home": "Grêmio ",
        "away": "Bahia",
        "date_start": "2026-11-21 21:30:00",
        "market_id": 99974622,
        "market_name": "Resultado da partida",
        "outcome_name": outcome,
        "outcome_code": outcome,
        "odd": odd,
        "is_live": 0,
        "selection_active": True,
        **fields,
    }


def old(outcome: str, odd: object, **fields: object) -> Row:
    row = ramp("", odd, market_id=1, outcome_id=outcome, tournament_id=17, tournament_name="Premier League")
    return {key: value for key, value in row.items() if key != "selection_active"} | fields


def match(**fields: object) -> list[Row]:
    return [ramp(outcome, odd) | fields for outcome, odd in (("Grêmio", 2.1), ("Empate", 3.3), ("Bahia", 3.6))]


def read(*rows: object) -> Page:
    return betnacional.parse(BOOK, Response(Request("https://x"), 200, {}, msgspec.json.encode({"odds": rows})))


def prices(page: Page) -> dict[str, float]:
    (event,) = page.events
    (market,) = event.markets
    return {price.outcome: price.price for price in market.prices}


def test_requests_one_list_per_sport() -> None:
    football, basketball = betnacional.requests(BOOK, NOW)

    assert football.url == "https://prod-global-bff-events.bet6.com.br/api/odds/1/events-by-seasons"
    assert football.params == {
        "sport_id": "1",
        "category_id": "0",
        "tournament_id": "",
        "markets": "1",
        "filter_time_event": "72",
        "provider": "ramp",
    }
    assert (basketball.params["sport_id"], basketball.params["markets"]) == ("2", "219")
    assert football.headers["origin"] == "https://betnacional.bet.br"


def test_old_feed_is_asked_for_without_a_provider() -> None:
    (request, _) = betnacional.requests(replace(BOOK, params={"hours": ""}), NOW)

    assert "provider" not in request.params


def test_kick_off_is_brasilia_time() -> None:
    (event,) = read(*match()).events

    assert event.starts_at == datetime(2026, 11, 22, 0, 30, tzinfo=UTC)
    assert event.url == "https://betnacional.bet.br/event/1/0/916559498"
    assert (event.home, event.away, event.league) == ("Grêmio", "Bahia", "soccer_brazil_campeonato")


def test_kick_off_that_names_its_zone_is_believed() -> None:
    (event,) = read(*match(date_start="2026-11-22T00:30:00Z")).events

    assert event.starts_at == datetime(2026, 11, 22, 0, 30, tzinfo=UTC)


def test_old_feed_goes_by_numbers() -> None:
    page = read(old("3", "3.600"), old("1", 2.1), old("2", 3.3), old("1", 9, market_id=29))

    assert prices(page) == {"home": 2.1, "draw": 3.3, "away": 3.6}
    assert page.events[0].league == "soccer_epl"


@pytest.mark.parametrize(
    ("tournament", "category", "league"),
    [
        ("Inglaterra - Premier League", None, "soccer_epl"),
        ("Premier League", "Inglaterra", "soccer_epl"),
        ("Premier League", "Egito", None),
        ("Premier League", None, None),
        ("Espanha - LaLiga", "", "soccer_spain_la_liga"),
        ("Brasileirão Série A Feminino", None, None),
        ("Equador - Série A", None, None),
    ],
)
def test_ramp_leagues_go_by_name_with_the_country(tournament: str, category: str | None, league: str | None) -> None:
    (event,) = read(*match(tournament_name=tournament, category_name=category, tournament_id=325)).events

    assert event.league == league


def test_basketball_winner_has_two_sides() -> None:
    fields: Row = {"sport_id": 2, "market_name": "Vence a partida", "tournament_name": "NBA"}
    page = read(ramp("Bahia", 8, **fields), ramp("Grêmio", 1.056, **fields))

    assert prices(page) == {"home": 1.056, "away": 8.0}
    assert page.events[0].league == "basketball_nba"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"is_live": 1}, "live"),
        ({"event_status_id": 1}, "live"),
        ({"event_status_id": 3}, "live"),
        ({"selection_active": False}, "suspended"),
        ({"market_status_id": -1}, "suspended"),
        ({"sport_id": 5}, "other sport"),
        ({"date_start": None}, "unreadable kick-off"),
        ({"odd": "-"}, "no complete market"),
    ],
)
def test_what_is_left_out_and_why(fields: Row, reason: str) -> None:
    page = read(*match(**fields))

    assert page.events == []
    assert page.skipped == {reason: 1}


def test_match_with_one_suspended_outcome_is_left_out() -> None:
    rows = match()
    rows[1] |= {"selection_active": False}

    assert read(*rows).skipped == {"suspended": 1}


def test_other_markets_of_the_match_are_not_mixed_in() -> None:
    boosted = match(market_id=99974623, market_name="Resultado da partida - Super Odd", odd=9.0)

    assert prices(read(*boosted, *match())) == {"home": 2.1, "draw": 3.3, "away": 3.6}


def test_basketball_with_a_draw_is_regular_time_only() -> None:
    regular = match(sport_id=2, market_name="Vencedor da partida", odd=9.0)
    alone = match(sport_id=2, market_name="Vencedor da partida", event_id=1)
    home, _, away = match(sport_id=2, market_name="Vence a partida", market_id=99974623)

    page = read(*regular, *alone, home, away)

    assert prices(page) == {"home": 2.1, "away": 3.6}
    assert page.skipped == {"no match winner": 1}


def test_list_without_any_market_that_we_know_is_changed() -> None:
    with pytest.raises(Changed, match="Quem ganha"):
        read(*match(market_name="Quem ganha?"))


def test_empty_list_is_no_error() -> None:
    assert read().events == []


def test_one_bad_row_costs_its_own_match_only() -> None:
    page = read(*match(), ramp("Bahia", 2.0) | {"event_id": None})

    assert len(page.events) == 1
    assert page.skipped == {"unreadable row": 1}


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"odds":[1,2]}', b"<html>"])
def test_other_shapes_are_changed(body: bytes) -> None:
    with pytest.raises(Changed):
        betnacional.parse(BOOK, Response(Request("https://x"), 200, {}, body))
