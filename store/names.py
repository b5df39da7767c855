"""Where each event of a cycle belongs: a match of ours, a new one, or nobody can tell yet.

The judging is scrapers/names; here is what it judges by, a snapshot of the database, and what it judged before.
"""

from collections.abc import Collection

import msgspec

from scrapers.names.fold import fold
from scrapers.names.match import Alias, Candidate, Seen, Verdict
from store.cycle import CycleHead, StoredEvent
from store.rpc import Rpc

RELOAD_EVERY = 10  # cycles
BY_HAND = Verdict("new", "a person said so")
NOT_TOLD = (None, None)  # names of an event that an older version placed


class Shown(msgspec.Struct):
    match_id: int
    home: str | None  # as the book called them when the event was placed
    away: str | None


class Snapshot(msgspec.Struct):
    seen: int  # the newest match in it
    known: dict[str, Shown]  # event ids of this book
    separate: set[str]  # events of which a person said that they are no match of ours
    matches: list[Candidate]
    aliases: list[Alias]


class PlacedEvent(StoredEvent, frozen=True):
    known: bool = False
    match_id: int | None = None
    swapped: bool = False
    home_name: str | None = None  # of the teams of a new match; None: as this book calls them
    away_name: str | None = None


class Unmatched(msgspec.Struct, frozen=True):
    external_id: str
    sport: str
    league: str
    home: str
    away: str
    starts_at: object
    reason: str
    near_match_id: int | None
    swapped: bool
    score: float


class LearnedAlias(msgspec.Struct, frozen=True):
    sport: str
    folded: str
    alias: str
    team_id: int
    confidence: float


class Placed(msgspec.Struct):
    """A cycle's events, each with its place."""

    events: list[PlacedEvent]
    unmatched: list[Unmatched]
    learned: list[LearnedAlias]
    seen: int


class PlacedCycle(CycleHead, frozen=True, kw_only=True):
    """As the database takes it."""

    events: list[PlacedEvent]
    unmatched: list[Unmatched]
    learned: list[LearnedAlias]


class Names:
    def __init__(self, rpc: Rpc, book: str) -> None:
        self._rpc = rpc
        self._book = book
        self._known: dict[str, tuple[str | None, str | None]] = {}
        self._unsure: dict[str, Verdict] = {}
        self._seen = 0
        self._cycles = 0

    async def place(self, events: tuple[StoredEvent, ...]) -> Placed:
        """Events that this book has shown before, under these names, need no judging, and cost nothing."""
        self._cycles += 1
        if self._cycles % RELOAD_EVERY == 0:
            self.forget()
        verdicts: dict[str, Verdict] = {}
        if any(not self._is_settled(event) for event in events):
            snapshot = await self._load()
            unplaced = [event for event in events if not self._is_settled(event)]
            shown = {event.external_id for event in events}
            verdicts = judge(self._book, unplaced, snapshot, shown) if unplaced else {}
            self._unsure |= {key: verdict for key, verdict in verdicts.items() if verdict.kind == "unsure"}
        placed = Placed([], [], [], self._seen)
        for event in events:
            self._put(event, verdicts.get(event.external_id) or self._unsure.get(event.external_id), placed)
        return placed

    def settle(self, placed: Placed) -> None:
        """The database has taken these: next time they are known."""
        self._known |= {event.external_id: (event.home, event.away) for event in placed.events}

    def forget(self) -> None:
        """Look at the database again before the next judgement."""
        self._known.clear()
        self._unsure.clear()

    def _is_settled(self, event: StoredEvent) -> bool:
        is_known = self._known.get(event.external_id) in ((event.home, event.away), NOT_TOLD)
        return is_known or event.external_id in self._unsure

    async def _load(self) -> Snapshot:
        snapshot = await self._rpc.call_as(Snapshot, "names_snapshot", {"p_book": self._book})
        self._known = {key: (shown.home, shown.away) for key, shown in snapshot.known.items()}
        self._unsure.clear()  # they are judged by this one too: a match may have turned since
        self._seen = snapshot.seen
        return snapshot

    def _put(self, event: StoredEvent, verdict: Verdict | None, placed: Placed) -> None:
        fields = msgspec.structs.asdict(event)
        if verdict is None:
            placed.events.append(PlacedEvent(**fields, known=True))
        elif verdict.kind == "unsure":
            placed.unmatched.append(
                Unmatched(
                    external_id=event.external_id,
                    sport=event.sport,
                    league=event.league,
                    home=event.home,
                    away=event.away,
                    starts_at=event.starts_at,
                    reason=verdict.reason,
                    near_match_id=verdict.match_id,
                    swapped=verdict.swapped,
                    score=verdict.score,
                )
            )
        elif verdict.kind == "new":
            placed.events.append(PlacedEvent(**(fields if verdict is BY_HAND else fields | our_names(event))))
        else:
            placed.events.append(PlacedEvent(**fields, match_id=verdict.match_id, swapped=verdict.swapped))
            placed.learned += [
                LearnedAlias(event.sport, learned.folded, learned.alias, learned.team_id, learned.confidence)
                for learned in verdict.learn
            ]


def judge(book: str, events: list[StoredEvent], snapshot: Snapshot, shown: Collection[str]) -> dict[str, Verdict]:
    """`shown`: the ids of all events of the cycle, those too that have their match."""
    from scrapers.names.index import Index
    from scrapers.names.together import place_all

    index = Index(snapshot.matches, aliases=snapshot.aliases)
    unplaced = {event.external_id for event in events}
    taken = {snapshot.known[key].match_id for key in snapshot.known.keys() & (set(shown) - unplaced)}
    separate = unplaced & snapshot.separate
    asked = [as_seen(book, event) for event in events if event.external_id not in separate]
    return place_all(index, asked, taken) | dict.fromkeys(separate, BY_HAND)


def our_names(event: StoredEvent) -> dict[str, str]:
    """One name per club, whichever book is the first to show a match of it."""
    from scrapers.names.clubs import known

    home, away = (known().one_name(event.sport, name, event.league) for name in (event.home, event.away))
    if fold(home) == fold(away):
        return {}
    return {"home_name": home, "home_folded": fold(home), "away_name": away, "away_folded": fold(away)}


def as_seen(book: str, event: StoredEvent) -> Seen:
    prices = {price.outcome: price.price for price in event.odds if price.market == "h2h"}
    return Seen(
        book=book,
        external_id=event.external_id,
        sport=event.sport,
        league=event.league,
        home=event.home,
        away=event.away,
        starts_at=event.starts_at,
        prices=prices or None,
    )
