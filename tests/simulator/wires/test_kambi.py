"""What the simulated Kambi says is what its scraper understands."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from scrapers import catalog
from scrapers.odds import MarketKey, Outcome, Sport
from scrapers.platforms import kambi
from scrapers.wire import Response
from simulator.board import Answer, Asked, Board, Line
from simulator.wires import kambi as wire

KTO = catalog.get("kto").at("http://simulator:9000")
NOW = datetime(2026, 9, 22, 12, tzinfo=UTC)
KICK_OFF = NOW + timedelta(days=1)
LIST_VIEW = "/offering/v2018/ktobr/listView"

Prices = Mapping[MarketKey, Mapping[Outcome, float]]
PLAIN: Prices = {"h2h": {"home": 1.91, "draw": 3.4, "away": 4.2}}
EARLY: Prices = {**PLAIN, "h2h_2up": {"home": 1.83, "draw": 3.3, "away": 3.95}}
GAME: Prices = {"h2h": {"home": 1.5, "away": 2.6}}


def football(event_id: int, league: str, home: str, away: str, prices: Prices = PLAIN, **more: bool) -> Line:
    starts_at = NOW if more.get("live") else KICK_OFF
    return Line(event_id, event_id, Sport.FOOTBALL, league, home, away, starts_at, prices, **more)


OPEN = (
    football(101, "soccer_brazil_campeonato", "Flamengo", "Grêmio", EARLY),
    football(102, "soccer_epl", "Arsenal", "Chelsea"),
    Line(103, 103, Sport.BASKETBALL, "basketball_nba", "Celtics", "Pistons", KICK_OFF, GAME, swapped=True),
)
CLOSED = (
    football(104, "soccer_epl", "Everton", "Fulham", EARLY, suspended=True),
    football(105, "soccer_epl", "Leeds", "Burnley", EARLY, live=True),
)
BOARD = Board(KTO, NOW, (*OPEN, *CLOSED))


def ask(path: str, query: Mapping[str, str] | None = None) -> Answer:
    return wire.answer(BOARD, Asked("GET", path, query or {}, {}, b""))


def test_a_board_comes_through_whole() -> None:
    found: dict[str, tuple[object, dict[str, object]]] = {}
    skipped: dict[str, int] = {}
    for request in kambi.requests(KTO, NOW):
        answer = ask(request.url.removeprefix(KTO.api), request.params)
        page = kambi.parse(KTO, Response(request, answer.status, {}, answer.body))
        for event in page.events:
            match = (event.sport, event.league, event.home, event.away, event.starts_at)
            known, prices = found.setdefault(event.external_id, (match, {}))
            assert known == match
            prices |= {market.key: {price.outcome: price.price for price in market.prices} for market in event.markets}
            assert event.url
            assert event.url.startswith("http://simulator:9000/kto/esportes/")
        for reason, count in page.skipped.items():
            skipped[reason] = skipped.get(reason, 0) + count

    assert found == {
        str(line.event_id): ((line.sport, line.league, line.home, line.away, line.starts_at), line.markets)
        for line in (line.listed() for line in OPEN)
    }
    assert skipped == {"suspended": 2, "live": 2, "not a match": 2}


@pytest.mark.parametrize(
    ("view", "ids"),
    [
        ("football/brazil/brasileirao_serie_a.json", {101}),
        ("football/england/premier_league/all/matches.json", {102, 104, 105}),
        ("football/england/renamed.json", set()),
    ],
)
def test_a_league_is_a_path(view: str, ids: set[int]) -> None:
    items = msgspec.json.decode(ask(f"{LIST_VIEW}/{view}").body)["events"]

    assert {item["event"]["id"] for item in items} == ids


def test_unknown_offerings_and_paths_are_refused() -> None:
    assert ask("/offering/v2018/nobody/listView/football.json").status == 400
    assert ask("/offering/v2018/ktobr/nothing").status == 404
    assert ask("/").status == 404
