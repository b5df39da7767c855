"""The leagues we collect: the one place where they are chosen.

Keys are those of the-odds-api where it has one, so that its users find their way. How a platform spells or numbers a
league is a fact of its wire format and stands in the platform's own file.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class League(NamedTuple):
    key: str
    sport: str
    title: str
    country: str


LEAGUES = (
    League("soccer_brazil_campeonato", "football", "Brasileirão Série A", "BR"),
    League("soccer_brazil_serie_b", "football", "Brasileirão Série B", "BR"),
    League("soccer_brazil_copa_do_brasil", "football", "Copa do Brasil", "BR"),
    League("soccer_brazil_paulista", "football", "Paulistão", "BR"),
    League("soccer_brazil_carioca", "football", "Carioca", "BR"),
    League("soccer_brazil_mineiro", "football", "Mineiro", "BR"),
    League("soccer_brazil_gaucho", "football", "Gaúcho", "BR"),
    League("soccer_conmebol_copa_libertadores", "football", "Copa Libertadores", "INT"),
    League("soccer_conmebol_copa_sudamericana", "football", "Copa Sudamericana", "INT"),
    League("soccer_epl", "football", "Premier League", "GB"),
    League("soccer_efl_champ", "football", "Championship", "GB"),
    League("soccer_fa_cup", "football", "FA Cup", "GB"),
    League("soccer_england_efl_cup", "football", "EFL Cup", "GB"),
    League("soccer_spain_la_liga", "football", "La Liga", "ES"),
    League("soccer_spain_copa_del_rey", "football", "Copa del Rey", "ES"),
    League("soccer_italy_serie_a", "football", "Serie A", "IT"),
    League("soccer_italy_coppa_italia", "football", "Coppa Italia", "IT"),
    League("soccer_germany_bundesliga", "football", "Bundesliga", "DE"),
    League("soccer_germany_dfb_pokal", "football", "DFB-Pokal", "DE"),
    League("soccer_france_ligue_one", "football", "Ligue 1", "FR"),
    League("soccer_netherlands_eredivisie", "football", "Eredivisie", "NL"),
    League("soccer_portugal_primeira_liga", "football", "Primeira Liga", "PT"),
    League("soccer_uefa_champs_league", "football", "UEFA Champions League", "INT"),
    League("soccer_uefa_europa_league", "football", "UEFA Europa League", "INT"),
    League("soccer_uefa_europa_conference_league", "football", "UEFA Conference League", "INT"),
    League("basketball_nba", "basketball", "NBA", "US"),
)

_BY_KEY: Mapping[str, League] = MappingProxyType({league.key: league for league in LEAGUES})


def get(key: str | None) -> League | None:
    return _BY_KEY.get(key) if key else None


def chosen(table: Mapping[str, str], sport: str) -> dict[str, str]:
    """A platform's table (its id to our key), cut to the leagues we collect in one sport."""
    return {theirs: ours for theirs, ours in table.items() if (league := get(ours)) and league.sport == sport}
