"""Names that a careless matcher confuses: every line of the trap list, with and without the clubs known by heart."""

import pytest

from scrapers.names.clubs import Clubs, known
from scrapers.names.index import Index
from scrapers.names.match import Verdict
from tests.scrapers.names import FAIR, PRICES, candidate, seen, turned

# Two different teams, as sport, one, the other.
TRAPS = [
    ("football", "Atlético-MG", "Atlético-GO"),
    ("football", "Atlético-MG", "Athletico-PR"),
    ("football", "Atlético-GO", "Athletico-PR"),
    ("football", "Atlético Mineiro", "Atlético Goianiense"),
    ("football", "Atlético Mineiro", "Athletico Paranaense"),
    ("football", "Atlético-MG", "Athletic Club (MG)"),
    ("football", "Atlético-MG", "Athletic-MG"),
    ("football", "Athletico-PR", "Athletic Club"),
    ("football", "América-MG", "América-RN"),
    ("football", "América Mineiro", "América RN"),
    ("football", "Botafogo RJ", "Botafogo SP"),
    ("football", "Botafogo RJ", "Botafogo-PB"),
    ("football", "Botafogo-SP", "Botafogo PB"),
    ("football", "Internacional RS", "Inter de Limeira"),
    ("football", "Inter de Milão", "Inter de Limeira"),
    ("football", "Inter de Milão", "Internacional Porto Alegre"),
    ("football", "Sport Recife", "Sporting CP"),
    ("football", "Sport-PE", "Sporting"),
    ("football", "Sport", "Sporting"),
    ("football", "Vitória BA", "Vitória SC"),
    ("football", "Vitória-BA", "Vitória de Guimarães"),
    ("football", "Guarani BR", "Guarani PY"),
    ("football", "Guarani SP", "Guaraní (PAR)"),
    ("football", "Manchester City", "Manchester United"),
    ("football", "Man City", "Man Utd"),
    ("football", "Manchester United", "FC United of Manchester"),
    ("football", "Flamengo", "Flamengo (F)"),
    ("football", "Palmeiras", "Palmeiras Feminino"),
    ("football", "Flamengo", "Flamengo U20"),
    ("football", "Flamengo Sub-17", "Flamengo Sub-20"),
    ("football", "Grêmio", "Grêmio Aspirantes"),
    ("football", "Benfica", "Benfica B"),
    ("football", "Real Madrid", "Real Madrid II"),
    ("football", "Flamengo", "Flamengo (JKey)"),
    ("football", "Flamengo", "Flamengo Esports"),
    ("football", "Flamengo", "Flamengo (V)"),
    ("football", "Flamengo", "Flamengo SRL"),
    ("football", "Mac.Haifa", "Hapoel Haifa"),
    ("basketball", "Los Angeles Lakers", "Los Angeles Clippers"),
    ("basketball", "LA Lakers", "LA Clippers"),
    ("basketball", "Michigan", "Michigan State"),
    ("basketball", "Arkansas", "Kansas"),
]
# A bare name, and a club that it may or may not mean.
BARE = [
    ("Atlético", "Atlético-GO"),
    ("Atlético", "Athletico-PR"),
    ("América", "América-RN"),
    ("Botafogo", "Botafogo-SP"),
    ("Botafogo", "Botafogo PB"),
    ("Inter", "Inter de Limeira"),
    ("Inter", "Internacional"),
    ("Guarani", "Guarani (PAR)"),
    ("Vitória", "Vitória SC"),
    ("Sport", "Sport Lisboa"),
    ("Athletic", "Athletic Bilbao"),
    ("Nacional", "Nacional Asunción"),
]
OPPONENT = {"football": "Cruzeiro", "basketball": "Boston Celtics"}
ANOTHER = {"football": "Bahia", "basketball": "Miami Heat"}
BY_HEART = pytest.mark.parametrize("clubs", [known(), Clubs()], ids=["clubs known", "names alone"])
SIDES = pytest.mark.parametrize("swapped", [False, True], ids=["straight", "swapped"])
BOTH_WAYS = [*TRAPS, *((sport, other, one) for sport, one, other in TRAPS)]


def ask(
    sport: str, ours: list[tuple[str, str]], theirs: tuple[str, str], clubs: Clubs, *, priced: bool, swapped: bool
) -> Verdict:
    fair, prices = (FAIR, PRICES) if sport == "football" else ({"home": 0.6, "away": 0.4}, {"home": 1.58, "away": 2.38})
    matches = [candidate(number, *pair, sport=sport, fair=fair if priced else None) for number, pair in enumerate(ours)]
    home, away = reversed(theirs) if swapped else theirs
    shown = (turned(prices) if swapped else prices) if priced else None
    return Index(matches, clubs=clubs).place(seen(home, away, sport=sport, prices=shown))


@BY_HEART
@SIDES
@pytest.mark.parametrize("priced", [False, True], ids=["no prices", "prices agree"])
@pytest.mark.parametrize(("sport", "ours", "theirs"), BOTH_WAYS)
def test_never_the_other_when_the_right_one_is_absent(
    sport: str, ours: str, theirs: str, clubs: Clubs, priced: bool, swapped: bool
) -> None:
    verdict = ask(sport, [(ours, OPPONENT[sport])], (theirs, OPPONENT[sport]), clubs, priced=priced, swapped=swapped)
    assert verdict.kind != "same", verdict


@BY_HEART
@SIDES
@pytest.mark.parametrize(("sport", "one", "other"), BOTH_WAYS)
def test_the_right_one_when_both_play(sport: str, one: str, other: str, clubs: Clubs, swapped: bool) -> None:
    ours = [(one, OPPONENT[sport]), (other, ANOTHER[sport])]
    for number, theirs in enumerate(ours):
        verdict = ask(sport, ours, theirs, clubs, priced=False, swapped=swapped)
        assert (verdict.kind, verdict.match_id, verdict.swapped) == ("same", number, swapped)


@BY_HEART
@SIDES
@pytest.mark.parametrize(("sport", "one", "other"), TRAPS)
def test_the_two_can_meet(sport: str, one: str, other: str, clubs: Clubs, swapped: bool) -> None:
    verdict = ask(sport, [(one, other)], (one, other), clubs, priced=False, swapped=swapped)
    assert (verdict.kind, verdict.swapped) == ("same", swapped)


@BY_HEART
@SIDES
@pytest.mark.parametrize(("bare", "full"), [*BARE, *((full, bare) for bare, full in BARE)])
def test_a_bare_name_is_no_proof(bare: str, full: str, clubs: Clubs, swapped: bool) -> None:
    verdict = ask("football", [(full, "Cruzeiro")], (bare, "Cruzeiro"), clubs, priced=False, swapped=swapped)
    assert verdict.kind != "same", verdict


@SIDES
@pytest.mark.parametrize(
    ("bare", "full"),
    [
        ("Botafogo", "Botafogo-SP"),
        ("Guarani", "Guarani (PAR)"),
        ("Vitória", "Vitória SC"),
        ("River Plate", "River Plate (ARG)"),
    ],
)
def test_a_bare_name_is_believed_beside_a_known_opponent_at_the_same_prices(
    bare: str, full: str, swapped: bool
) -> None:
    for ours, theirs in ((full, bare), (bare, full)):
        verdict = ask("football", [(ours, "Cruzeiro")], (theirs, "Cruzeiro"), Clubs(), priced=True, swapped=swapped)
        assert (verdict.kind, verdict.reason) == ("same", "one name, and prices agree")


@pytest.mark.parametrize(("bare", "full"), BARE)
def test_a_bare_name_is_never_learned(bare: str, full: str) -> None:
    verdict = ask("football", [(full, "Cruzeiro")], (bare, "Cruzeiro"), known(), priced=True, swapped=False)
    assert bare not in [lesson.alias for lesson in verdict.learn]


@pytest.mark.parametrize(
    ("league", "theirs", "ours"),
    [
        ("soccer_brazil_campeonato", "Vitória", "EC Vitória BA"),
        ("soccer_portugal_primeira_liga", "Vitória SC", "Vitória de Guimarães"),
        ("soccer_spain_la_liga", "Athletic Club", "Athletic Bilbao"),
        ("soccer_brazil_serie_b", "Athletic Club", "Athletic-MG"),
        ("soccer_italy_serie_a", "Inter", "Internazionale"),
        ("soccer_epl", "Everton", "Everton FC"),
        ("soccer_brazil_campeonato", "Botafogo", "Botafogo FR RJ"),
        ("soccer_brazil_campeonato", "CAM", "Atl. Mineiro"),
        ("soccer_brazil_campeonato", "CAP", "Atlético Paranaense"),
        ("soccer_brazil_campeonato", "Bragantino", "RB Bragantino"),
        ("soccer_france_ligue_one", "PSG", "Paris St Germain"),
        ("soccer_epl", "Man Utd", "Manchester United"),
    ],
)
def test_the_league_tells_which(league: str, theirs: str, ours: str) -> None:
    verdict = Index([candidate(1, ours, "Zzyzx", league=league)]).place(seen(theirs, "Zzyzx", league=league))
    assert (verdict.kind, verdict.match_id) == ("same", 1)


def test_a_namesake_in_the_league_makes_the_bare_name_doubtful() -> None:
    league = "soccer_brazil_copa_do_brasil"
    matches = [
        candidate(1, "Botafogo RJ", "CSA", league=league, fair=FAIR),
        candidate(2, "Botafogo-PB", "Bahia", league=league, fair=FAIR),
    ]
    assert Index(matches).place(seen("Botafogo", "CSA AL", league=league)).kind == "unsure"
    verdict = Index(matches).place(seen("Botafogo", "CSA AL", league=league, prices=PRICES))
    assert (verdict.kind, verdict.match_id) == ("same", 1)
