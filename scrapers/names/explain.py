"""Why two spellings are one team or not, and what a fixture was weighed against: for people."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from scrapers.names.alike import likeness
from scrapers.names.clubs import Clubs, known
from scrapers.names.index import Index
from scrapers.names.match import Alias, Candidate, Pairing, Seen, Verdict
from scrapers.names.vetoes import Reading, read, veto

if TYPE_CHECKING:
    from rich.table import Table


class Comparison(msgspec.Struct, frozen=True):
    """Two names, taken apart side by side."""

    rows: tuple[tuple[str, str, str], ...]  # what, of the one, of the other
    score: float
    kind: str
    veto: str | None


class Explanation(msgspec.Struct, frozen=True):
    seen: Seen
    verdict: Verdict
    pairings: tuple[Pairing, ...]  # best first


def compare(
    a: str, b: str, sport: str = "football", league: str | None = None, clubs: Clubs | None = None
) -> Comparison:
    by_heart = known() if clubs is None else clubs
    one, other = read(a, sport), read(b, sport)
    like = likeness(one, other)
    refused = veto(one, other)
    rows = [("name", a, b), ("folded", one.folded, other.folded), ("words", one.bare, other.bare)]
    for what in ("marks", "state", "country", "tag"):
        left, right = (_said(reading, what) for reading in (one, other))
        if left or right:
            rows.append((what, left or "none", right or "none"))
    called = [by_heart.named(sport, reading.folded, league) for reading in (one, other)]
    if any(called):
        left, right = (" or ".join(by_heart.clubs[number].name for number in numbers) for numbers in called)
        rows.append(("known as", left or "nobody", right or "nobody"))
    if all(called):
        if not set(called[0]) & set(called[1]):
            return Comparison(tuple(rows), 0.0, "veto", "known as another club")
        if called[0] == called[1] and len(called[0]) == 1:
            return Comparison(tuple(rows), 100.0, "known", None)
    return Comparison(tuple(rows), like.score, like.kind, refused if like.score < 100 else None)


def explain(
    seen: Seen, candidates: Iterable[Candidate], aliases: Iterable[Alias] = (), clubs: Clubs | None = None
) -> Explanation:
    index = Index(candidates, aliases=aliases, clubs=clubs)
    return Explanation(seen, index.place(seen), tuple(index.ranking(seen)))


def comparison_table(found: Comparison) -> "Table":
    from rich.table import Table

    table = Table("", "one", "other", title=f"{found.kind}, {found.score:.0f} of 100")
    for row in found.rows:
        table.add_row(*row)
    if found.veto:
        table.add_section()
        table.add_row("veto", found.veto, "")
    return table


def explanation_table(found: Explanation, limit: int = 10) -> "Table":
    """Each candidate in the order of the book's sides, with the score of both and how far the prices are apart."""
    from rich.table import Table

    verdict = found.verdict
    title = f"{found.seen.home} v {found.seen.away}: {verdict.kind} ({verdict.reason})"
    table = Table("match", "first side", "", "second side", "", "prices apart", "veto", title=title)
    for pairing in found.pairings[:limit]:
        match = pairing.candidate
        first, second = (match.away, match.home) if pairing.swapped else (match.home, match.away)
        table.add_row(
            f"{match.match_id}{' swapped' if pairing.swapped else ''}",
            first.name,
            f"{pairing.home.score:.0f} {pairing.home.kind}",
            second.name,
            f"{pairing.away.score:.0f} {pairing.away.kind}",
            "unknown" if pairing.apart is None else f"{pairing.apart:.1%}",
            pairing.vetoed or "",
            style="bold" if match.match_id == verdict.match_id and pairing.swapped == verdict.swapped else None,
        )
    return table


def _said(reading: Reading, what: str) -> str:
    value = getattr(reading, what)
    return value if isinstance(value, str) else ", ".join(sorted(value))
