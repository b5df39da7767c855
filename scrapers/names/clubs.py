"""Clubs known by heart: data/aliases.csv, read once when first asked for.

A spelling listed under several clubs is ambiguous. The league often tells: "Vitória" in a Brazilian league is not the
one from Guimarães.
"""

import csv
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

from scrapers import leagues
from scrapers.names.fold import fold
from scrapers.names.vetoes import read
from scrapers.names.words import AMBIGUOUS, word_set

_SOUTH_AMERICA = word_set("AR BO BR CL CO EC PE PY UY VE")


class Club(NamedTuple):
    sport: str
    country: str
    name: str
    aliases: tuple[str, ...]  # with the name itself, as written


class Clubs:
    def __init__(self, clubs: Iterable[Club] = ()) -> None:
        self.clubs = tuple(clubs)
        self._numbers: dict[tuple[str, str], tuple[int, ...]] = {}
        for number, club in enumerate(self.clubs):
            for alias in {fold(alias) for alias in club.aliases}:
                key = (club.sport, alias)
                self._numbers[key] = (*self._numbers.get(key, ()), number)

    def named(self, sport: str, folded: str, league: str | None = None) -> tuple[int, ...]:
        """Which clubs are called so, among those that can play in this league."""
        found = self._numbers.get((sport, folded), ())
        if not found or league is None:
            return found
        return tuple(number for number in found if may_play(self.clubs[number].country, league))

    def first_choice(self, numbers: tuple[int, ...], folded: str) -> int | None:
        """Of several clubs called so, the one whose full name it is."""
        proper = [number for number in numbers if fold(self.clubs[number].name) == folded]
        return proper[0] if len(proper) == 1 else None

    def one_name(self, sport: str, name: str, league: str) -> str:
        """The same for every spelling that surely is one club's; others as they are."""
        reading = read(name, sport)
        numbers = self.named(sport, reading.folded, league)
        if len(numbers) != 1 or reading.tag:
            return name
        club = self.clubs[numbers[0]]
        if reading.marks != read(club.name, sport).marks:
            return name
        if reading.folded in AMBIGUOUS:  # "Inter" may be another; "Gremio" is at least written "Grêmio"
            return club.name if fold(club.name) == reading.folded else name
        # "Botafogo" alone could be three: then the first that could not, "Botafogo RJ".
        return next((one for one in club.aliases if self.named(sport, fold(one), league) == numbers), name)

    def certain(self) -> Iterator[tuple[Club, tuple[str, ...]]]:
        """Every club with the spellings that are its own alone: what the database starts with."""
        for club in self.clubs:
            own = (alias for alias in club.aliases if len(self._numbers[club.sport, fold(alias)]) == 1)
            yield club, tuple(dict.fromkeys(fold(alias) for alias in own))


def may_play(country: str, league: str) -> bool:
    known = leagues.get(league)
    if known is None:
        return True
    if known.country != "INT":
        return country == known.country or (country == "MC" and known.country == "FR")
    if "conmebol" in league:
        return country in _SOUTH_AMERICA
    return country not in _SOUTH_AMERICA if "uefa" in league else True


@lru_cache(maxsize=1)
def known() -> Clubs:
    """Each line: sport, country, club, spelling. The club's own name needs no line beyond the first."""
    table: dict[tuple[str, str, str], list[str]] = {}
    with resources.files(__package__).joinpath("data/aliases.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            table.setdefault((row["sport"], row["country"], row["canonical"]), [row["canonical"]]).append(row["alias"])
    return Clubs(Club(*key, tuple(dict.fromkeys(aliases))) for key, aliases in table.items())
