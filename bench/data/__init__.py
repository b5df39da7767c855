"""Spellings to measure on, and how they are split. README.md says what the files are."""

import csv
import hashlib
import re
from functools import cache
from pathlib import Path

from scrapers.names.fold import fold

DATA = Path(__file__).parent
NOT_SENIOR = re.compile(r"\((F|f|W|U\d\d|B)\)|\b[FB]\.?$|\bU-?\d\d\b|\bII$")

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


def blind_teams(sport: str) -> Spellings:
    """Clubs of one country, or of one source, do not stand under another's name: the group is part of the team."""
    found: dict[str, dict[str, str]] = {}
    for row in rows(f"blind_{sport}.csv"):
        found.setdefault(f"{row['group']} {row['team']}", {}).setdefault(fold(row["spelling"]), row["spelling"])
    return only_own(found)


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
