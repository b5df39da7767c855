"""Answers that can never outgrow the container."""

import zlib
from collections.abc import AsyncIterator, Iterator

from scrapers.errors import Changed, Unavailable
from scrapers.wire import EVIDENCE_BYTES

MEGABYTE = 1024 * 1024
EXCERPT = 1024  # of an answer that was too large to be kept
UNPACK_BYTES = 256 * 1024  # at a time: gzip packs a thousand to one, and one chunk may hold the whole limit


async def read_bounded(chunks: AsyncIterator[bytes], *, gzipped: bool, limit: int) -> bytes:
    """The whole body, or `Changed` as soon as it outgrows `limit`; a compressed one is never unpacked beyond it.

    Superbet's network says `gzip` over plain bodies now and then, so the first bytes decide, not the header.
    """
    body = bytearray()
    unpack: zlib._Decompress | None = None
    first = True
    async for chunk in chunks:
        if first and gzipped and chunk[:2] == b"\x1f\x8b":
            unpack = zlib.decompressobj(wbits=31)
        first = False
        for piece in unpacked(unpack, chunk) if unpack else (chunk,):
            body += piece
            if len(body) > limit:
                raise too_large(limit, body)
    if unpack is not None and not unpack.eof:
        raise Unavailable("the answer was cut off in the middle")
    return bytes(body)


def unpacked(unpack: "zlib._Decompress", chunk: bytes) -> Iterator[bytes]:
    packed, piece = chunk, b""
    while packed or len(piece) == UNPACK_BYTES:  # a full piece may leave more behind, with no input left
        try:
            piece = unpack.decompress(packed, UNPACK_BYTES)
        except zlib.error as error:
            raise Changed(f"the answer is broken gzip: {error}", chunk[:EVIDENCE_BYTES]) from error
        yield piece
        packed = unpack.unconsumed_tail


def too_large(limit: int, start: bytes | bytearray = b"") -> Changed:
    return Changed(f"the answer is larger than {limit // MEGABYTE} MB (MAX_ANSWER_MB)", bytes(start[:EXCERPT]))
