"""Rows for tests, as the database would have given them."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from sidecars.draft import Draft
from sidecars.export import Export
from store.export import BookRow, LeagueRow, Line, MatchRow

NOW = 1_800_000_000
FOOTBALL = LeagueRow(1, "soccer_brazil_campeonato", "football", "Brasileirão Série A")
NBA = LeagueRow(2, "basketball_nba", "basketball", "NBA")


def book(number: int, key: str, commission: float = 0.0, **changes: Any) -> BookRow:  # noqa: ANN401
    values: dict[str, Any] = {
        "kind": "exchange" if commission else "book",
        "status": "ok",
        "last_success": datetime.fromtimestamp(NOW - 12, UTC),
    }
    return BookRow(id=number, key=key, title=key.title(), commission=commission, **(values | changes))


KTO, STAKE, BETBRA = book(1, "kto"), book(2, "stake"), book(3, "betbra", 0.028)


def line(
    of: BookRow,
    home: float | None,
    draw: float | None,
    away: float | None,
    market: str = "h2h",
    **changes: Any,  # noqa: ANN401
) -> Line:
    values: dict[str, Any] = {
        "book_id": of.id,
        "fetched_at": NOW - 12,
        "changed_at": NOW - 600,
        "link": f"https://{of.key}.bet.br/event/77",
        "sid": "77",
        "market": market,
        "home": home,
        "draw": draw,
        "away": away,
        "home_opening": home,
        "draw_opening": draw,
        "away_opening": away,
        "home_liquidity": None,
        "draw_liquidity": None,
        "away_liquidity": None,
    }
    return Line(**(values | changes))


def match(
    number: int, *lines: Line, league: LeagueRow = FOOTBALL, home: str = "Flamengo", away: str = "Palmeiras"
) -> MatchRow:
    return MatchRow(number, league.id, NOW + 3600, home, away, msgspec.json.encode(lines).decode())


def draft(*matches: MatchRow, bank: int = 100_000) -> tuple[Export, Draft]:
    export = Export([KTO, STAKE, BETBRA], [FOOTBALL, NBA], bank)
    made = Draft(export.times[NOW], export.show_books(NOW))
    for one in matches:
        if parts := export.add(one):
            made.add(*parts)
    made.finish(export.show_surebets(NOW))
    return export, made


SUREBET = match(1, line(KTO, 3.2, 3.4, 2.3), line(STAKE, 2.4, 3.1, 2.9))
EXAMPLES = (
    SUREBET,
    match(
        2,
        line(KTO, 2.1, 3.2, 3.4),
        line(KTO, 2.0, 3.2, 3.3, "h2h_2up"),
        line(BETBRA, 2.2, 3.4, 3.6, home_liquidity=55.5),
    ),
    match(3, line(STAKE, 1.8, None, 2.05), league=NBA, home="Los Angeles Lakers", away='=HYPERLINK(1), "Celtics"'),
)
