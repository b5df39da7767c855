"""The published files: their format, and that clients of the-odds-api read it."""

import csv
import gzip
import io
import json
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from sidecars.draft import PIECE, Body, Draft
from sidecars.feed import Envelope, schema
from sidecars.json_generator import as_row
from sidecars.surebets import LEAST_STAKE, Offer
from store.export import Line
from tests.sidecars.rows import BETBRA, EXAMPLES, KTO, NOW, STAKE, SUREBET, draft, line, match
from tests.sidecars.test_surebets import THREE, every_combination

ROOT = Path(__file__).parent.parent.parent


def loaded(made: Draft) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(b"".join(made.json))
    return whole


@pytest.fixture
def made() -> Draft:
    return draft(*EXAMPLES)[1]


@pytest.fixture
def shown(made: Draft) -> dict[str, Any]:
    return loaded(made)


def test_the_schema_in_docs_is_that_of_the_code() -> None:
    assert json.loads((ROOT / "docs/odds.schema.json").read_text()) == schema(), "python -m sidecars schema > docs/…"


def test_the_file_validates(shown: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(schema())
    Draft202012Validator(schema()).validate(shown)
    assert len(shown["events"]) == 3


@pytest.mark.parametrize(
    "spoil",
    [
        lambda file: file.update(version=2),
        lambda file: file["events"][0]["bookmakers"][0]["markets"][0]["outcomes"][0].update(price=0),
        lambda file: file["events"][0]["bookmakers"][0]["markets"][0].update(key="totals"),
        lambda file: file["surebets"][0]["legs"].pop() and file["surebets"][0]["legs"].pop(),
        lambda file: file["bookmakers"][0].update(surprise=1),
        lambda file: file["events"][0].pop("commence_time"),
    ],
)
def test_the_schema_notices(shown: dict[str, Any], spoil: Any) -> None:  # noqa: ANN401
    spoil(shown)
    assert not Draft202012Validator(schema()).is_valid(shown)


class ApiOutcome(msgspec.Struct):
    """As documented for GET /v4/sports/{sport}/odds: name and price always, point for spreads and totals."""

    name: str
    price: float
    point: float | None = None


class ApiMarket(msgspec.Struct):
    key: str
    last_update: datetime
    outcomes: list[ApiOutcome]


class ApiBookmaker(msgspec.Struct):
    key: str
    title: str
    last_update: datetime
    markets: list[ApiMarket]
    link: str | None = None
    sid: str | None = None


class ApiEvent(msgspec.Struct):
    id: str
    sport_key: str
    sport_title: str
    commence_time: datetime
    home_team: str
    away_team: str
    bookmakers: list[ApiBookmaker]


def test_a_client_of_the_odds_api_reads_the_events(shown: dict[str, Any]) -> None:
    """Typed by what the-odds-api documents for v4: a client takes `events` for its answer, and our keys are extra."""
    events = msgspec.json.decode(json.dumps(shown["events"]), type=list[ApiEvent])
    first = events[0]
    assert (first.sport_key, first.home_team, first.away_team) == ("soccer_brazil_campeonato", "Flamengo", "Palmeiras")
    assert first.commence_time.utcoffset() is not None
    assert [bookmaker.key for bookmaker in first.bookmakers] == ["kto", "stake"]
    for event in events:
        for market in (market for bookmaker in event.bookmakers for market in bookmaker.markets):
            names = [outcome.name for outcome in market.outcomes]
            # Its clients find the sides by name, and the draw by its word.
            assert {event.home_team, event.away_team} <= set(names) <= {event.home_team, event.away_team, "Draw"}
            assert all(outcome.price > 1 for outcome in market.outcomes)


def test_it_decodes_into_its_own_types(made: Draft) -> None:
    envelope = msgspec.json.decode(b"".join(made.json), type=Envelope)
    assert envelope.generated_at == "2027-01-15T08:00:00Z"
    assert [(book.key, book.age_seconds) for book in envelope.bookmakers] == [
        ("kto", 12),
        ("stake", 12),
        ("betbra", 12),
    ]


def test_the_best_price_is_net_of_commission(shown: dict[str, Any]) -> None:
    best = shown["events"][1]["best"]
    assert best["h2h"]["home"] == {"price": 2.2, "bookmaker": "betbra", "net_price": 2.1664}
    assert best["h2h_2up"]["home"] == {"price": 2.0, "bookmaker": "kto"}
    exchange = line(BETBRA, 2.1, 3.2, 3.4, home_liquidity=55.5)
    close = draft(match(1, exchange, line(KTO, 2.09, 3.2, 3.4)))[1]
    assert loaded(close)["events"][0]["best"]["h2h"]["home"]["bookmaker"] == "kto"


@pytest.mark.parametrize(("liquidity", "taken"), [(None, False), (0.0, False), (0.99, False), (2.0, True)])
def test_an_exchange_that_may_take_nothing_is_shown_but_promised_to_nobody(
    liquidity: float | None, *, taken: bool
) -> None:
    exchange = line(BETBRA, 3.4, 3.0, 2.2, home_liquidity=liquidity, draw_liquidity=50.0, away_liquidity=50.0)
    export, made = draft(match(1, exchange, line(KTO, 3.1, 3.4, 2.3), line(STAKE, 2.4, 3.1, 2.8)))
    (event,) = loaded(made)["events"]
    assert event["bookmakers"][0]["markets"][0]["outcomes"][0]["price"] == 3.4
    assert event["best"]["h2h"]["home"]["bookmaker"] == ("betbra" if taken else "kto")
    assert any(leg.offer.bookmaker == "betbra" for found in export.found for leg in found.bet.legs) == taken


def test_a_surebet_is_of_early_payout_by_its_sides_only() -> None:
    rows = (line(KTO, 3.2, 3.4, 2.3), line(STAKE, 2.4, 3.1, 2.9))
    on_the_draw = draft(match(1, *rows, line(KTO, None, 3.5, None, "h2h_2up")))[1]
    on_a_side = draft(match(1, *rows, line(KTO, 3.3, None, None, "h2h_2up")))[1]
    assert [loaded(made)["surebets"][0]["market"] for made in (on_the_draw, on_a_side)] == ["h2h", "h2h_2up"]


prices = st.none() | st.integers(150, 500).map(lambda cents: cents / 100)
liquidities = st.none() | st.sampled_from([0.0, 0.99, 1.0, 30.0, 3000.0])
lines = st.builds(
    line,
    st.sampled_from([KTO, STAKE, BETBRA]), prices, prices, prices, st.sampled_from(["h2h", "h2h_2up"]),
    home_liquidity=liquidities, draw_liquidity=liquidities, away_liquidity=liquidities,
)  # fmt: skip


@given(st.lists(lines, min_size=1, max_size=6, unique_by=lambda line: (line.book_id, line.market)))
def test_the_quick_look_hides_no_surebet_and_best_can_be_bet_on(board: list[Line]) -> None:
    books = {book.id: book for book in (KTO, STAKE, BETBRA)}
    offers = [
        Offer(side, each.market, book.key, price, book.commission, amount, each.fetched_at, each.link)
        for each in board
        for book in [books[each.book_id]]
        for side, price, amount in (
            ("home", each.home, each.home_liquidity),
            ("draw", each.draw, each.draw_liquidity),
            ("away", each.away, each.away_liquidity),
        )
        if price and (book is not BETBRA or amount is not None)
    ]
    export, made = draft(match(1, *board))
    found = [found.bet for found in export.found]
    assert bool(found) == bool(every_combination(offers, THREE, 100_000))
    assert {leg.offer for bet in found for leg in bet.legs} <= set(offers)

    best = loaded(made)["events"][0]["best"]
    for market, side in product({each.market for each in board}, THREE):
        worth = [
            each.net for each in offers if (each.market, each.outcome) == (market, side) and each.most >= LEAST_STAKE
        ]
        shown = best[market].get(side)
        assert (shown is None) == (not worth)
        assert not worth or shown.get("net_price", shown["price"]) == pytest.approx(max(worth), abs=1e-4)


def test_opening_and_current_price_stand_together() -> None:
    moved = draft(match(1, line(KTO, 2.1, 3.2, 3.4, home_opening=1.95)))[1]
    outcome = loaded(moved)["events"][0]["bookmakers"][0]["markets"][0]["outcomes"][0]
    assert outcome == {"name": "Flamengo", "price": 2.1, "opening": 1.95}


def test_a_surebet_names_its_legs(shown: dict[str, Any]) -> None:
    (bet,) = shown["surebets"]
    assert (bet["event_id"], bet["market"], bet["profit_percent"], bet["suspicious"]) == ("1", "h2h", 5.1, False)
    assert [(leg["outcome"], leg["bookmaker"]) for leg in bet["legs"]] == [
        ("home", "kto"), ("draw", "kto"), ("away", "stake"),
    ]  # fmt: skip
    assert bet["oldest_odds_age_seconds"] == 12
    assert sum(leg["stake"] for leg in bet["legs"]) == pytest.approx(bet["total_stake"])
    assert all(leg["payout"] >= bet["total_stake"] + bet["profit"] - 0.001 for leg in bet["legs"])


def test_a_surebet_of_a_large_bank_may_be_close_to_none() -> None:
    """1/1.5 + 1/3.07 + 1/131.58 = 0.9999995: a few cents of R$ 100,000."""
    export, made = draft(match(1, line(KTO, 1.5, 2.9, 131.58), line(STAKE, 1.4, 3.07, 120.0)), bank=10_000_000)
    (bet,) = loaded(made)["surebets"]
    (stored,) = map(as_row, export.found)
    Draft202012Validator(schema()).validate(loaded(made))
    assert bet["implied_sum"] == stored["implied_sum"] == 0.999999


def test_basketball_needs_no_draw() -> None:
    from tests.sidecars.rows import NBA

    both = match(1, line(KTO, 2.1, None, 1.7), line(STAKE, 1.7, None, 2.1), league=NBA)
    assert len(draft(both)[0].found) == 1
    football = match(1, line(KTO, 2.1, None, 1.7), line(STAKE, 1.7, None, 2.1))
    assert draft(football)[0].found == [], "without a draw's price, a draw would lose it all"


def test_a_book_on_another_match_makes_it_suspicious() -> None:
    others = [line(STAKE, 1.5, 4.2, 7.0), line(BETBRA, 1.5, 4.2, 7.1)]
    (found, *_) = draft(match(1, line(KTO, 7.0, 4.2, 1.5), *others))[0].found
    assert "prices_disagree" in found.warnings
    assert found.suspicious


def test_csv_is_flat_and_harmless(made: Draft) -> None:
    rows = list(csv.DictReader(io.StringIO(b"".join(made.csv).decode())))
    assert len(rows) == 6
    assert rows[0]["home"] == "3.2"
    assert rows[0]["link"] == "https://kto.bet.br/event/77"
    assert rows[-1]["draw"] == ""
    assert rows[-1]["away_team"] == '\'=HYPERLINK(1), "Celtics"', "a spreadsheet must not take a name for a formula"


def test_gzip_is_the_same_file() -> None:
    body = Body(b"start")
    for number in range(3):
        body += bytes([number]) * (PIECE - 1)
    whole = b"".join(body)
    assert len(body) == len(whole) == 5 + 3 * (PIECE - 1)
    assert gzip.decompress(b"".join(body.zipped())) == whole


def test_only_what_matters_counts_as_a_change() -> None:
    same, later = draft(*EXAMPLES)[1], draft(*EXAMPLES)[1]
    assert same.content == later.content
    assert draft(*EXAMPLES[:2])[1].content != same.content
    assert draft(*EXAMPLES, bank=50_000)[1].content != same.content


def test_a_match_that_moved_between_two_pages_is_there_once() -> None:
    assert len(loaded(draft(SUREBET, SUREBET)[1])["events"]) == 1


def test_an_empty_fleet_gives_a_valid_file() -> None:
    from sidecars.export import Export

    export = Export([], [], 100)
    empty = Draft(export.times[NOW], export.show_books(NOW))
    empty.finish([])
    Draft202012Validator(schema()).validate(loaded(empty))
