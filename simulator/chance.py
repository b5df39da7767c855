"""Numbers that look random and never change: the same key gives the same number on every machine and in every run."""

from hashlib import blake2b
from struct import unpack
from typing import TypeVar

T = TypeVar("T")


def chance(*key: object) -> float:
    """A number in [0, 1) for this key."""
    (whole,) = unpack(">Q", _digest(key))
    return float(whole >> 11) / 2**53  # 53 bits are what a float holds; more could round up to 1


def between(low: float, high: float, *key: object) -> float:
    return low + (high - low) * chance(*key)


def spread(*key: object) -> float:
    """A number around 0 with a deviation of 1, like the noise of many small causes, and never beyond 3.5."""
    parts: tuple[int, ...] = unpack(">4H", _digest(key))
    return sum(parts) / 2**16 * 1.75 - 3.5


def pick(choices: tuple[T, ...], *key: object) -> T:
    return choices[int(chance(*key) * len(choices))]


def _digest(key: tuple[object, ...]) -> bytes:
    return blake2b(repr(key).encode(), digest_size=8).digest()
