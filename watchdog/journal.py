"""The one incident that cannot be kept in the database: that the database is away. On disk, so that it is told once."""

from contextlib import suppress
from pathlib import Path

import msgspec
from loguru import logger


class Outage(msgspec.Struct, kw_only=True):
    cause: str
    opened_at: float
    closed_at: float | None = None
    message_id: str | None = None
    told: str = "no"  # no, telling, yes, closed: written before and after each message


class Journal:
    def __init__(self, folder: Path) -> None:
        self._path = folder / "watchdog-outage.json"
        self.outage = self._read()

    def begin(self, cause: str, now: float) -> None:
        if self.outage is None:
            self.outage = Outage(cause=cause, opened_at=now)
            self.keep()
        elif self.outage.closed_at is not None:  # away again before it was remembered: still the same outage
            self.outage.closed_at = None
            if self.outage.told == "closed":  # the operator read that it is over: the message turns red again
                self.outage.told = "no"
            self.keep()

    def end(self, now: float) -> None:
        if self.outage and self.outage.closed_at is None:
            self.outage.closed_at = now
            self.keep()

    def keep(self) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            new = self._path.with_suffix(".new")
            new.write_bytes(msgspec.json.encode(self.outage))
            new.replace(self._path)
        except OSError as error:  # a full disk: then memory must do
            logger.warning("[journal.keep] cannot be written: {}", error)

    def forget(self) -> None:
        self.outage = None
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _read(self) -> Outage | None:
        try:
            outage = msgspec.json.decode(self._path.read_bytes(), type=Outage)
        except (OSError, msgspec.DecodeError, msgspec.ValidationError):
            return None
        if outage.told == "telling":  # its teller died: sent or not, it is not sent twice
            outage.told = "yes"
        return outage
