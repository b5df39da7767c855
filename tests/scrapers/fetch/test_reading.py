import asyncio
import gzip
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Iterable

import pytest

from scrapers.errors import Changed, Unavailable
from scrapers.fetch.reading import MEGABYTE, read_bounded

LIMIT = MEGABYTE


class Pieces:
    """Counts how many were asked for."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self.taken = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            self.taken += 1
            yield piece
            await asyncio.sleep(0)


async def read(*pieces: bytes, gzipped: bool) -> bytes:
    return await read_bounded(aiter(Pieces(pieces)), gzipped=gzipped, limit=LIMIT)


async def test_plain_and_packed() -> None:
    packed = gzip.compress(b"odds" * 1000)
    assert await read(b"od", b"ds", gzipped=False) == b"odds"
    assert await read(packed[:7], packed[7:], gzipped=True) == b"odds" * 1000


async def test_plain_body_under_a_header_that_says_gzip() -> None:
    assert await read(b'{"data"', b":[]}", gzipped=True) == b'{"data":[]}'


async def test_exactly_the_limit_is_read() -> None:
    assert len(await read(b"x" * LIMIT, gzipped=False)) == LIMIT
    with pytest.raises(Changed, match="larger than 1 MB"):
        await read(b"x" * (LIMIT + 1), gzipped=False)


async def test_endless_body_is_not_read_to_its_end() -> None:
    pieces = Pieces(b"x" * 65536 for _ in range(10_000))
    with pytest.raises(Changed, match="larger than 1 MB"):
        await read_bounded(aiter(pieces), gzipped=False, limit=LIMIT)
    assert pieces.taken == LIMIT // 65536 + 1


async def test_bomb_is_not_unpacked_beyond_the_limit() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(packer.compress(bytes(MEGABYTE)) for _ in range(300)) + packer.flush()
    tracemalloc.start()
    try:
        with pytest.raises(Changed, match="larger than 1 MB"):
            await read(bomb, gzipped=True)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * LIMIT  # of 300 MB


async def test_cut_off_and_broken() -> None:
    packed = gzip.compress(bytes(range(256)) * 100)
    with pytest.raises(Unavailable, match="cut off"):
        await read(packed[: len(packed) // 2], gzipped=True)
    with pytest.raises(Changed, match="broken gzip"):
        await read(packed[:20] + b"\xff" * 50, gzipped=True)
