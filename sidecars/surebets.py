"""Surebets: prices of several books on one match that pay more than they cost, whatever the outcome. Pure.

Money is counted in whole cents and prices in ten-thousandths, so that what is promised is exactly what is paid: every
payout is rounded down, and the profit is computed again from the rounded stakes.

A leg with early payout (`h2h_2up`, home or away) pays in every case in which the plain one pays, and in some more: the
two may be mixed, and such a surebet can even pay twice. The draw of that market is a plain draw.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from statistics import median
from typing import NamedTuple

from common.markets import pays_early
from scrapers.names.prices import VETO, apart

UNIT = 10_000
SUSPICIOUS_PERCENT = 10.0
LEAST_STAKE = 100  # cents; no book takes less
ENOUGH_BOOKS = 2


class Offer(NamedTuple):
    """One price that can be bet on. Only fresh ones may be handed in."""

    outcome: str
    market: str
    bookmaker: str
    price: float
    commission: float = 0.0  # share of the winnings that an exchange keeps
    liquidity: float | None = None  # the most that is taken at this price; None: no known limit
    fetched_at: int = 0
    link: str | None = None

    def payout(self, stake: int) -> int:
        """Cents that come back for a winning stake in cents, net of commission, rounded down."""
        return stake * self.scaled_net // (UNIT * UNIT)

    @property
    def scaled_net(self) -> int:
        price, kept = round(self.price * UNIT), UNIT - round(self.commission * UNIT)
        return UNIT * UNIT + (price - UNIT) * kept

    @property
    def net(self) -> float:
        return self.scaled_net / (UNIT * UNIT)

    @property
    def pays_early(self) -> bool:
        return pays_early(self.market, self.outcome)

    @property
    def most(self) -> float:
        """Cents."""
        return float("inf") if self.liquidity is None else cents(self.liquidity)


class Leg(NamedTuple):
    offer: Offer
    stake: int  # cents
    payout: int


class Surebet(NamedTuple):
    legs: tuple[Leg, ...]
    implied_sum: float

    @property
    def total(self) -> int:
        return sum(leg.stake for leg in self.legs)

    @property
    def profit(self) -> int:
        """Cents, in the worst case."""
        return min(leg.payout for leg in self.legs) - self.total

    @property
    def profit_percent(self) -> float:
        """Of what is staked, rounded down to hundredths."""
        return self.profit * 10_000 // self.total / 100

    @property
    def shown_sum(self) -> float:
        """In millionths and rounded down: what is just below 1 must not become 1, which is no surebet."""
        return int(self.implied_sum * 1_000_000) / 1_000_000

    @property
    def key(self) -> str:
        return " ".join(f"{leg.offer.outcome}:{leg.offer.bookmaker}:{leg.offer.market}" for leg in self.legs)

    @property
    def early_payout(self) -> bool:
        return any(leg.offer.pays_early for leg in self.legs)


def cents(money: float) -> int:
    """Rounded down, but for the error of a binary fraction."""
    return int(money * 100 + 1e-6)


def find(offers: Iterable[Offer], outcomes: Sequence[str], bank: int) -> list[Surebet]:
    """The surebets of one match for a bank in cents, the best share first: all that no other beats in both the share
    and the amount of profit. A high price with little money behind it does not hide a lower one that takes it all.
    """
    by_outcome: dict[str, list[Offer]] = {outcome: [] for outcome in outcomes}
    for offer in offers:
        by_outcome[offer.outcome].append(offer)
    if not all(by_outcome.values()):
        return []
    if sum(1 / max(offer.net for offer in offered) for offered in by_outcome.values()) >= 1:
        return []
    found = [
        bet
        for combination in product(*(worth_trying(offered) for offered in by_outcome.values()))
        if (bet := stake(combination, bank))
    ]
    found.sort(key=lambda bet: (-bet.profit / bet.total, -bet.profit))
    kept: list[Surebet] = []
    for bet in found:
        if not kept or bet.profit > kept[-1].profit:
            kept.append(bet)
    return kept


def worth_trying(offered: Sequence[Offer]) -> list[Offer]:
    """Without the offers that two other books beat in price and in liquidity: one of the two can always replace them,
    whatever books the other legs need. Of equal ones, what pays early comes first, and else the plain market.
    """
    kept: list[Offer] = []
    best_first = sorted(offered, key=lambda o: (-o.net, -o.most, not o.pays_early, o.market, o.bookmaker))
    for offer in best_first:
        if len({better.bookmaker for better in kept if better.most >= offer.most}) < ENOUGH_BOOKS:
            kept.append(offer)
    return kept


def stake(offers: Sequence[Offer], bank: int) -> Surebet | None:
    """Stakes in whole cents, within the bank and every liquidity; None when that leaves no profit."""
    if len({offer.bookmaker for offer in offers}) < ENOUGH_BOOKS:
        return None
    implied_sum = sum(1 / offer.net for offer in offers)
    if implied_sum >= 1:
        return None
    total = min(float(bank), *(offer.most * offer.net * implied_sum for offer in offers))
    stakes = [min(int(total / implied_sum / offer.net), int(min(offer.most, bank))) for offer in offers]
    best = staked(offers, stakes, implied_sum)
    # Cents lost by rounding go to the leg that pays least, as long as that raises the worst case.
    for _ in range(2 * len(offers)):
        worst = min(range(len(offers)), key=lambda at: offers[at].payout(stakes[at]))
        if stakes[worst] + 1 > offers[worst].most or sum(stakes) + 1 > bank:
            break
        stakes[worst] += 1
        best = max(best, staked(offers, stakes, implied_sum), key=lambda bet: bet.profit)
    return best if min(leg.stake for leg in best.legs) >= LEAST_STAKE and best.profit > 0 else None


def staked(offers: Sequence[Offer], stakes: Sequence[int], implied_sum: float) -> Surebet:
    legs = (Leg(offer, cents, offer.payout(cents)) for offer, cents in zip(offers, stakes, strict=True))
    return Surebet(tuple(legs), implied_sum)


def warnings(bet: Surebet, chances: Mapping[str, Mapping[str, float]], bank: int) -> list[str]:
    """What speaks against it. `chances` are those of each book on this match, without its margin."""
    found = []
    if bet.profit_percent > SUSPICIOUS_PERCENT:
        found.append("profit_too_high")
    if any(stands_apart(leg.offer.bookmaker, chances) for leg in bet.legs):
        found.append("prices_disagree")
    if any(leg.offer.liquidity is not None for leg in bet.legs) and bet.total < bank * 0.99:
        found.append("limited_liquidity")
    return found


def suspicious(found: Iterable[str]) -> bool:
    return not {"profit_too_high", "prices_disagree"}.isdisjoint(found)


def stands_apart(bookmaker: str, chances: Mapping[str, Mapping[str, float]]) -> bool:
    """Whether this book sees the match so differently from the others that it is likely another match, or swapped."""
    own = chances.get(bookmaker)
    others = [seen for book, seen in chances.items() if book != bookmaker and own and seen.keys() == own.keys()]
    if not own or not others:
        return False
    distance = apart(own, {outcome: median(seen[outcome] for seen in others) for outcome in own})
    return distance is not None and distance > VETO
