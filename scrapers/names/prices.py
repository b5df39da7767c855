"""Prices as a witness: what they say about the chances, without the bookmaker's margin."""

from collections.abc import Mapping

AGREE = 0.05
VETO = 0.15

_SWAPPED = {"home": "away", "away": "home"}


def fair(prices: Mapping[str, float]) -> dict[str, float] | None:
    """Chances by outcome, adding up to 1; None if a price is missing its sense."""
    if len(prices) < 2 or any(not price > 1.0 for price in prices.values()):
        return None
    total = sum(1 / price for price in prices.values())
    return {outcome: 1 / price / total for outcome, price in prices.items()}


def swapped(chances: Mapping[str, float]) -> dict[str, float]:
    return {_SWAPPED.get(outcome, outcome): chance for outcome, chance in chances.items()}


def apart(a: Mapping[str, float] | None, b: Mapping[str, float] | None) -> float | None:
    """The largest difference of any outcome's chance; None if the two cannot be compared."""
    if not a or not b or a.keys() != b.keys():
        return None
    return max(abs(chance - b[outcome]) for outcome, chance in a.items())
