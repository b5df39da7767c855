"""Fixtures as books show them, fixtures as we hold them, and the verdict on whether the two are one."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Literal

import msgspec

Kind = Literal["same", "new", "unsure"]


class Team(msgspec.Struct, frozen=True):
    id: int
    name: str
    aliases: tuple[str, ...] = ()  # folded


class Alias(msgspec.Struct, frozen=True):
    """A stored spelling; of one book, or of all when `book` is None."""

    sport: str
    folded: str
    team_id: int
    book: str | None = None


class Candidate(msgspec.Struct, frozen=True):
    """An open match of ours."""

    match_id: int
    sport: str
    league: str
    home: Team
    away: Team
    starts_at: datetime
    fair: Mapping[str, float] | None = None  # chances by outcome, without margin
    books: int = 1  # how many books show it already


class Seen(msgspec.Struct, frozen=True):
    """A match as one book shows it."""

    book: str
    external_id: str
    sport: str
    league: str
    home: str
    away: str
    starts_at: datetime
    prices: Mapping[str, float] | None = None  # decimal, by outcome


class Learned(msgspec.Struct, frozen=True):
    """A spelling worth keeping, now that its fixture is known."""

    alias: str
    folded: str
    team_id: int
    confidence: float


class Verdict(msgspec.Struct, frozen=True):
    kind: Kind
    reason: str
    match_id: int | None = None  # of the match, or of the near miss
    swapped: bool = False
    score: float = 0.0  # 0 to 100, of the weaker side
    total: float = 0.0  # 0 to 200, of both
    moved: bool = False  # the kick-off differs: the match moves
    learn: tuple[Learned, ...] = ()


class Side(msgspec.Struct, frozen=True):
    """One team of a fixture against one of ours."""

    score: float
    kind: str  # held, known, taken, veto, or a kind of alike.Likeness
    ours: str = ""  # the spelling of ours that came nearest
    veto: str | None = None


class Pairing(msgspec.Struct, frozen=True):
    """A fixture against a candidate, one way round."""

    candidate: Candidate
    swapped: bool
    home: Side  # the home side as the book names it
    away: Side
    apart: float | None  # between the chances, at the worst outcome

    @property
    def total(self) -> float:
        return self.home.score + self.away.score

    @property
    def weaker(self) -> Side:
        return min(self.home, self.away, key=lambda side: side.score)

    @property
    def stronger(self) -> Side:
        return self.away if self.weaker is self.home else self.home

    @property
    def vetoed(self) -> str | None:
        return self.home.veto or self.away.veto


def place(seen: Seen, candidates: Iterable[Candidate], aliases: Iterable[Alias] = ()) -> Verdict:
    """For one question; for many, build the index once and ask it."""
    from scrapers.names.index import Index

    return Index(candidates, aliases=aliases).place(seen)
