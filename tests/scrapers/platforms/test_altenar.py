"""Altenar: what the recorded answers do not show."""

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec
import pytest

from scrapers import catalog
from scrapers.errors import Changed
from scrapers.odds import Page
from scrapers.platforms import altenar
from scrapers.wire import Request, Response

NOW = datetime(2026, 9, 22, 12, tzinfo=UTC)
HOME, AWAY = 501, 502

Row = dict[str, object]


def odd(id_: int, type_id: int, price: object, **more: object) -> Row:
    return {"id": id_, "typeId": type_id, "price": price, "oddStatus": 0, **more}


def market(id_: int, odds: Sequence[int], type_id: int = 1, name: str = "Vencedor do encontro") -> Row:
    return {"id": id_, "typeId": type_id, "name": name, "oddIds": list(odds)}


def event(**more: object) -> Row:
    return {
        "id": 77,
        "name": "Flamengo vs. Grêmio",
        "startDate": "2026-09-26T19:00:00Z",
        "sportId": 66,
        "catId": 593,
        "champId": 11318,
        "competitorIds": [HOME, AWAY],
        "marketIds": [1],
        "status": 0,
        "et": 0,
        **more,
    }


PLAIN = [
    odd(13, 1, 1.9, competitorId=HOME),
    odd(11, 2, 3.4),
    odd(12, 3, 4.2, competitorId=AWAY),
]


def answer(**more: object) -> Row:
    return {
        "events": [event()],
        "markets": [market(1, [13, 11, 12])],
        "odds": PLAIN,
        "competitors": [{"id": HOME, "name": "Flamengo"}, {"id": AWAY, "name": "Grêmio"}],
        "champs": [{"id": 11318, "name": "Brasileirão Série A"}, {"id": 2980, "name": "NBA"}],
        "categories": [{"id": 593, "name": "Brasil"}, {"id": 522, "name": "EUA"}],
        **more,
    }


def parse(body: object, scraper: str = "estrelabet", note: str = "football") -> Page:
    raw = body if isinstance(body, bytes) else msgspec.json.encode(body)
    return altenar.parse(catalog.get(scraper), Response(Request(url="https://x", note=note), 200, {}, raw))


def prices(page: Page, key: str = "h2h") -> dict[str, float]:
    (found,) = page.events
    (chosen,) = (market for market in found.markets if market.key == key)
    return {price.outcome: price.price for price in chosen.prices}


def test_asks_once_per_sport_for_the_leagues_we_collect() -> None:
    football, basketball = altenar.requests(catalog.get("estrelabet"), NOW)

    assert football.url == "https://sb2frontend-altenar2.biahosted.com/api/widget/GetEvents"
    assert football.params["integration"] == "estrelabet"
    assert football.params["sportId"] == "66"
    assert {"11318", "2936", "16808"} <= set(football.params["champIds"].split(","))
    assert "2980" not in football.params["champIds"].split(",")
    assert basketball.params["sportId"] == "67"
    assert basketball.params["champIds"] == "2980"
    assert "authorization" not in football.headers


@pytest.mark.parametrize(
    ("scraper", "integration", "sports"),
    [
        ("br4bet", "br4bet", ["66"]),
        ("br4bet_nba", "br4bet", ["67"]),
        ("mcgames", "mcgames2", ["66"]),
        ("mcgames_nba", "mcgames2", ["67"]),
        ("jogodeouro", "jogodeouro", ["66"]),
        ("jogodeouro_nba", "jogodeouro", ["67"]),
        ("aposta1", "aposta1", ["66", "67"]),
        ("esportivabet", "esportiva", ["66", "67"]),
    ],
)
def test_a_brand_asks_under_its_own_name(scraper: str, integration: str, sports: list[str]) -> None:
    asked = altenar.requests(catalog.get(scraper), NOW)

    assert [request.params["sportId"] for request in asked] == sports
    assert {request.params["integration"] for request in asked} == {integration}


def test_reads_outcomes_by_type_not_by_position() -> None:
    assert prices(parse(answer())) == {"home": 1.9, "draw": 3.4, "away": 4.2}


@pytest.mark.parametrize("name", ["Vencedor do encontro - Super Odds", "1x2 - Odds Aumentadas", "Resultado Turbinado"])
def test_a_boosted_market_never_replaces_the_plain_one(name: str) -> None:
    boosted = [odd(21, 1, 2.5), odd(22, 2, 4.0), odd(23, 3, 5.0)]
    both = answer(
        events=[event(marketIds=[2, 1])],
        markets=[market(2, [21, 22, 23], name=name), market(1, [13, 11, 12])],
        odds=[*boosted, *PLAIN],
    )
    alone = answer(events=[event(marketIds=[2])], markets=[market(2, [21, 22, 23], name=name)], odds=boosted)

    assert prices(parse(both)) == {"home": 1.9, "draw": 3.4, "away": 4.2}
    assert parse(alone).events == []


def test_a_market_with_early_payout_is_kept_apart() -> None:
    early = [odd(21, 1, 1.8), odd(22, 2, 3.3), odd(23, 3, 4.0)]
    page = parse(
        answer(
            events=[event(marketIds=[2, 1])],
            markets=[market(2, [21, 22, 23], name="1x2 - Pagamento Antecipado"), market(1, [13, 11, 12])],
            odds=[*early, *PLAIN],
        )
    )

    assert prices(page) == {"home": 1.9, "draw": 3.4, "away": 4.2}
    assert prices(page, "h2h_2up") == {"home": 1.8, "draw": 3.3, "away": 4.0}


def test_a_match_whose_odds_name_the_other_side_is_left_out() -> None:
    page = parse(answer(events=[event(competitorIds=[AWAY, HOME])]))

    assert page.events == []
    assert page.skipped == {"sides disagree": 1}


def test_teams_come_from_the_title_when_the_table_has_none() -> None:
    odds = [odd(13, 1, 1.9), odd(11, 2, 3.4), odd(12, 3, 4.2)]
    (found,) = parse(answer(events=[event(competitorIds=[])], competitors=[], odds=odds)).events

    assert (found.home, found.away) == ("Flamengo", "Grêmio")


@pytest.mark.parametrize("status", [1, 7])
def test_a_closed_outcome_closes_the_market(status: int) -> None:
    page = parse(answer(odds=[*PLAIN[:2], odd(12, 3, 4.2, oddStatus=status)]))

    assert page.events == []
    assert page.skipped == {"suspended": 1}


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"status": 1}, "live"),
        ({"status": 5}, "live"),
        ({"sportId": 146}, "other sport"),  # e-football, with the names of real teams
        ({"et": 2}, "not a match"),
    ],
)
def test_only_real_matches_before_their_start(more: Row, reason: str) -> None:
    page = parse(answer(events=[event(**more)]))

    assert page.events == []
    assert page.skipped == {reason: 1}


def test_basketball_counts_overtime_and_has_no_draw() -> None:
    game = event(sportId=67, catId=522, champId=2980, marketIds=[1, 3])
    winner = [odd(31, 1, 1.5, competitorId=HOME), odd(32, 3, 2.6, competitorId=AWAY)]
    page = parse(
        answer(
            events=[game],
            markets=[market(1, [13, 11, 12], name="1x2"), market(3, [31, 32], type_id=219, name="Vencedor")],
            odds=[*PLAIN, *winner],
        ),
        "br4bet_nba",
        "basketball",
    )

    assert prices(page) == {"home": 1.5, "away": 2.6}
    assert page.events[0].league == "basketball_nba"


def test_womens_basketball_is_no_league_of_ours() -> None:
    game = event(sportId=67, champId=5519, marketIds=[3])
    winner = [odd(31, 1, 1.5), odd(32, 3, 2.6)]
    page = parse(
        answer(events=[game], markets=[market(3, [31, 32], type_id=219)], odds=winner), "br4bet_nba", "basketball"
    )

    assert [found.league for found in page.events] == [None]


def test_a_football_row_leaves_basketball_to_its_sister() -> None:
    page = parse(answer(events=[event(sportId=67)]), "br4bet")

    assert page.skipped == {"other sport": 1}


@pytest.mark.parametrize(
    ("scraper", "url"),
    [
        ("estrelabet", "https://www.estrelabet.bet.br/aposta-esportiva?page=event&eventId=77&sportId=66"),
        ("br4bet", "https://br4.bet.br/sports/futebol/brasil/flamengo-vs-gremio/e-77"),
        ("mcgames", "https://mcgames.bet.br/sports/futebol/brasil/flamengo-vs-gremio/e-77"),
        ("jogodeouro", "https://jogodeouro.bet.br/pt/sports?page=event&eventId=77&sportId=66"),
        ("aposta1", "https://www.aposta1.bet.br/esportes#/sport/66/category/593/championship/11318/event/77"),
        (
            "esportivabet",
            "https://esportiva.bet.br/sports/futebol/brasil/brasileirao-serie-a/flamengo-vs-gremio/ev-77",
        ),
    ],
)
def test_every_brand_has_its_own_match_pages(scraper: str, url: str) -> None:
    (found,) = parse(answer(), scraper).events

    assert found.url == url


def test_no_link_rather_than_a_broken_one() -> None:
    (found,) = parse(answer(categories=[]), "br4bet").events

    assert found.url is None


def test_a_kick_off_in_milliseconds_is_understood() -> None:
    (found,) = parse(answer(events=[event(startDate=1790449200000)])).events

    assert found.starts_at == datetime(2026, 9, 26, 19, tzinfo=UTC)


def test_no_football_anywhere_means_that_the_brand_moved() -> None:
    nothing = answer(events=[], markets=[], odds=[])

    with pytest.raises(Changed, match="estrelabet"):
        parse(nothing)
    assert parse(nothing, "br4bet_nba", "basketball").events == []  # the NBA has a summer


@pytest.mark.parametrize("table", ["markets", "odds"])
def test_events_without_the_tables_that_they_point_to_are_a_changed_format(table: str) -> None:
    with pytest.raises(Changed, match=table):
        parse({name: rows for name, rows in answer().items() if name != table})


def test_one_unreadable_event_costs_only_itself() -> None:
    page = parse(answer(events=[event(), {"id": "?"}]))

    assert len(page.events) == 1
    assert page.skipped == {"unreadable event": 1}


@pytest.mark.parametrize(
    "tables",
    [
        {"events": [event(), {"id": "?"}, {}]},
        {"odds": [odd(13, 1, {"parsedValue": 1.9}), odd(11, 2, {"parsedValue": 3.4}), PLAIN[2]]},
    ],
)
def test_mostly_unreadable_is_a_changed_format(tables: Row) -> None:
    with pytest.raises(Changed, match="unreadable"):
        parse(answer(**tables))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>challenge</html>",
        b"null",
        b"[]",
        b"{}",
        b'{"error": "Bad Request"}',
        b'{"events": 1}',
        b'{"events": ' + b"[" * 100_000,
        b'{"id": ' + b"9" * 5000 + b"}",
        msgspec.json.encode(answer(events=[event(sportId=[])])),
        msgspec.json.encode(answer()).replace(b"1.9", b"9" * 400).replace(b"3.4", b"1e999"),
    ],
)
def test_any_other_answer_is_a_changed_format(body: bytes) -> None:
    with pytest.raises(Changed):
        parse(body)
