"""How alike two names are, word by word: 0 to 100, and in what way.

A plain ratio gives "Botafogo" and "Botafogo SP" 100, "Manchester City" and "Manchester United" 80. Here words are
paired first: words left over on one side make one name a part of the other, words left over on both make two names.
"""

from typing import NamedTuple

from rapidfuzz import fuzz

from scrapers.names.vetoes import Reading
from scrapers.names.words import AMBIGUOUS, CUT_WORDS, FORMS, SHARED_WORDS, TELLING_WORDS, WIDE_WORDS

# Scores as the rules read them; what a part or a slip of the pen is worth was measured (bench/names.py).
SAME = 100.0
SAME_CORE = 97.0  # without the club's form: "EC Bahia", "Bahia"
SAME_WORDS = 95.0  # in another order, or written together
ONE_SAYS_WHERE = 92.0  # "Aurora (GUA)", "Aurora": who names the country knows of another Aurora
OTHER_FORM = 92.0  # "VfL Oldenburg" and "VfB Oldenburg" are two clubs, "FK Renova" and "KF Renova" one
LEADING_PART = 88.0  # "Libertad" of "Libertad Asunción"
ABBREVIATED = 85.0  # "MC Alger" for "Mouloudia Club d'Alger"
TRAILING_PART = 72.0  # "Lviv" of "Karpaty Lviv": the town may have two clubs
DOUBTFUL = 50.0
FEW_LETTERS = 30.0  # no word in common, but letters: "Nuremberg", "Nürnberg"
TOLD_APART = 15.0

SHARED_WEIGHT = 0.4
NUMBER_WEIGHT = 0.15
PREFIX = 0.8
INITIAL = 0.6


class Likeness(NamedTuple):
    score: float
    kind: str  # equal, spelling, part, initials, letters, ambiguous, differs, none


NOTHING = Likeness(0.0, "none")


class _Pairs(NamedTuple):
    shared: float  # weight of the words in common
    left_a: list[str]
    left_b: list[str]
    certain: float  # how sure the pairs are; 1 is letter by letter
    whole: int  # how many are
    own: bool  # one of them is a word that few clubs bear


def likeness(a: Reading, b: Reading) -> Likeness:
    if a.folded == b.folded:
        return Likeness(SAME, "equal")
    if a.core == b.core:
        if _ambiguous(a, b):
            return Likeness(DOUBTFUL, "ambiguous")
        return Likeness(SAME_CORE if a.country == b.country else ONE_SAYS_WHERE, "equal")
    if "".join(a.core) == "".join(b.core):
        return Likeness(SAME_WORDS, "equal")
    if sorted(a.core) == sorted(b.core):
        return Likeness(SAME_WORDS, "equal") if _has_a_word_of_its_own(a) else Likeness(TOLD_APART, "differs")
    pairs = _pair(list(a.core), list(b.core))
    return _uneven(a, b, pairs) if pairs.shared else _no_word_in_common(a, b)


def _has_a_word_of_its_own(reading: Reading) -> bool:
    """ "FC United of Manchester" is not "Manchester United"."""
    return any(word not in SHARED_WORDS and word not in AMBIGUOUS for word in reading.core)


def _no_word_in_common(a: Reading, b: Reading) -> Likeness:
    if _initials(a, b) or _initials(b, a):
        return Likeness(DOUBTFUL, "initials")
    if all(any(word in SHARED_WORDS or word in WIDE_WORDS for word in one.core) for one in (a, b)):
        return Likeness(TOLD_APART, "differs")  # "Sport", "Sporting": like in letters, and two words that we know
    return Likeness(FEW_LETTERS, "letters") if fuzz.ratio("".join(a.core), "".join(b.core)) >= 75 else NOTHING


def _uneven(a: Reading, b: Reading, pairs: _Pairs) -> Likeness:
    left_a, left_b = (_without_numbers(left) for left in (pairs.left_a, pairs.left_b))
    if not left_a and not left_b:
        years = [any(_is_year(word) for word in left) for left in (pairs.left_a, pairs.left_b)]
        if any(years):  # "CSKA Sofia" and "CSKA 1948 Sofia" are two clubs, "Schalke" and "Schalke 04" are one
            return Likeness(TOLD_APART, "differs") if all(years) else Likeness(TRAILING_PART * pairs.certain, "part")
        slip = 60.0 if not pairs.whole and pairs.certain < 0.9 else 50 + 44 * pairs.certain
        return Likeness(slip, "spelling")
    if _abbreviated(left_a, left_b, b) or _abbreviated(left_b, left_a, a):
        return Likeness(ABBREVIATED * pairs.certain, "initials")
    if _told_apart(left_a, left_b, pairs):
        return Likeness(TOLD_APART, "differs")
    if left_a and left_b:
        rest = sum(map(_weight, left_a)) + sum(map(_weight, left_b))
        return Likeness(70 * pairs.certain * 2 * pairs.shared / (2 * pairs.shared + rest), "differs")
    return _part(*((b, a, left_a) if left_a else (a, b, left_b)), pairs)


def _told_apart(left_a: list[str], left_b: list[str], pairs: _Pairs) -> bool:
    if any(word in TELLING_WORDS for word in (*left_a, *left_b)):
        return True
    if not left_a or not left_b:
        return False
    if not pairs.own or (not pairs.whole and pairs.certain < 0.9):
        return True  # nothing of their own in common: "Southend United", "D.C. United"; "Duke", "Duquesne Dukes"
    return all(any(word in SHARED_WORDS for word in left) for left in (left_a, left_b))  # "City", "United"


def _part(short: Reading, long: Reading, left: list[str], pairs: _Pairs) -> Likeness:
    if _ambiguous(short, long) and (short.state or short.country) and not (long.state or long.country):
        return Likeness(TOLD_APART, "differs")  # "Vitória-BA", "Vitória de Guimarães": each says which it is
    if _ambiguous(short, long) or _says_little(short, long, left):
        return Likeness(DOUBTFUL * pairs.certain, "ambiguous")
    if not pairs.whole or pairs.shared < sum(map(_weight, left)) / 3:
        return Likeness(DOUBTFUL * pairs.certain, "part")  # one word of five is not the name
    return Likeness((TRAILING_PART if long.core[0] in left else LEADING_PART) * pairs.certain, "part")


def _ambiguous(a: Reading, b: Reading) -> bool:
    """Several clubs bear this name, and neither a state nor a country tells which."""
    placed = (a.state and a.state == b.state) or (a.country and a.country == b.country)
    return (a.ambiguous or b.ambiguous) and not placed


def _says_little(short: Reading, long: Reading, left: list[str]) -> bool:
    """ "Arkansas" of "Arkansas Razorbacks" or of "Arkansas Pine Bluff": no word in common is a club's own."""
    common = [word for word in long.core if word not in left] or short.core  # the shorter may be cut off
    if any(word not in SHARED_WORDS and word not in WIDE_WORDS for word in common):
        return False
    return (len(short.core) == 1 and common[0] in SHARED_WORDS) or any(word not in SHARED_WORDS for word in left)


def _pair(a: list[str], b: list[str]) -> _Pairs:
    shared = 0.0
    whole = 0
    own = False
    for word in list(a):
        if word in b:
            a.remove(word)
            b.remove(word)
            shared += _weight(word)
            whole += not word.isdigit()
            own |= _weight(word) == 1.0
    sure = shared
    if a and b:
        near = [(same, one, other) for one in a for other in b if (same := _same_word(one, other))]
        for same, one, other in sorted(near, reverse=True):
            if one in a and other in b and (same > INITIAL or shared):
                a.remove(one)
                b.remove(other)
                weight = (_weight(one) + _weight(other)) / 2
                shared += weight
                sure += weight * same
                own |= weight == 1.0
    return _Pairs(shared, a, b, sure / shared if shared else 0.0, whole, own)


def _weight(word: str) -> float:
    if word.isdigit():
        return NUMBER_WEIGHT
    return SHARED_WEIGHT if word in SHARED_WORDS or word in CUT_WORDS or len(word) < 3 else 1.0


def _same_word(a: str, b: str) -> float:
    if a in SHARED_WORDS and b in SHARED_WORDS:
        return 0.0
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if len(short) >= 4 and short.isalpha():
        ratio = fuzz.ratio(a, b)
        needed = 88 if len(short) < 6 else 83 if len(short) < 9 else 80  # one letter of six, two of ten
        if ratio >= needed and (a[0] == b[0] or (ratio >= 92 and len(short) >= 9)):  # Angers is not Rangers
            return ratio / 100
    if short.isdigit() or short in SHARED_WORDS or not long.startswith(short):
        return 0.0
    return PREFIX if len(short) > 2 else INITIAL


def _without_numbers(words: list[str]) -> list[str]:
    return [word for word in words if not word.isdigit()]


def _is_year(word: str) -> bool:
    return len(word) == 4 and word.isdigit() and word[:2] in ("18", "19", "20")


def _abbreviated(left: list[str], rest: list[str], of: Reading) -> bool:
    """The one word left over on one side are the first letters of what is left on the other, with words beside it."""
    rest = [word for word in rest if len(word) > 1]  # not the article of "Mouloudia Club d'Alger"
    if len(left) != 1 or not rest or not 2 <= len(left[0]) <= 4:
        return False
    places = range(len(of.words) + 1)
    runs = (of.words[start:end] for start in places for end in places[start + 2 :])
    return any(set(rest).issubset(run) and left[0] == "".join(map(_letters, run)) for run in runs)


def _letters(word: str) -> str:
    return word if word in FORMS else word[0]


def _initials(a: Reading, b: Reading) -> bool:
    """PSG for Paris Saint-Germain."""
    if len(a.core) != 1 or not 3 <= len(a.core[0]) <= 5:
        return False
    return a.core[0] in ("".join(word[0] for word in b.words), "".join(word[0] for word in b.core))
