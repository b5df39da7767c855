"""One spelling for many: the key under which a name is stored and looked up. Used on write and on read alike."""

import re
import unicodedata

_NOT_WORD = re.compile(r"[\W_]+")
# Letters that Unicode does not take apart into a letter and an accent.
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})


def fold(name: str) -> str:
    """Without accents, case and punctuation; a name made only of those keeps its letters as they are."""
    bare = name.casefold() if name.isascii() else _plain(_repaired(name))
    return _NOT_WORD.sub(" ", bare).strip()[:80].rstrip() or name.casefold()[:80]


def _plain(name: str) -> str:
    whole = unicodedata.normalize("NFKD", name.casefold().translate(_LETTERS))
    return "".join(char for char in whole if not unicodedata.combining(char)).casefold()


def _repaired(name: str) -> str:
    """UTF-8 that a book read as Latin ("PÃ©tange") turned back; "SÃO PAULO" is no such thing and stays."""
    if "Ã" not in name and "Å" not in name:
        return name
    for misread_as in ("cp1252", "latin-1"):  # they differ in letters that cp1252 does not have: "Saint-Ã\x89tienne"
        try:
            return name.encode(misread_as).decode()
        except UnicodeError:
            continue
    return name
