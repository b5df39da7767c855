"""One fixture of Entain's offer API (see entain.py): who plays, and which of its markets is the match winner."""

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from scrapers.odds import MarketKey, Offered, Outcome

EARLY_PAYOUT = {"2Up", "2Up3wayPricing"}
EARLY_PAYOUT_NAME = re.compile(r"\bVP\b")  # "Resultado da Partida - VP (+2)"
# Of markets without parameters; exact, since "Resultado da Partida e ..." is another market.
MARKET_NAMES = {
    "football": {"resultado da partida", "resultado final"},
    "basketball": {"vencedor", "vencedor da partida", "moneyline"},
}
AWAY_FIRST = re.compile(r" (at|@) ")
TEAM_TYPES = {"", "Team", "Competitor"}  # the other participants are players
OPEN = {None, "Visible"}


class Text(msgspec.Struct):
    value: str = ""


class Named(msgspec.Struct):
    id: int | str | None = None
    name: Text | None = None

    @property
    def text(self) -> str:
        return self.name.value if self.name else ""


class Properties(msgspec.Struct):
    type: str | None = None


class Participant(Named):
    properties: Properties | None = None

    @property
    def type(self) -> str:
        return (self.properties and self.properties.type) or ""


class Parameter(msgspec.Struct):
    key: str
    value: str | float | bool | None = None


class OptionParameters(msgspec.Struct, rename="camel"):
    option_types: list[str] | None = None
    fixture_participant: int | str | None = None


class Price(msgspec.Struct):
    odds: float | str | None = None


class Option(Named, rename="camel"):
    """An outcome: with `status` and `price` in V2, `visibility` and `odds` in V1."""

    source_name: Text | None = None
    status: str | None = None
    visibility: str | None = None
    price: Price | None = None
    odds: float | str | None = None
    parameters: OptionParameters | None = None


class Market(Named):
    status: str | None = None
    visibility: str | None = None
    parameters: list[Parameter] | None = None
    options: list[Option] | None = None  # V2
    results: list[Option] | None = None  # V1


class Scoreboard(msgspec.Struct):
    started: bool | None = None


class Fixture(Named, rename="camel"):
    start_date: str | None = None
    stage: str | None = None
    sport: Named | None = None
    competition: Named | None = None
    participants: list[Participant] | None = None
    option_markets: list[Market] | None = None  # V2
    games: list[Market] | None = None  # V1
    is_open_for_betting: bool | None = None
    is_virtual: bool | None = None
    scoreboard: Scoreboard | None = None


class Teams(NamedTuple):
    home: Participant
    away: Participant
    away_first: bool  # the order in which they are listed, which is what outcomes "1" and "2" mean


def find_teams(fixture: Fixture) -> Teams | None:
    """V2 types its teams. V1 does not: the order counts, and American sports are listed "Away at Home"."""
    listed = fixture.participants or []
    typed = {team.type: position for position, team in enumerate(listed)}
    if "HomeTeam" in typed and "AwayTeam" in typed:
        home, away = typed["HomeTeam"], typed["AwayTeam"]
        return Teams(listed[home], listed[away], away_first=away < home)
    untyped = [team for team in listed if team.type in TEAM_TYPES]
    if len(untyped) != 2:
        return None
    if AWAY_FIRST.search(fixture.text):
        return Teams(untyped[1], untyped[0], away_first=True)
    return Teams(untyped[0], untyped[1], away_first=False)


def find_winner_markets(fixture: Fixture, sports: Iterable[str]) -> tuple[str, dict[MarketKey, Market]]:
    """The first match winner of each kind, in the first of `sports` that has one."""
    for sport in sports:
        found: dict[MarketKey, Market] = {}
        for market in (*(fixture.option_markets or ()), *(fixture.games or ())):
            if key := identify(market, sport):
                found.setdefault(key, market)
        if found:
            return sport, found
    return "", {}


def identify(market: Market, sport: str) -> MarketKey | None:
    facts = {parameter.key: parameter.value for parameter in market.parameters or () if parameter.value}
    name = fold(market.text)
    if not facts:
        return "h2h" if name in MARKET_NAMES[sport] else None
    variant = facts.get("MarketSubType")
    if sport == "basketball":
        plain = facts.get("MarketType") == "2way" and facts.get("Happening", "Point") == "Point" and variant is None
        return "h2h" if plain and (facts.get("Period") == "FullTime" or name == "vencedor") else None
    if facts.get("MarketType") != "3way" or facts.get("Period") != "RegularTime" or "RangeValue" in facts:
        return None
    if facts.get("Happening", "Goal") != "Goal":  # corners and cards have a 3way too
        return None
    if variant in EARLY_PAYOUT or (variant is None and EARLY_PAYOUT_NAME.search(market.text)):
        return "h2h_2up"
    return "h2h" if variant is None else None  # other variants are promotions


def prices(market: Market, teams: Teams) -> Offered:
    if market.status not in OPEN or market.visibility not in OPEN:
        return {}
    offered: dict[Outcome, object] = {}
    for option in (*(market.options or ()), *(market.results or ())):
        outcome = side(option, teams)
        if outcome and option.status in OPEN and option.visibility in OPEN:
            offered[outcome] = decimal(option.price.odds if option.price else option.odds)
    return offered


def side(option: Option, teams: Teams) -> Outcome | None:
    parameters = option.parameters or OptionParameters()
    name = fold(option.text)
    if "Draw" in (parameters.option_types or ()) or name in ("x", "empate"):
        return "draw"
    participant = parameters.fixture_participant
    if participant is not None and participant in (teams.home.id, teams.away.id):
        return "home" if participant == teams.home.id else "away"
    if name and name in (fold(teams.home.text), fold(teams.away.text)):
        return "home" if name == fold(teams.home.text) else "away"
    listed = option.source_name.value if option.source_name else ""
    if listed in ("1", "2"):
        return "home" if (listed == "1") != teams.away_first else "away"
    return None


def decimal(value: float | str | None) -> float | None:
    try:
        return float(value.replace(",", ".")) if isinstance(value, str) else value
    except ValueError:
        return None


def fold(text: str) -> str:
    """Lower case without accents, for comparing what the site itself writes twice."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(char for char in letters if not unicodedata.combining(char)).split())
