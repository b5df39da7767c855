"""The files in the making. Each is kept in pieces: a large one is in memory once, and is never moved as it grows."""

import hashlib
import zlib
from collections.abc import Iterator, Sequence

import msgspec

from sidecars.feed import VERSION, BookmakerStatus, SurebetShown

CSV_HEADER = (
    b"event_id,sport_key,commence_time,home_team,away_team,bookmaker,market,home,draw,away,"
    b"home_opening,draw_opening,away_opening,last_update,link\r\n"
)
PIECE = 256 * 1024
AS_GZIP = 16 + zlib.MAX_WBITS
QUICKLY = 2  # a twelfth of the size for a twentieth of a second


class Body:
    def __init__(self, start: bytes) -> None:
        self._pieces: list[bytes] = []
        self._last = bytearray(start)

    def __iadd__(self, part: bytes) -> "Body":
        self._last += part
        if len(self._last) >= PIECE:
            self._pieces.append(bytes(self._last))
            self._last.clear()
        return self

    def __iter__(self) -> Iterator[bytes]:
        yield from self._pieces
        if self._last:
            yield bytes(self._last)

    def __len__(self) -> int:
        return sum(map(len, self._pieces)) + len(self._last)

    def zipped(self) -> "Body":
        press = zlib.compressobj(QUICKLY, wbits=AS_GZIP)
        packed = Body(b"")
        for piece in self:
            packed += press.compress(piece)
        packed += press.flush()
        return packed


class Draft:
    def __init__(self, generated_at: str, books: Sequence[BookmakerStatus]) -> None:
        self.json = Body(
            b'{"version":%d,"generated_at":"%s","bookmakers":%s,"events":['
            % (VERSION, generated_at.encode(), msgspec.json.encode(books))
        )
        self.csv = Body(CSV_HEADER)
        self.events = 0
        self._digest = hashlib.blake2b()
        for book in books:  # without its age
            self._digest.update(f"{book.key} {book.title} {book.status} {book.last_update} {book.commission};".encode())

    def add(self, event: bytes, rows: bytes) -> None:
        if self.events:
            self.json += b","
        self.json += event
        self.csv += rows
        self._digest.update(event)
        self.events += 1

    def finish(self, bets: Sequence[SurebetShown]) -> None:
        self.json += b'],"surebets":%s}' % msgspec.json.encode(bets)
        # Surebets follow from the events, but for the bank.
        self._digest.update(repr([(bet.event_id, bet.total_stake, bet.profit, bet.warnings) for bet in bets]).encode())

    @property
    def content(self) -> bytes:
        """The same for two files that say the same, whenever they were made."""
        return self._digest.digest()
