"""What the sidecars ask the database for, as a small object, which can be away; and a Storage that can refuse."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from common.settings import Secret, StoreSettings
from sidecars.json_generator import BUCKET
from store.export import BookRow, LeagueRow, MatchRow
from store.rpc import Rpc, StoreDown
from store.storage import Bucket, Content
from tests.sidecars.rows import FOOTBALL, KTO, NOW, STAKE

T = TypeVar("T")
NOWHERE = StoreSettings(supabase_url="http://127.0.0.1:9", supabase_key=Secret("none"))


class Notes(Rpc):
    """Beats, surebets and alerts as sql/007_sidecars.sql keeps them; the tests marked `docker` have the real ones."""

    def __init__(self, *matches: MatchRow) -> None:
        super().__init__(NOWHERE)
        self.matches = list(matches)
        self.version = "1"
        self.books: list[BookRow] = [KTO, STAKE]
        self.leagues: list[LeagueRow] = [FOOTBALL]
        self.beats: list[str | None] = []  # the error of each
        self.surebets: set[int] = set()  # matches that have an open one
        self.alerts: dict[int, dict[str, Any]] = {}
        self.away_for: set[str] = set()
        self.goes_away_after: set[str] = set()  # these are done, and their answer is lost

    async def call(self, function: str, arguments: Mapping[str, object]) -> object:
        if function in self.away_for:
            raise StoreDown("away, as the test wants it")
        answer = getattr(self, function)(**msgspec.to_builtins(arguments))
        if function in self.goes_away_after:
            raise StoreDown("away, as the test wants it")
        return msgspec.json.decode(msgspec.json.encode(answer))

    async def call_as(self, shape: type[T], function: str, arguments: Mapping[str, object]) -> T:
        return msgspec.convert(await self.call(function, arguments), shape)

    def service_beat(self, *, p_error: str | None, **_: object) -> None:
        self.beats.append(p_error)

    def export_state(self, *, p_version: str, **_: object) -> dict[str, object]:
        state = {"changed": p_version != self.version, "version": self.version, "now": datetime.fromtimestamp(NOW, UTC)}
        if not state["changed"]:
            self.beats.append(None)
        return state | {"bookmakers": self.books, "leagues": self.leagues}

    def export_page(self, **_: object) -> dict[str, object]:
        return {"matches": self.matches, "valid_until": None, "next": None}

    def record_surebets(self, *, p_found: list[dict[str, Any]], **_: object) -> None:
        self.surebets = {found["match_id"] for found in p_found}

    def surebet_alerts_now(self, **_: object) -> list[dict[str, Any]]:
        return list(self.alerts.values())

    def claim_surebet_alert(self, *, p_match: int, p_shown: object) -> int | None:
        if any(alert["match_id"] == p_match and not alert["closed"] for alert in self.alerts.values()):
            return None
        number = max(self.alerts, default=0) + 1
        self.alerts[number] = {
            "id": number, "match_id": p_match, "message_id": None, "shown": p_shown, "closed": False,
            "opened_at": datetime.now(UTC),
        }  # fmt: skip
        return number

    def settle_surebet_alert(self, *, p_id: int, p_message_id: str | None, p_shown: object, p_closed: bool) -> None:
        if p_message_id is not None:
            self.alerts[p_id] |= {"message_id": p_message_id, "shown": p_shown, "closed": p_closed}
        elif p_id in self.alerts and self.alerts[p_id]["message_id"] is None:
            del self.alerts[p_id]


class Shelf(Bucket):
    """Storage, which can refuse some of its files."""

    def __init__(self) -> None:
        super().__init__(NOWHERE, BUCKET)
        self.files: dict[str, bytes] = {}
        self.refuses: set[str] = set()

    async def put(self, path: str, content: Content, content_type: str, max_age: float) -> None:
        if path in self.refuses:
            raise StoreDown(f"Storage does not take {path}")
        self.files[path] = b"".join(content)
