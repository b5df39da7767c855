"""Who plays whom and when: a week of matches per league that repeats with other pairs, for ever.

Everything follows from the seed and the date, so that a restart of the simulator changes nothing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from scrapers.leagues import LEAGUES
from scrapers.odds import Sport
from simulator.chance import chance
from simulator.teams import LEAGUE_TEAMS

FIRST_WEEK = datetime(2024, 1, 1, tzinfo=UTC)  # a Monday
WEEK = timedelta(weeks=1)
NUMBERS_PER_WEEK = 128
DAYS_AHEAD = 7  # whole days, so that the list only loses matches within a day and gains a day's matches at midnight
SPORTS = {league.key: Sport(league.sport) for league in LEAGUES}
LASTS = {Sport.FOOTBALL: timedelta(minutes=115), Sport.BASKETBALL: timedelta(minutes=150)}

MON, TUE, WED, THU, FRI, SAT, SUN = range(7)

# Kick-offs as (weekday, hour UTC); 24.5 is half past midnight. No club plays twice on a day: leagues and cups that
# share clubs have days of their own.
KICK_OFFS: Mapping[str, tuple[tuple[int, float], ...]] = {
    "soccer_brazil_campeonato": (
        *((SAT, 19), (SAT, 19), (SAT, 21.5), (SAT, 24), (SUN, 14), (SUN, 19), (SUN, 19), (SUN, 19)),
        *((SUN, 21.5), (MON, 23)),
    ),
    "soccer_brazil_serie_b": (
        *((FRI, 22), (FRI, 24.5), (SAT, 19), (SAT, 19), (SAT, 21.5), (SUN, 19), (SUN, 21.5), (MON, 22)),
    ),
    "soccer_brazil_copa_do_brasil": ((THU, 22), (THU, 22), (THU, 22), (THU, 24.5), (THU, 24.5), (THU, 24.5)),
    "soccer_brazil_paulista": ((TUE, 22), (WED, 22), (WED, 24.5)),
    "soccer_conmebol_copa_libertadores": ((TUE, 22), (TUE, 24.5), (TUE, 24.5), (WED, 22), (WED, 22), (WED, 24.5)),
    "soccer_epl": (
        *((FRI, 20), (SAT, 12.5), (SAT, 15), (SAT, 15), (SAT, 15), (SAT, 15), (SAT, 17.5), (SUN, 14)),
        *((SUN, 16.5), (MON, 20)),
    ),
    "soccer_spain_la_liga": (
        *((FRI, 19), (SAT, 12), (SAT, 14.25), (SAT, 16.5), (SAT, 19), (SUN, 12), (SUN, 14.25), (SUN, 16.5)),
        *((SUN, 19), (MON, 19)),
    ),
    "soccer_uefa_champs_league": ((TUE, 17.75), (TUE, 20), (TUE, 20), (WED, 17.75), (WED, 20), (WED, 20)),
    "soccer_uefa_europa_league": ((THU, 17.75), (THU, 20), (THU, 20)),
    "basketball_nba": (
        *((MON, 24), (TUE, 24.5), (WED, 24), (WED, 26.5), (THU, 25), (FRI, 24), (FRI, 24), (SAT, 23.5)),
        *((SAT, 25.5), (SUN, 20.5)),
    ),
}


@dataclass(frozen=True, slots=True)
class Fixture:
    number: int
    sport: Sport
    league: str
    home: str  # canonical names
    away: str
    starts_at: datetime

    @property
    def ends_at(self) -> datetime:
        return self.starts_at + LASTS[self.sport]


def fixtures(seed: int, now: datetime) -> list[Fixture]:
    """The matches being played at `now` and those to come, by kick-off."""
    horizon = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=DAYS_AHEAD)
    this_week = (now - FIRST_WEEK) // WEEK
    # A match of Sunday night may still be on when the next week has begun.
    candidates = (fixture for week in range(this_week - 1, this_week + 2) for fixture in week_of(seed, week))
    shown = [fixture for fixture in candidates if fixture.ends_at > now and fixture.starts_at < horizon]
    return sorted(shown, key=lambda fixture: (fixture.starts_at, fixture.number))


@lru_cache(maxsize=8)
def week_of(seed: int, week: int) -> tuple[Fixture, ...]:
    monday = FIRST_WEEK + week * WEEK
    return tuple(
        Fixture(
            number=week * NUMBERS_PER_WEEK + slot,
            sport=SPORTS[league],
            league=league,
            home=home,
            away=away,
            starts_at=monday + timedelta(days=day, hours=hour),
        )
        for slot, (league, home, away, (day, hour)) in enumerate(_week_pairs(seed, week))
    )


def _week_pairs(seed: int, week: int) -> Iterator[tuple[str, str, str, tuple[int, float]]]:
    for league, teams in LEAGUE_TEAMS.items():
        drawn = sorted(teams, key=lambda team: chance(seed, "draw", week, league, team))
        for home, away, kick_off in zip(drawn[::2], drawn[1::2], KICK_OFFS[league], strict=True):
            yield league, home, away, kick_off
