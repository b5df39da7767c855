"""Everything that the simulator remembers between two requests."""

import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from scrapers.catalog import Bookmaker
from simulator import model
from simulator.board import Board
from simulator.connections import Connections
from simulator.counters import Counters
from simulator.discord import Sink
from simulator.faults import Fault, Faults
from simulator.model import World


def clock() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class State:
    world: World = field(default_factory=World)
    frozen_at: datetime | None = None
    faults: Faults = field(default_factory=Faults)
    counters: Counters = field(default_factory=lambda: Counters(clock()))
    discord: Sink = field(default_factory=Sink)
    connections: Connections = field(default_factory=Connections)

    def world_now(self) -> datetime:
        return self.frozen_at or clock()

    def board(self, book: Bookmaker) -> Board:
        return model.board(book, self.world_now(), self.world)

    def take_fault(self, target: str) -> Fault | None:
        return self.faults.take(target, time.monotonic())

    def freeze(self, frozen: bool) -> None:
        """Freezing again keeps the instant."""
        self.frozen_at = self.world_now() if frozen else None

    def shift(self, fixture: int, strength: float) -> None:
        self.world = replace(self.world, shifts={**self.world.shifts, fixture: strength})

    def reset_prices(self) -> None:
        self.frozen_at = None
        self.world = replace(self.world, shifts={})

    def reset(self) -> None:
        self.reset_prices()
        self.faults.clear()
        self.counters.reset(clock())
        self.discord.clear()
