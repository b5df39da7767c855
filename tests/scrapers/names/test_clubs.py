import csv
import tracemalloc
from importlib import resources

import pytest

from scrapers import leagues
from scrapers.names import clubs
from scrapers.names.fold import fold
from scrapers.names.index import Index
from scrapers.names.match import Candidate, Seen, Team
from simulator.teams import LEAGUE_TEAMS, SPELLINGS
from tests.scrapers.names import FAIR, KICKOFF, PRICES

TABLE = list(csv.DictReader((resources.files("scrapers.names") / "data/aliases.csv").read_text("utf-8").splitlines()))


def test_every_line_is_whole_and_there_once() -> None:
    lines = [(row["sport"], row["country"], row["canonical"], row["alias"]) for row in TABLE]
    assert all(field and field == field.strip() for line in lines for field in line)
    assert len(set(lines)) == len(lines)
    assert {row["sport"] for row in TABLE} == {"football", "basketball"}


def test_all_nba_teams() -> None:
    assert len({row["canonical"] for row in TABLE if row["sport"] == "basketball"}) == 30


@pytest.mark.parametrize("league", [league for league in leagues.LEAGUES if league.country not in {"INT", "GB"}])
def test_every_league_has_clubs(league: leagues.League) -> None:
    able = [
        club for club in clubs.known().clubs if club.sport == league.sport and clubs.may_play(club.country, league.key)
    ]
    assert len(able) >= 18


@pytest.mark.parametrize(
    ("one", "other"),
    [("CAM", "Atlético-MG"), ("CAP", "Athletico Paranaense"), ("RB Bragantino", "Bragantino"), ("PSG", "Paris SG")],
)
def test_one_club_of_many_names(one: str, other: str) -> None:
    found = clubs.known().named("football", fold(one))
    assert len(found) == 1
    assert found == clubs.known().named("football", fold(other))


def test_what_names_several_clubs_is_not_certain() -> None:
    certain = [alias for _, aliases in clubs.known().certain() for alias in aliases]
    assert not {"atletico", "america", "botafogo", "inter", "guarani", "vitoria", "nacional"} & set(certain)


@pytest.mark.parametrize(
    ("sport", "league", "name", "expected"),
    [
        ("football", "soccer_brazil_campeonato", "CR Flamengo", "Flamengo"),
        ("football", "soccer_brazil_campeonato", "EC Vitória", "Vitória"),
        ("football", "soccer_brazil_campeonato", "Botafogo FR", "Botafogo RJ"),
        ("football", "soccer_spain_la_liga", "Athletic Club", "Athletic Bilbao"),
        ("football", "soccer_brazil_serie_b", "Athletic Club", "Athletic Club"),
        ("basketball", "basketball_nba", "BOS Celtics", "Boston Celtics"),
        # It could be another: as the book writes it.
        ("football", "soccer_brazil_campeonato", "Gremio", "Grêmio"),
        ("football", "soccer_brazil_campeonato", "Inter", "Inter"),
        ("football", "soccer_brazil_campeonato", "Botafogo", "Botafogo"),
        ("football", "soccer_brazil_campeonato", "Atlético", "Atlético"),
        ("football", "soccer_brazil_serie_b", "Operário", "Operário"),
        ("football", "soccer_brazil_campeonato", "Flamengo (F)", "Flamengo (F)"),
        ("football", "soccer_brazil_campeonato", "Flamengo U20", "Flamengo U20"),
        ("football", "soccer_brazil_campeonato", "Flamengo (Kray)", "Flamengo (Kray)"),
        ("football", "soccer_conmebol_copa_libertadores", "Everton", "Everton"),
        ("basketball", "basketball_nba", "New York", "New York"),
        ("football", "soccer_epl", "Nobody Knows Rovers", "Nobody Knows Rovers"),
    ],
)
def test_one_name_for_every_sure_spelling(sport: str, league: str, name: str, expected: str) -> None:
    assert clubs.known().one_name(sport, name, league) == expected


@pytest.mark.parametrize("league", leagues.LEAGUES, ids=lambda league: league.key)
def test_the_one_name_means_one_club(league: leagues.League) -> None:
    """And stays the same when it is asked for again."""
    known = clubs.known()
    for club in known.clubs:
        if club.sport != league.sport or not clubs.may_play(club.country, league.key):
            continue
        for alias in club.aliases:
            name = known.one_name(club.sport, alias, league.key)
            assert name == alias or [known.clubs[n] for n in known.named(club.sport, fold(name), league.key)] == [club]
            assert known.one_name(club.sport, name, league.key) == name


def test_small_in_memory() -> None:
    tracemalloc.start()
    try:
        table = clubs.known.__wrapped__()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert table.clubs
    assert held < 2_000_000


@pytest.mark.parametrize("league", LEAGUE_TEAMS)
def test_every_spelling_of_the_simulator_finds_its_match(league: str) -> None:
    """Any book may come first and any other second, either way round: one match in the end, and never another."""
    sport = "basketball" if league == "basketball_nba" else "football"
    fair = FAIR if sport == "football" else {"home": 0.6, "away": 0.4}
    prices = PRICES if sport == "football" else {"home": 1.58, "away": 2.38}
    names = LEAGUE_TEAMS[league]
    pairs = list(zip(names[::2], names[1::2], strict=False))
    for turn in range(5):
        teams = [Team(number, SPELLINGS[name][turn % len(SPELLINGS[name])]) for number, name in enumerate(names)]
        matches = [
            Candidate(number, sport, league, home, away, KICKOFF, fair)
            for number, (home, away) in enumerate(zip(teams[::2], teams[1::2], strict=False))
        ]
        index = Index(matches)
        for number, (home, away) in enumerate(pairs):
            for one in SPELLINGS[home]:
                for other in SPELLINGS[away]:
                    verdict = index.place(Seen("book", "1", sport, league, one, other, KICKOFF, prices))
                    assert (verdict.kind, verdict.match_id, verdict.swapped) == ("same", number, False), (one, other)
