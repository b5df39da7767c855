"""Surebets: by hand, against brute force, and to the cent."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidecars.surebets import LEAST_STAKE, Offer, Surebet, find, stake, suspicious, warnings

THREE = ("home", "draw", "away")
TWO = ("home", "away")
BANK = 100_000


def offers(*rows: tuple[str, str, float]) -> list[Offer]:
    return [Offer(outcome, "h2h", book, price) for book, outcome, price in rows]


def exact_payout(offer: Offer, cents: int) -> Fraction:
    """By the definition: the stake comes back with the winnings, of which the exchange keeps its share."""
    price, commission = Fraction(str(offer.price)), Fraction(str(offer.commission))
    return cents + cents * (price - 1) * (1 - commission)


def test_two_outcomes_by_hand() -> None:
    """1/2.10 + 1/2.05 = 0.963995: 493.97 x 2.10 and 506.02 x 2.05 both pay 1037.33, for 999.99."""
    (bet,) = find(offers(("kto", "home", 2.10), ("kto", "away", 1.75), ("stake", "away", 2.05)), TWO, BANK)

    assert [(leg.offer.bookmaker, leg.stake) for leg in bet.legs] == [("kto", 49397), ("stake", 50602)]
    assert [leg.payout for leg in bet.legs] == [103733, 103734]
    assert (bet.total, bet.profit, bet.profit_percent) == (99_999, 3734, 3.73)
    assert bet.implied_sum == pytest.approx(0.9639953542)


def test_three_outcomes_by_hand() -> None:
    """1/3.2 + 1/3.4 + 1/2.9 = 0.951445: a profit of 5.10 %, which is 1/S - 1 and not 1 - S."""
    (bet,) = find(offers(("a", "home", 3.2), ("a", "draw", 3.4), ("b", "away", 2.9)), THREE, BANK)
    assert bet.profit_percent == 5.10
    assert min(leg.payout for leg in bet.legs) - bet.total == bet.profit == 5102


def test_commission_is_taken_from_the_winnings() -> None:
    """2.10 with 2.8 % is worth 2.0692, and with 1.94 that is no surebet; without the commission it would be one."""
    exchange = Offer("home", "h2h", "betbra", 2.10, commission=0.028)
    assert exchange.net == pytest.approx(2.0692)
    assert find([exchange, Offer("away", "h2h", "kto", 1.93)], TWO, BANK) == []
    assert find([exchange._replace(commission=0.0), Offer("away", "h2h", "kto", 1.93)], TWO, BANK)


def test_one_book_alone_is_no_surebet() -> None:
    assert find(offers(("a", "home", 3.0), ("a", "away", 3.0)), TWO, BANK) == []
    (bet,) = find(offers(("a", "home", 3.0), ("a", "away", 3.0), ("b", "away", 2.0), ("c", "home", 1.9)), TWO, BANK)
    assert {leg.offer.bookmaker for leg in bet.legs} == {"a", "b"}, "one leg must go to another book, the better one"


def test_a_missing_outcome_is_no_surebet() -> None:
    assert find(offers(("a", "home", 9.0), ("b", "away", 9.0)), THREE, BANK) == []


def test_early_payout_mixes_with_plain_and_wins_a_tie() -> None:
    early = Offer("home", "h2h_2up", "c", 3.2)
    (bet,) = find([*offers(("a", "home", 3.2), ("a", "draw", 3.4), ("b", "away", 2.9)), early], THREE, BANK)
    assert bet.early_payout
    assert bet.legs[0].offer is early


def test_the_draw_of_early_payout_is_a_plain_draw() -> None:
    board = offers(("a", "home", 3.2), ("a", "draw", 3.4), ("b", "away", 2.9))
    (bet,) = find([Offer("draw", "h2h_2up", "a", 3.4), *board], THREE, BANK)
    assert [leg.offer.market for leg in bet.legs] == ["h2h", "h2h", "h2h"]
    (better,) = find([Offer("draw", "h2h_2up", "a", 3.45), *board], THREE, BANK)
    assert [leg.offer.market for leg in better.legs] == ["h2h", "h2h_2up", "h2h"]
    assert not better.early_payout


def test_liquidity_limits_the_stake_but_does_not_hide_a_larger_bet() -> None:
    rows = [
        Offer("home", "h2h", "exchange", 2.20, liquidity=10.0),
        Offer("home", "h2h", "a", 2.10),
        Offer("away", "h2h", "b", 2.05),
    ]
    small, large = find(rows, TWO, BANK)
    assert small.legs[0].stake == 1000
    assert small.profit_percent > large.profit_percent
    assert large.profit > small.profit
    assert BANK - 2 <= large.total <= BANK
    assert warnings(small, {}, BANK) == ["limited_liquidity"]
    assert warnings(large, {}, BANK) == []


def test_more_than_ten_percent_is_marked_not_hidden() -> None:
    (bet,) = find(offers(("a", "home", 2.3), ("b", "away", 2.2)), TWO, BANK)
    assert warnings(bet, {}, BANK) == ["profit_too_high"]
    assert suspicious(["profit_too_high"])
    assert not suspicious(["limited_liquidity"])


def test_a_book_that_sees_another_match_is_marked() -> None:
    """Home and away swapped at b: its prices fit no other book's."""
    (bet,) = find(offers(("a", "home", 1.5), ("b", "away", 3.2)), TWO, BANK)
    right, swapped = {"home": 0.65, "away": 0.35}, {"home": 0.35, "away": 0.65}
    assert warnings(bet, {"a": right, "b": swapped, "c": right}, BANK) == ["prices_disagree"]
    assert warnings(bet, {"a": right, "b": {"home": 0.55, "away": 0.45}, "c": right}, BANK) == []


prices = st.integers(10100, 90000).map(lambda tenthousandths: tenthousandths / 10_000)
liquidities = st.none() | st.integers(0, 300_000).map(lambda cents: cents / 100)
commissions = st.sampled_from([0.0, 0.0, 0.0, 0.028, 0.05, 0.065])
books = st.sampled_from(["a", "b", "c", "d"])


def boards(outcomes: Sequence[str]) -> st.SearchStrategy[list[Offer]]:
    one = st.builds(
        Offer,
        outcome=st.sampled_from(outcomes),
        market=st.sampled_from(["h2h", "h2h_2up"]),
        bookmaker=books,
        price=prices,
        commission=commissions,
        liquidity=liquidities,
    )
    return st.lists(one, max_size=14)


def every_combination(board: Sequence[Offer], outcomes: Sequence[str], bank: int) -> list[Surebet]:
    by_outcome = [[offer for offer in board if offer.outcome == outcome] for outcome in outcomes]
    return [bet for combination in product(*by_outcome) if (bet := stake(combination, bank))]


@given(board=boards(THREE) | boards(TWO), bank=st.integers(1_000, 10_000_000))
@example(board=offers(("a", "home", 3.2), ("a", "draw", 3.4), ("b", "away", 2.9)), bank=1_000)
def test_what_is_found_pays_what_it_says(board: list[Offer], bank: int) -> None:
    outcomes = THREE if any(offer.outcome == "draw" for offer in board) else TWO
    for bet in find(board, outcomes, bank):
        assert sorted(leg.offer.outcome for leg in bet.legs) == sorted(outcomes)
        assert len({leg.offer.bookmaker for leg in bet.legs}) >= 2
        assert bet.total == sum(leg.stake for leg in bet.legs) <= bank
        assert bet.profit > 0
        for leg in bet.legs:
            assert leg.stake >= LEAST_STAKE
            if leg.offer.liquidity is not None:
                assert leg.stake <= Fraction(str(leg.offer.liquidity)) * 100
            # Whatever the outcome: what comes back is at least what was promised.
            won = exact_payout(leg.offer, leg.stake) - bet.total
            assert won >= bet.profit
            assert won * 100 / bet.total >= Fraction(str(bet.profit_percent))


@given(board=boards(THREE) | boards(TWO), bank=st.sampled_from([10_000, 100_000, 1_000_000]))
def test_none_is_missed(board: list[Offer], bank: int) -> None:
    """Whatever any combination promises, one that was found promises as much in share and in money, but for cents."""
    outcomes = THREE if any(offer.outcome == "draw" for offer in board) else TWO
    found = find(board, outcomes, bank)
    for other in every_combination(board, outcomes, bank):
        assert any(
            bet.profit >= other.profit - 3 * len(outcomes)
            and bet.profit * other.total >= (other.profit - 3 * len(outcomes)) * bet.total
            for bet in found
        ), other


@given(board=boards(THREE))
def test_what_is_found_is_not_beaten_by_another_that_is(board: list[Offer]) -> None:
    found = find(board, THREE, BANK)
    for better, worse in pairwise(found):
        assert better.profit / better.total >= worse.profit / worse.total
        assert better.profit < worse.profit


def test_prices_near_one_and_ten_thousand() -> None:
    assert find(offers(("a", "home", 1.0001), ("b", "away", 10_000.0)), TWO, 1_000) == []
    bets = find(offers(("a", "home", 1.01), ("b", "away", 10_000.0)), TWO, 10_000_000)
    assert bets
    assert all(bet.profit > 0 for bet in bets)
