"""A snapshot of our open matches, made ready to answer quickly which of them a book means.

The order of judgement: alias, spelling that we hold, then the whole fixture among those of the same league and minute.
(What a book's own event id says comes before all this, in the store.)
"""

from collections.abc import Collection, Iterable
from datetime import timedelta

from msgspec import structs

from scrapers.names import prices, rules
from scrapers.names.clubs import Clubs, known
from scrapers.names.fold import fold
from scrapers.names.league import Asked, League
from scrapers.names.match import Alias, Candidate, Learned, Pairing, Seen, Verdict
from scrapers.names.vetoes import read

WINDOW = timedelta(minutes=15)
MOVED = timedelta(hours=12)  # two teams never meet twice in less


class Index:
    def __init__(
        self, candidates: Iterable[Candidate], *, aliases: Iterable[Alias] = (), clubs: Clubs | None = None
    ) -> None:
        self._clubs = known() if clubs is None else clubs
        self._aliases = {(alias.book, alias.sport, alias.folded): alias.team_id for alias in aliases}
        leagues: dict[tuple[str, str], list[Candidate]] = {}
        for match in candidates:
            leagues.setdefault((match.sport, match.league), []).append(match)
        self._leagues = {key: League(*key, matches, self._clubs) for key, matches in leagues.items()}

    def place(self, seen: Seen, taken: Collection[int] = ()) -> Verdict:
        """`taken`: matches that this book shows as other events, so that this one is none of them."""
        league = self._leagues.get((seen.sport, seen.league))
        if league is None:
            return Verdict("new", "no open match in this league")
        if verdict := self._by_key(seen, league):
            return verdict
        home, away = self._asked(seen, league)
        pairings = self._pairings(seen, league, WINDOW, home, away)
        verdict = rules.judge([pairing for pairing in pairings if pairing.candidate.match_id not in taken])
        if verdict.kind != "same":
            return self._moved(seen, league, home, away, taken) or self._taken(pairings, taken, verdict) or verdict
        accepted = next(p for p in pairings if (p.candidate.match_id, p.swapped) == (verdict.match_id, verdict.swapped))
        return structs.replace(verdict, learn=self._lessons(seen, accepted))

    def ranking(self, seen: Seen) -> list[Pairing]:
        """Everything that was weighed, best first: for people who ask why."""
        league = self._leagues.get((seen.sport, seen.league))
        return [] if league is None else rules.ranking(self._pairings(seen, league, MOVED, *self._asked(seen, league)))

    def alias(self, seen: Seen, folded: str) -> int | None:
        own = self._aliases.get((seen.book, seen.sport, folded))
        return self._aliases.get((None, seen.sport, folded)) if own is None else own

    def _by_key(self, seen: Seen, league: League) -> Verdict | None:
        """Both names are aliases or spellings that we hold: the path of almost every event."""
        home, away = (self._bearers(seen, league, fold(name)) for name in (seen.home, seen.away))
        found = [
            (match, swapped)
            for one in home
            for other in away
            for swapped in (False, True)
            if (match := league.meeting(*((other, one) if swapped else (one, other)), seen.starts_at, MOVED))
        ]
        if len(found) != 1:
            return None
        match, swapped = found[0]
        return self._known_pair(seen, match, swapped, 100.0, "both names are held")

    def _bearers(self, seen: Seen, league: League, folded: str) -> tuple[int, ...]:
        alias = self.alias(seen, folded)
        return league.held.get(folded, ()) if alias is None else (alias,)

    def _known_pair(self, seen: Seen, match: Candidate, swapped: bool, score: float, reason: str) -> Verdict:
        apart = _apart(seen, match, swapped)
        moved = abs(match.starts_at - seen.starts_at) > WINDOW
        if apart is not None and apart > prices.VETO:
            return Verdict("unsure", f"prices are {apart:.0%} apart", match.match_id, swapped, score, 2 * score)
        return Verdict("same", reason, match.match_id, swapped, score, 2 * score, moved)

    def _asked(self, seen: Seen, league: League) -> tuple[Asked, Asked]:
        home, away = (league.ask(seen.sport, name, self.alias(seen, fold(name))) for name in (seen.home, seen.away))
        return home, away

    def _pairings(self, seen: Seen, league: League, within: timedelta, home: Asked, away: Asked) -> list[Pairing]:
        found = []
        for match in league.around(seen.starts_at, within):
            for swapped in (False, True):
                first, second = (match.away.id, match.home.id) if swapped else (match.home.id, match.away.id)
                if first in home.near or second in away.near:
                    apart = _apart(seen, match, swapped)
                    found.append(Pairing(match, swapped, home.side(first), away.side(second), apart))
        return found

    def _taken(self, pairings: list[Pairing], taken: Collection[int], otherwise: Verdict) -> Verdict | None:
        """A book that shows a match twice is rarer than a namesake, yet a person should see it."""
        verdict = rules.judge(pairings)
        if verdict.match_id not in taken or (verdict.kind != "same" and otherwise.kind != "new"):
            return None
        return structs.replace(verdict, kind="unsure", reason="this book shows that match as another event")

    def _moved(self, seen: Seen, league: League, home: Asked, away: Asked, taken: Collection[int]) -> Verdict | None:
        """Another kick-off on the same day: the same match if both teams are surely known, else for a person."""
        wide = [
            pairing
            for pairing in self._pairings(seen, league, MOVED, home, away)
            if not pairing.vetoed
            and pairing.candidate.match_id not in taken
            and abs(pairing.candidate.starts_at - seen.starts_at) > WINDOW
        ]
        sure = [pairing for pairing in wide if pairing.weaker.score >= rules.EXACT]
        if len(sure) == 1:
            match, swapped, score = sure[0].candidate, sure[0].swapped, sure[0].weaker.score
            return self._known_pair(seen, match, swapped, score, "both names, at another kick-off")
        for near in rules.ranking(wide):
            if near.weaker.score >= rules.STRONG:
                reason = "resembles, at another kick-off"
                return Verdict("unsure", reason, near.candidate.match_id, near.swapped, near.weaker.score)
        return None

    def _lessons(self, seen: Seen, accepted: Pairing) -> tuple[Learned, ...]:
        """Spellings worth keeping. What could mean several clubs is never learned: next time it may mean another."""
        match = accepted.candidate
        teams = (match.away, match.home) if accepted.swapped else (match.home, match.away)
        lessons = []
        for name, team, side in zip((seen.home, seen.away), teams, (accepted.home, accepted.away), strict=True):
            reading = read(name, seen.sport)
            several = len(self._clubs.named(seen.sport, reading.folded)) > 1
            if several or reading.ambiguous or reading.tag or side.kind in {"held", "ambiguous"}:
                continue
            confidence = 0.95 if side.score >= rules.EXACT else 0.85 if side.score >= rules.STRONG else 0.7
            lessons.append(Learned(name, reading.folded, team.id, confidence))
        return tuple(lessons)


def _apart(seen: Seen, match: Candidate, swapped: bool) -> float | None:
    if not seen.prices or not match.fair:
        return None
    chances = prices.fair(seen.prices)
    if chances is None:
        return None
    return prices.apart(prices.swapped(chances) if swapped else chances, match.fair)
