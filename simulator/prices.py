"""What a match is worth and what each bookmaker asks for it: functions of the seed, the match and the time alone.

The truth is a difference in strength (log-odds) that drifts as a sum of slow waves. A book sees it late and in steps,
with an opinion of its own, adds its margin and rounds to its ticks. Books therefore disagree, and now and then enough
for a surebet.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from scrapers.catalog import Bookmaker
from scrapers.odds import Outcome, Sport
from simulator.chance import between, chance, spread
from simulator.schedule import Fixture
from simulator.teams import LEAGUE_TEAMS

MARGIN = (0.03, 0.09)
EXCHANGE_MARGIN = (0.004, 0.012)
ROUNDING = 0.015  # how far the ticks can take a book's margin from what it aims at
EARLY_PAYOUT_COST = 0.04  # paying out at two goals ahead makes either side this much more likely to be paid

STRONGEST = 2.4  # beyond this a favourite's price would reach 1.00 with the margin on it
HOME_ADVANTAGE = 0.3
DRAW_WIDTH = 0.6
WAVES = ((60.0, 0.015), (420.0, 0.04), (6000.0, 0.12))  # period in seconds, height in log-odds
OPINION = 0.025  # typical disagreement of a book, in log-odds
OPINION_LASTS = 600.0
MISTAKES, MISTAKE = 0.008, 4.0  # how often a book errs, and how much worse than it usually disagrees

LADDER = ((2.0, 0.01), (3.0, 0.02), (5.0, 0.05), (10.0, 0.1), (math.inf, 0.5))
CENTS = ((math.inf, 0.01),)

Probabilities = Mapping[Outcome, float]


@dataclass(frozen=True, slots=True)
class Style:
    """How one book makes its prices."""

    margin: float
    ticks: tuple[tuple[float, float], ...]
    step: float  # seconds between two looks at a match
    lag: float  # seconds that it is behind


@lru_cache(maxsize=256)
def style(seed: int, book_key: str, kind: str) -> Style:
    return Style(
        margin=between(*(EXCHANGE_MARGIN if kind == "exchange" else MARGIN), seed, "margin", book_key),
        ticks=CENTS if chance(seed, "ticks", book_key) < 0.6 else LADDER,
        step=between(20, 120, seed, "step", book_key),
        lag=between(0, 30, seed, "lag", book_key),
    )


def truth(seed: int, fixture: Fixture, time: float, shift: float = 0.0) -> Probabilities:
    return probabilities(fixture.sport, bounded(_strength(seed, fixture, time) + shift), DRAW_WIDTH)


def probabilities(sport: Sport, strength: float, width: float) -> Probabilities:
    if sport is Sport.BASKETBALL:
        home = _sigmoid(strength)
        return {"home": home, "away": 1.0 - home}
    home, away = _sigmoid(strength - width), _sigmoid(-strength - width)
    return {"home": home, "draw": 1.0 - home - away, "away": away}


def quote(seed: int, book: Bookmaker, fixture: Fixture, time: float, shift: float = 0.0) -> dict[Outcome, float]:
    """The book's prices. A shift shows at once everywhere, so that freshness can be measured from its moment."""
    ways = style(seed, book.book_key, book.kind)
    seen = looked_at(seed, book.book_key, fixture.number, time, ways.step)
    strength = _strength(seed, fixture, seen - ways.lag) + _opinion(seed, book.book_key, fixture.number, seen) + shift
    width = DRAW_WIDTH + 0.4 * _opinion(seed, (book.book_key, "draw"), fixture.number, seen)
    believed = probabilities(fixture.sport, bounded(strength), width)
    return {outcome: to_tick(1.0 / (p * (1.0 + ways.margin)), ways.ticks) for outcome, p in believed.items()}


def early_payout(prices: Mapping[Outcome, float]) -> dict[Outcome, float]:
    """The same market with early payout: a bit less for either side, the draw as it was."""
    return {
        outcome: price if outcome == "draw" else to_tick(price / (1.0 + EARLY_PAYOUT_COST), CENTS)
        for outcome, price in prices.items()
    }


def looked_at(seed: int, book_key: str, fixture: int, time: float, step: float) -> float:
    """When this book last looked at this match: its matches take turns, so not all prices move together."""
    turn = step * chance(seed, "turn", book_key, fixture)
    return math.floor((time - turn) / step) * step + turn


def to_tick(price: float, ticks: tuple[tuple[float, float], ...]) -> float:
    tick = next(tick for below, tick in ticks if price < below)
    return max(1.01, round(round(price / tick) * tick, 2))


def bounded(strength: float) -> float:
    return max(-STRONGEST, min(STRONGEST, strength))


def _strength(seed: int, fixture: Fixture, time: float) -> float:
    drift = sum(
        height * math.sin(2 * math.pi * (time / (period * stretch) + start))
        for period, height, stretch, start in _waves(seed, fixture.number)
    )
    return _rating(fixture.league, fixture.home) - _rating(fixture.league, fixture.away) + HOME_ADVANTAGE + drift


@lru_cache(maxsize=1024)
def _waves(seed: int, fixture: int) -> tuple[tuple[float, float, float, float], ...]:
    return tuple(
        (period, height, between(0.7, 1.4, seed, "period", fixture, period), chance(seed, "start", fixture, period))
        for period, height in WAVES
    )


def _rating(league: str, team: str) -> float:
    teams = LEAGUE_TEAMS[league]
    return 0.8 - 1.6 * teams.index(team) / (len(teams) - 1)


def _opinion(seed: int, who: object, fixture: int, time: float) -> float:
    """Slides from one opinion to the next, so that a disagreement comes and goes over minutes."""
    period, part = divmod(time / OPINION_LASTS + chance(seed, "opinion starts", who, fixture), 1.0)
    now, then = (_view(seed, who, fixture, int(period) + ahead) for ahead in (0, 1))
    return OPINION * (now * (1.0 - part) + then * part)


def _view(seed: int, who: object, fixture: int, period: int) -> float:
    mistaken = chance(seed, "mistake", who, fixture, period) < MISTAKES
    return spread(seed, "opinion", who, fixture, period) * (MISTAKE if mistaken else 1.0)


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value))
