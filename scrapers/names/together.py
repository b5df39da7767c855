"""All events of a book at once: it shows a match as one event, so what one event is, the others are not.

That is a witness which no single name is: a namesake of a match that the book shows elsewhere is another match, and
the rivals that kept a verdict from being sure are fewer.
"""

from collections.abc import Collection, Iterable

from msgspec import structs

from scrapers.names.index import Index
from scrapers.names.match import Seen, Verdict
from scrapers.names.rules import HELD, MARGIN


def place_all(index: Index, events: Iterable[Seen], taken: Collection[int] = ()) -> dict[str, Verdict]:
    """By event id. `taken`: matches of which this book shows an event already."""
    verdicts: dict[str, Verdict] = {}
    waiting = {event.external_id: event for event in events}
    taken = set(taken)
    while waiting:
        found = {key: index.place(event, taken) for key, event in waiting.items()}
        sure = _undisputed(found)
        verdicts |= {key: verdict if key in sure else _disputed(verdict) for key, verdict in found.items()}
        if not sure:
            break
        taken |= {match for verdict in sure.values() if (match := verdict.match_id) is not None}
        waiting = {key: event for key, event in waiting.items() if key not in sure}
    return verdicts


def _undisputed(found: dict[str, Verdict]) -> dict[str, Verdict]:
    """Of those taken for one match the one that fits clearly better; all that say it to the letter."""
    claims: dict[int, list[tuple[str, Verdict]]] = {}
    for key, verdict in found.items():
        if verdict.kind == "same" and verdict.match_id is not None:
            claims.setdefault(verdict.match_id, []).append((key, verdict))
    sure = {}
    for rivals in claims.values():
        rivals.sort(key=lambda rival: -rival[1].total)
        best, *others = rivals
        if not others or best[1].total >= others[0][1].total + MARGIN:
            sure[best[0]] = best[1]
        else:
            sure |= {key: verdict for key, verdict in rivals if verdict.score >= HELD}
    return sure


def _disputed(verdict: Verdict) -> Verdict:
    if verdict.kind != "same":
        return verdict
    return structs.replace(verdict, kind="unsure", reason="two events of this book resemble that match", learn=())
