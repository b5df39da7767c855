"""What must hold whatever the names."""

from hypothesis import given, settings
from hypothesis import strategies as st

from scrapers.names.clubs import Clubs, known
from scrapers.names.index import Index
from scrapers.names.match import Candidate, Seen, Team
from scrapers.names.prices import VETO, apart, fair, swapped
from scrapers.names.vetoes import read, veto
from scrapers.names.words import word_set
from tests.scrapers.names import KICKOFF, LEAGUE

WORDS = sorted(
    word_set(
        """Atlético América Botafogo Inter Internacional Guarani Sport Sporting Vitória Nacional Real City United Foo
        Bar Qux Flamengo Santos Manchester Lakers Clippers Limeira Recife"""
    )
)
TAILS = [
    "",
    "-MG",
    "-GO",
    " RJ",
    " SP",
    " SC",
    " (F)",
    " U20",
    " B",
    " (PAR)",
    " BR",
    " Esports",
    " (JKey)",
    " FC",
    " Clube",
]
NAMES = st.builds(
    lambda words, tail: " ".join(words) + tail,
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=2, unique=True),
    st.sampled_from(TAILS),
)
CHANCES = st.tuples(*[st.floats(0.05, 1.0)] * 3).map(
    lambda parts: dict(zip(("home", "draw", "away"), (part / sum(parts) for part in parts), strict=True))
)
KNOWN = st.sampled_from([known(), Clubs()])


@st.composite
def leagues(draw: st.DrawFn) -> list[Candidate]:
    names = draw(st.lists(NAMES, min_size=2, max_size=10, unique=True))
    teams = [Team(number, name) for number, name in enumerate(names)]
    return [
        Candidate(number, "football", LEAGUE, home, away, KICKOFF, draw(st.none() | CHANCES))
        for number, (home, away) in enumerate(zip(teams[::2], teams[1::2], strict=False))
    ]


@st.composite
def fixtures(draw: st.DrawFn) -> Seen:
    home, away = draw(st.lists(NAMES, min_size=2, max_size=2, unique=True))
    chances = draw(st.none() | CHANCES)
    prices = {outcome: 1 / (chance * 1.03) + 0.04 for outcome, chance in chances.items()} if chances else None
    return Seen("book", "1", "football", LEAGUE, home, away, KICKOFF, prices)


def turn(fixture: Seen) -> Seen:
    prices = swapped(fixture.prices) if fixture.prices else None
    return Seen("book", "1", "football", LEAGUE, fixture.away, fixture.home, KICKOFF, prices)


@settings(max_examples=300, deadline=None)
@given(leagues(), fixtures(), KNOWN)
def test_never_the_same_against_a_veto(matches: list[Candidate], fixture: Seen, clubs: Clubs) -> None:
    verdict = Index(matches, clubs=clubs).place(fixture)
    if verdict.kind != "same" or verdict.match_id is None:
        return
    match = matches[verdict.match_id]
    ours = (match.away, match.home) if verdict.swapped else (match.home, match.away)
    for theirs, team in zip((fixture.home, fixture.away), ours, strict=True):
        one, other = read(theirs), read(team.name)
        assert one.marks == other.marks
        assert one.tag == other.tag
        refused = veto(one, other)
        by_heart = set(clubs.named("football", one.folded)) & set(clubs.named("football", other.folded))
        assert refused is None or one.folded == other.folded or by_heart


@settings(max_examples=300, deadline=None)
@given(leagues(), fixtures(), KNOWN)
def test_the_other_way_round_is_the_same_answer(matches: list[Candidate], fixture: Seen, clubs: Clubs) -> None:
    index = Index(matches, clubs=clubs)
    straight, other = index.place(fixture), index.place(turn(fixture))
    assert straight.kind == other.kind
    if straight.kind == "same":
        assert (straight.match_id, straight.swapped, straight.score) == (other.match_id, not other.swapped, other.score)


@settings(deadline=None)
@given(leagues(), fixtures(), KNOWN)
def test_the_same_question_has_one_answer(matches: list[Candidate], fixture: Seen, clubs: Clubs) -> None:
    first = Index(matches, clubs=clubs).place(fixture)
    assert Index(list(reversed(matches)), clubs=clubs).place(fixture) == first
    index = Index(matches, clubs=clubs)
    index.place(turn(fixture))
    assert index.place(fixture) == first


@settings(max_examples=300, deadline=None)
@given(leagues(), fixtures(), KNOWN)
def test_a_stranger_changes_no_match(matches: list[Candidate], fixture: Seen, clubs: Clubs) -> None:
    before = Index(matches, clubs=clubs).place(fixture)
    stranger = Candidate(99, "football", LEAGUE, Team(98, "Zzyzx Wolverton"), Team(99, "Kjøpsvik"), KICKOFF)
    after = Index([*matches, stranger], clubs=clubs).place(fixture)
    assert (after.kind, after.match_id, after.swapped) == (before.kind, before.match_id, before.swapped)


@settings(max_examples=300, deadline=None)
@given(leagues(), fixtures(), KNOWN)
def test_prices_far_apart_are_never_the_same(matches: list[Candidate], fixture: Seen, clubs: Clubs) -> None:
    verdict = Index(matches, clubs=clubs).place(fixture)
    if verdict.kind == "same" and verdict.match_id is not None and fixture.prices:
        chances = fair(fixture.prices)
        assert chances
        distance = apart(swapped(chances) if verdict.swapped else chances, matches[verdict.match_id].fair)
        assert distance is None or distance <= VETO


@given(CHANCES, st.floats(1.0, 1.15))
def test_the_margin_goes(chances: dict[str, float], margin: float) -> None:
    prices = {outcome: 1 / (chance * margin) for outcome, chance in chances.items()}
    if all(price > 1 for price in prices.values()):
        distance = apart(fair(prices), chances)
        assert distance is not None
        assert distance < 1e-9
    assert fair({**prices, "home": 0.0}) is None
