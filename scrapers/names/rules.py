"""When two fixtures are one. Precision first: a wrong pair fakes a surebet, an unmatched name waits for a person."""

from collections.abc import Sequence

from scrapers.names import prices
from scrapers.names.match import Pairing, Verdict

EXACT = 95.0  # the words of a spelling that we hold
HELD = 100.0  # letter by letter, or an alias
NEARLY = 90.0  # a letter or two apart
PART = 80.0  # a name without its town or nickname
STRONG = 70.0  # a part of a name
FAINT = 24.0  # a word in common
MARGIN = 15.0  # of the sum of both sides, to the next fixture or the other way round
WIDE_MARGIN = 60.0
RATHER_CLOSE = 0.035  # prices that agree better than `prices.AGREE` weigh more
CLOSE = 0.03
CLOSE_OF_TWO = 0.025  # without a draw only one number agrees


def judge(pairings: Sequence[Pairing]) -> Verdict:
    """`pairings`: every candidate that kicks off at that time and resembles, both ways round."""
    ranked = ranking(pairings)
    allowed = [pairing for pairing in ranked if not pairing.vetoed]
    if not allowed:
        return _nothing(ranked)
    best = allowed[0]
    if best.apart is not None and best.apart > prices.VETO:
        if best.weaker.score >= STRONG:
            return _verdict("unsure", f"prices are {best.apart:.0%} apart", best)
        return _rest(best, ranked)
    rule = strict(best, _margin(best, allowed[1:]))
    if rule is None and best.apart is not None and best.apart <= prices.AGREE:
        # What prices rule out is no rival: here they are the witness.
        rule = witnessed(best, _margin(best, [p for p in allowed[1:] if p.apart is None or p.apart <= prices.VETO]))
    return _verdict("same", rule, best) if rule else _rest(best, ranked)


def ranking(pairings: Sequence[Pairing]) -> list[Pairing]:
    return sorted(pairings, key=lambda pairing: (-pairing.total, pairing.candidate.match_id, pairing.swapped))


def strict(best: Pairing, margin: float) -> str | None:
    """Names alone; half a name, only as long as no price speaks against it."""
    weak, strong = best.weaker, best.stronger
    if margin < MARGIN or weak.kind == "ambiguous" or strong.kind == "ambiguous":
        return None
    if weak.score >= NEARLY:
        return "both names" if weak.score >= EXACT else "both names, a letter or two apart"
    if strong.score < EXACT or (best.apart is not None and best.apart > prices.AGREE):
        return None
    if weak.score >= STRONG:
        return "one name, and part of the other"
    if weak.score >= FAINT and weak.kind != "letters" and margin >= WIDE_MARGIN:
        return "one name, the other resembles, and no other fixture is near"
    return None


def witnessed(best: Pairing, margin: float) -> str | None:
    """The looser rule, for a pairing whose prices agree: another book shows the same chances at the same minute."""
    weak, strong = best.weaker, best.stronger
    if margin < MARGIN:
        return None
    apart = 1.0 if best.apart is None else best.apart
    close = apart <= (CLOSE_OF_TWO if len(best.candidate.fair or ()) == 2 else CLOSE)
    if strong.score >= EXACT and (weak.score >= FAINT or (strong.score >= HELD and weak.kind == "none")):
        return "one name, and prices agree"  # who is known plays once at a time
    # Nothing from here on is a whole name, and prices agree by chance once in a while.
    good = weak.score >= PART or strong.score >= NEARLY  # two towns in common are not yet two clubs
    if weak.score >= STRONG and (good or close or (strong.score >= PART and apart <= RATHER_CLOSE)):
        return "parts of both names, and prices agree"
    enough = STRONG if weak.kind == "ambiguous" else PART
    if close and strong.score >= enough and weak.score >= FAINT and weak.kind != "letters" and margin >= WIDE_MARGIN:
        return "part of one name, the other resembles, and prices agree"
    return None


def _margin(best: Pairing, others: Sequence[Pairing]) -> float:
    return best.total - (others[0].total if others else 0.0)


def _rest(best: Pairing, ranked: Sequence[Pairing]) -> Verdict:
    """Not the same by any rule: too near to be created unseen, or a fixture of its own."""
    if best.stronger.score >= EXACT or (best.stronger.score >= STRONG and best.weaker.score >= FAINT):
        return _verdict("unsure", "resembles, but not enough", best)
    return _nothing([pairing for pairing in ranked if pairing.vetoed])


def _nothing(vetoed: Sequence[Pairing]) -> Verdict:
    return Verdict("new", "nothing resembles it" if not vetoed else f"nothing fits; the nearest: {vetoed[0].vetoed}")


def _verdict(kind: str, reason: str, pairing: Pairing) -> Verdict:
    return Verdict(
        "same" if kind == "same" else "unsure",
        reason,
        match_id=pairing.candidate.match_id,
        swapped=pairing.swapped,
        score=round(pairing.weaker.score, 1),
        total=round(pairing.total, 1),
    )
