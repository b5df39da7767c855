"""One file per wire format, each with one pure function: `answer(board, asked) -> Answer`, as the real site would."""

from importlib import import_module
from typing import Protocol, cast

from simulator.board import Answer, Asked, Board


class Wire(Protocol):
    def answer(self, board: Board, asked: Asked) -> Answer: ...


def load(platform: str) -> Wire:
    return cast("Wire", import_module(f"simulator.wires.{platform}"))
