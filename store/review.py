"""What a person may change about names: doubtful events, learned spellings, pairs that were wrong."""

import msgspec

from store.rpc import Rpc


class Waiting(msgspec.Struct):
    """An event that resembles a match of ours, but not surely."""

    id: int
    bookmaker: str
    sport: str
    league: str
    home: str
    away: str
    starts_at: str
    reason: str
    score: float | None = None
    swapped: bool = False
    near_match_id: int | None = None
    near_home: str | None = None
    near_away: str | None = None


class PlacedEvent(msgspec.Struct):
    """An event of a book, and the match of ours that it is taken for, if any."""

    home: str
    away: str
    decision: str | None  # a person's: same or new
    our_home: str | None
    our_away: str | None
    swapped: bool
    other_books: int  # that show that match too


class Spelling(msgspec.Struct, frozen=True):
    side: str  # home or away, as the book has it
    folded: str
    alias: str


class Remembered(msgspec.Struct):
    """A stored spelling; of all books when `bookmaker` is None."""

    sport: str
    alias: str
    team: str
    source: str
    confidence: float
    first_seen: str
    bookmaker: str | None = None


async def waiting(rpc: Rpc) -> list[Waiting]:
    return msgspec.convert(await rpc.select("unmatched_names_view", {"select": "*"}), list[Waiting])


async def decide(rpc: Rpc, event: int, spellings: tuple[Spelling, ...], *, same: bool) -> bool:
    """False when somebody decided before."""
    return bool(
        await rpc.call("decide_unmatched", {"p_id": event, "p_same": same, "p_spellings": spellings if same else ()})
    )


async def remembered(rpc: Rpc, limit: int) -> list[Remembered]:
    rows = await rpc.select("team_aliases_view", {"select": "*", "limit": str(limit)})
    return msgspec.convert(rows, list[Remembered], strict=False)


async def forget(rpc: Rpc, folded: str) -> int:
    return msgspec.convert(await rpc.call("forget_alias", {"p_folded": folded}), int)


async def split(rpc: Rpc, book: str, external_id: str) -> bool:
    return bool(await rpc.call("split_event", {"p_book": book, "p_external_id": external_id}))


async def placed(rpc: Rpc, book: str, external_id: str) -> PlacedEvent | None:
    found = await rpc.call("placed_event", {"p_book": book, "p_external_id": external_id})
    return None if found is None else msgspec.convert(found, PlacedEvent)


async def again(rpc: Rpc, book: str, external_id: str) -> bool:
    return bool(await rpc.call("judge_again", {"p_book": book, "p_external_id": external_id}))
