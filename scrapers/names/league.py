"""One league of a snapshot: its open matches by kick-off, and its teams with everything prepared once."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta

from rapidfuzz import fuzz, process

from scrapers.names.alike import DOUBTFUL, OTHER_FORM, SAME, likeness
from scrapers.names.clubs import Clubs
from scrapers.names.match import Candidate, Side, Team
from scrapers.names.vetoes import Reading, read, veto

NEAR = 50.0  # fewer letters in common are not looked at
NEAREST = 10


class Entry:
    """A team as this league knows it."""

    __slots__ = ("clubs", "forms", "readings", "team")

    def __init__(self, team: Team, sport: str, league: str, clubs: Clubs) -> None:
        self.team = team
        self.readings = tuple(dict.fromkeys(read(name, sport) for name in (team.name, *team.aliases)))
        self.forms = frozenset[str]().union(*(reading.forms for reading in self.readings))
        found = [frozenset(numbers) for one in self.readings if (numbers := clubs.named(sport, one.folded, league))]
        self.clubs: frozenset[int] = min(found, key=len, default=frozenset())  # as the clearest spelling says

    def side(self, asked: "Asked") -> Side:
        if self.team.id == asked.alias or any(asked.reading.folded == one.folded for one in self.readings):
            return Side(SAME, "held", self.team.name)
        if asked.clubs and self.clubs:
            return self._by_heart(asked.clubs, asked.first_choice)
        best = self._nearest(asked.reading)
        if best.kind == "none" and (asked.bearers or asked.clubs):
            return Side(0.0, "taken", self.team.name)  # nothing in common, and the name is another team's
        if asked.bearers and best.score > DOUBTFUL:
            return Side(DOUBTFUL, "ambiguous", best.ours)
        if best.kind == "equal" and self.forms and asked.reading.forms and not self.forms & asked.reading.forms:
            return Side(min(best.score, OTHER_FORM), "equal", best.ours)
        return best

    def _by_heart(self, clubs: frozenset[int], first_choice: int | None) -> Side:
        if not clubs & self.clubs:
            return Side(0.0, "veto", self.team.name, "known as another club")
        if len(self.clubs) == 1 and (clubs == self.clubs or first_choice in self.clubs):
            return Side(SAME, "known", self.team.name)
        return Side(DOUBTFUL, "ambiguous", self.team.name)

    def _nearest(self, reading: Reading) -> Side:
        best = Side(0.0, "none", self.team.name)
        for one in self.readings:
            like = likeness(reading, one)
            if like.score <= best.score:
                continue
            if refused := veto(reading, one):
                if not best.score:
                    best = Side(0.0, "veto", one.folded, refused)
            else:
                best = Side(like.score, like.kind, one.folded)
        if best.kind == "none" and (refused := veto(reading, self.readings[0])):
            return Side(0.0, "veto", self.team.name, refused)
        return best


class League:
    __slots__ = ("_clubs", "_fixtures", "_key", "_names", "_owners", "_pairs", "_times", "entries", "held")

    def __init__(self, sport: str, key: str, fixtures: Sequence[Candidate], clubs: Clubs) -> None:
        self._key = key
        self._clubs = clubs
        self._fixtures = sorted(fixtures, key=lambda match: (match.starts_at, match.match_id))
        self._times = [match.starts_at for match in self._fixtures]
        self.entries: dict[int, Entry] = {}
        self.held: dict[str, tuple[int, ...]] = {}  # spelling to the teams that bear it
        self._pairs: dict[tuple[int, int], list[Candidate]] = {}
        self._names: list[str] = []
        self._owners: list[int] = []
        for match in self._fixtures:
            self._pairs.setdefault((match.home.id, match.away.id), []).append(match)
            for team in (match.home, match.away):
                if team.id not in self.entries:
                    self._enter(Entry(team, sport, key, clubs))

    def _enter(self, entry: Entry) -> None:
        number = entry.team.id
        self.entries[number] = entry
        for reading in entry.readings:
            self.held[reading.folded] = (*self.held.get(reading.folded, ()), number)
            self._names.append(reading.bare)
            self._owners.append(number)

    def around(self, moment: datetime, within: timedelta) -> list[Candidate]:
        return self._fixtures[bisect_left(self._times, moment - within) : bisect_right(self._times, moment + within)]

    def meeting(self, home: int, away: int, moment: datetime, within: timedelta) -> Candidate | None:
        """The match of these two that kicks off nearest to this moment."""
        matches = [match for match in self._pairs.get((home, away), ()) if abs(match.starts_at - moment) <= within]
        return min(matches, key=lambda match: (abs(match.starts_at - moment), match.match_id), default=None)

    def ask(self, sport: str, name: str, alias: int | None) -> "Asked":
        return Asked(self, read(name, sport), self._clubs.named(sport, read(name, sport).folded, self._key), alias)

    def near(self, asked: "Asked") -> frozenset[int]:
        """The teams worth a closer look; a likeness that no ratio sees is found through the opponent."""
        found = process.extract(
            asked.reading.bare, self._names, scorer=fuzz.token_ratio, score_cutoff=NEAR, limit=NEAREST
        )
        numbers = {self._owners[position] for _, _, position in found}
        numbers.update(number for number in asked.bearers if number in self.entries)
        if asked.clubs:
            numbers.update(number for number, entry in self.entries.items() if entry.clubs & asked.clubs)
        return frozenset(numbers)

    def first_choice(self, named: tuple[int, ...], folded: str) -> int | None:
        """The club whose full name it is, unless a namesake plays in this league too."""
        first = self._clubs.first_choice(named, folded)
        others = frozenset(named) - {first}
        if first is None or any(entry.clubs & others and first not in entry.clubs for entry in self.entries.values()):
            return None
        return first


class Asked:
    """One spelling put to a league."""

    __slots__ = ("_league", "_sides", "alias", "bearers", "clubs", "first_choice", "near", "reading")

    def __init__(self, league: League, reading: Reading, named: tuple[int, ...], alias: int | None) -> None:
        self._league = league
        self._sides: dict[int, Side] = {}
        self.reading = reading
        self.alias = alias
        self.bearers = league.held.get(reading.folded, ()) if alias is None else (alias,)  # whose name it is
        self.clubs = frozenset(named)  # whom it may mean by heart
        self.first_choice = league.first_choice(named, reading.folded)
        self.near = league.near(self)

    def side(self, team: int) -> Side:
        if team not in self._sides:
            self._sides[team] = self._league.entries[team].side(self)
        return self._sides[team]
