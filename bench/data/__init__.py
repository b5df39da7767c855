"""Spellings to measure on, and how they are split. README.md says what the files are."""

import csv
import hashlib
import re
from functools import cache
from pathlib import Path

from scrapers.names.fold import fold

DATA = Path(__file__).parent
NOT_SENIOR = re.compile(r"\((F|f|W|U\d\d|B)\)|\b[FB]\.?$|\bU-?\d\d\b|\bII$")

COUNTRIES = ("br", "eng", "es", "it", "de", "fr", "pt")  # of openfootball_aliases.csv

Spellings = dict[str, list[str]]


@cache
def rows(file: str) -> tuple[dict[str, str], ...]:
    with (DATA / file).open(encoding="utf-8", newline="") as lines:
        return tuple(csv.DictReader(lines))


def bookmaker_teams(sport: str) -> Spellings:
    """Senior clubs; a string that names two clubs is nobody's."""
    nations = {fold(line) for line in (DATA / "nations.txt").read_text(encoding="utf-8").splitlines()}
    mistaken = {(row["team"], fold(row["spelling"])) for row in rows("corrections.csv") if row["sport"] == sport}
    found: dict[str, dict[str, str]] = {}
    for row in rows(f"bookmaker_names_{sport}.csv"):
        name = row["name"]
        if row["category"] or fold(name) in nations:
            continue
        for column, text in row.items():
            if column in {"id", "name", "category"} or not text or NOT_SENIOR.search(text):
                continue
            if (name, fold(text)) not in mistaken:
                found.setdefault(name, {}).setdefault(fold(text), text)
    return only_own(found)


def gathered_teams(which: str, sport: str) -> Spellings:
    """The second or the third set. The group is part of the team: two of one name in two groups are two."""
    found: dict[str, dict[str, str]] = {}
    for row in rows(f"{which}_{sport}.csv"):
        found.setdefault(f"{row['group']} {row['team']}", {}).setdefault(fold(row["spelling"]), row["spelling"])
    return only_own(found)


def new_in_third(sport: str) -> frozenset[str]:
    """Teams of the third set of which no other set has two spellings together."""
    earlier: dict[str, set[tuple[int, str]]] = {}
    sets = [bookmaker_teams(sport), gathered_teams("second", sport)]
    if sport == "football":
        sets += [country_teams(country) for country in COUNTRIES]
    for number, teams in enumerate(sets):
        for team, texts in teams.items():
            for text in texts:
                earlier.setdefault(fold(text), set()).add((number, team))
    new = set()
    for team, texts in gathered_teams("third", sport).items():
        met = [place for text in texts for place in earlier.get(fold(text), ())]
        if len(met) == len(set(met)):
            new.add(team)
    return frozenset(new)


def country_teams(country: str) -> Spellings:
    found: dict[str, dict[str, str]] = {}
    for row in rows("openfootball_aliases.csv"):
        if row["country"] == country and not re.search(r"\(\d{4}", row["club"] + row["alias"]):
            found.setdefault(row["club"], {}).setdefault(fold(row["alias"]), row["alias"])
    return only_own(found)


def only_own(found: dict[str, dict[str, str]]) -> Spellings:
    owners: dict[str, int] = {}
    for spellings in found.values():
        for key in spellings:
            owners[key] = owners.get(key, 0) + 1
    own = {team: [text for key, text in texts.items() if owners[key] == 1] for team, texts in found.items()}
    return {team: texts for team, texts in sorted(own.items()) if texts}


def half(teams: Spellings, split: str) -> Spellings:
    wanted = int(split == "judge")
    return {team: texts for team, texts in teams.items() if hashlib.sha256(team.encode()).digest()[0] % 2 == wanted}
