"""The order of judgement: alias, spelling, fixture; kick-offs, prices, and what is learned."""

from datetime import timedelta

import pytest

from scrapers.names.alike import likeness
from scrapers.names.clubs import Clubs
from scrapers.names.fold import fold
from scrapers.names.index import Index
from scrapers.names.match import Alias, Candidate, Team, place
from scrapers.names.vetoes import read
from tests.scrapers.names import FAIR, KICKOFF, LEAGUE, PRICES, candidate, seen, team, turned

NO_CLUBS = Clubs()
FAR_PRICES = turned(PRICES)


def test_nothing_open_is_new() -> None:
    assert place(seen("Foo", "Bar"), []).kind == "new"
    assert place(seen("Foo", "Bar"), [candidate(1, "Foo", "Bar", league="another")]).kind == "new"
    assert place(seen("Foo", "Bar"), [candidate(1, "Foo", "Bar", sport="basketball")]).kind == "new"


def test_nothing_alike_is_new() -> None:
    verdict = place(seen("Foo", "Bar"), [candidate(1, "Qux", "Zzyzx")])
    assert (verdict.kind, verdict.match_id) == ("new", None)


@pytest.mark.parametrize("swapped", [False, True])
def test_a_held_spelling(swapped: bool) -> None:
    names = ("BAR", "foo.") if swapped else ("foo.", "BAR")
    verdict = place(seen(*names), [candidate(1, "Foo", "Bar")])
    assert (verdict.kind, verdict.match_id, verdict.swapped, verdict.learn) == ("same", 1, swapped, ())


def test_the_books_alias_goes_before_that_of_all() -> None:
    matches = [candidate(1, "Foo", "Bar"), candidate(2, "Qux", "Bar")]
    aliases = [Alias("football", "x", team("Foo").id), Alias("football", "x", team("Qux").id, book="odd")]
    index = Index(matches, aliases=aliases, clubs=NO_CLUBS)
    assert index.place(seen("X", "Bar")).match_id == 1
    assert index.place(seen("X", "Bar", book="odd")).match_id == 2


def test_a_team_of_two_ids_is_told_by_its_opponent() -> None:
    other = Team(7, "Nacional")
    matches = [candidate(1, "Nacional", "Foo"), Candidate(2, "football", LEAGUE, other, team("Bar"), KICKOFF)]
    index = Index(matches, clubs=NO_CLUBS)
    assert index.place(seen("Nacional", "Bar")).match_id == 2
    assert index.place(seen("Nacional", "Foo")).match_id == 1


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (("EC Bahia", "Foo"), ("Bahia", "FC Foo")),
        (("Libertad Asunción", "Foo"), ("Libertad Asuncion PAR", "Foo")),
        (("Leicester City", "Foo"), ("Leicester", "Foo")),
        (("Ferencvárosi TC", "Foo"), ("Ferencvaros", "Foo")),
        (("RKS Rakow Czestochowa", "Foo"), ("RakowCzestoch.", "Foo")),
    ],
)
def test_names_alone_suffice(ours: tuple[str, str], theirs: tuple[str, str]) -> None:
    verdict = Index([candidate(1, *ours)], clubs=NO_CLUBS).place(seen(*theirs))
    assert verdict.kind == "same", verdict


def test_parts_of_both_names_need_prices() -> None:
    ours = candidate(1, "Karpaty Lviv", "Vegalta Sendai", fair=FAIR)
    index = Index([ours], clubs=NO_CLUBS)
    assert index.place(seen("Lviv", "Sendai")).kind == "unsure"
    assert index.place(seen("Lviv", "Sendai", prices=PRICES)).kind == "same"
    assert index.place(seen("Sendai", "Lviv", prices=turned(PRICES))).swapped


def test_where_a_name_begins_the_same_on_both_sides_prices_need_not_agree_so_well() -> None:
    """Towns at the end of names are worth less: many clubs are of one town."""
    a_little_apart = {"home": 1.76, "draw": 3.6, "away": 4.9}  # by some four points
    for asked, kind in ((("Karpaty", "Vegalta"), "same"), (("Karpaty", "Sendai"), "unsure")):
        ours = Index([candidate(1, "Karpaty Lviv", "Vegalta Sendai", fair=FAIR)], clubs=NO_CLUBS)
        assert ours.place(seen(*asked, prices=PRICES)).kind == "same"
        assert ours.place(seen(*asked, prices=a_little_apart)).kind == kind


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("MC Alger", "Mouloudia Club d'Alger"),
        ("SCU Torreense", "SC União Torreense"),
        ("Milton Keynes Dons", "MK Dons"),
        ("Uni. Española", "Unión Española"),
    ],
)
def test_an_abbreviation_beside_the_rest_of_the_name(one: str, other: str) -> None:
    for ours, theirs in ((one, other), (other, one)):
        assert place(seen(theirs, "Foo"), [candidate(1, ours, "Foo")]).kind == "same"
        assert place(seen(theirs, "Foo"), [candidate(1, ours, "Qux")]).kind != "same"


def test_other_letters_abbreviate_something_else() -> None:
    assert likeness(read("MC Alger"), read("Mouloudia Club d'Alger")).kind == "initials"
    assert likeness(read("MC Alger"), read("Union Sportive Alger")).kind == "differs"


def test_who_names_the_country_knows_of_a_namesake() -> None:
    """Not as good as the name itself: the other side's half name needs the prices."""
    ours = Index([candidate(1, "Aurora FC", "Cercle Brugge", fair=FAIR)], clubs=NO_CLUBS)
    assert ours.place(seen("Aurora (GUA)", "Brugge")).kind == "unsure"
    assert ours.place(seen("Club Aurora", "Brugge")).kind == "same"


def test_half_a_name_is_not_taken_against_prices() -> None:
    index = Index([candidate(1, "Lyon", "Dinamo Bucharest", fair=FAIR)], clubs=NO_CLUBS)
    a_little_apart = {"home": 1.65, "draw": 3.9, "away": 5.4}
    assert index.place(seen("Lyon La Duchere", "Dinamo Bucharest")).kind == "same"
    assert index.place(seen("Lyon La Duchere", "Dinamo Bucharest", prices=PRICES)).kind == "same"
    assert index.place(seen("Lyon La Duchere", "Dinamo Bucharest", prices=a_little_apart)).kind == "unsure"


def test_a_year_in_a_name_may_be_another_club() -> None:
    nearly_agree = {"home": 1.78, "draw": 3.5, "away": 4.9}

    def asked(ours: str, theirs: str) -> str:
        index = Index([candidate(1, ours, "Karpaty Lviv", fair=FAIR)], clubs=NO_CLUBS)
        return index.place(seen(theirs, "Lviv", prices=nearly_agree)).kind

    assert asked("Schalke 04", "Schalke") == "same"
    assert asked("CSKA 1948 Sofia", "CSKA Sofia") == "unsure"
    assert asked("CSKA 1948 Sofia", "CSKA 1923 Sofia") == "new"


def test_a_first_letter_more_is_another_name() -> None:
    index = Index([candidate(1, "Rangers", "Karpaty Lviv", fair=FAIR)], clubs=NO_CLUBS)
    assert index.place(seen("Angers SCO", "Lviv", prices=PRICES)).kind != "same"
    assert index.place(seen("Rangrs", "Lviv", prices=PRICES)).kind == "same"


def test_a_known_opponent_and_prices_teach_a_new_name() -> None:
    index = Index([candidate(1, "KAA Gent", "Zilina", fair=FAIR)], clubs=NO_CLUBS)
    assert index.place(seen("La Buffalo", "Zilina")).kind == "unsure"
    verdict = index.place(seen("La Buffalo", "Zilina", prices=PRICES))
    assert verdict.kind == "same"
    assert [(lesson.alias, lesson.folded, lesson.team_id) for lesson in verdict.learn] == [
        ("La Buffalo", "la buffalo", team("KAA Gent").id)
    ]
    assert verdict.learn[0].confidence < 0.8


def test_the_name_of_another_team_teaches_nothing() -> None:
    aliases = [Alias("football", "la buffalo", 99)]
    index = Index([candidate(1, "KAA Gent", "Zilina", fair=FAIR)], aliases=aliases, clubs=NO_CLUBS)
    assert index.place(seen("La Buffalo", "Zilina", prices=PRICES)).kind == "unsure"


@pytest.mark.parametrize("names", [("Foo", "Bar"), ("FC Foo", "Bar")])
def test_prices_far_apart_forbid(names: tuple[str, str]) -> None:
    verdict = place(seen(*names, prices=FAR_PRICES), [candidate(1, "Foo", "Bar", fair=FAIR)])
    assert (verdict.kind, verdict.match_id) == ("unsure", 1)
    assert "prices" in verdict.reason


def test_a_moved_kick_off_moves_the_match() -> None:
    for hours in (-3, 2, 11):
        verdict = place(seen("Foo", "Bar", later=timedelta(hours=hours)), [candidate(1, "Foo", "Bar")])
        assert (verdict.kind, verdict.moved) == ("same", True)
    assert not place(seen("Foo", "Bar", later=timedelta(minutes=10)), [candidate(1, "Foo", "Bar")]).moved


def test_known_by_heart_moves_too() -> None:
    verdict = place(
        seen("Man Utd", "Spurs", later=timedelta(hours=2)), [candidate(1, "Manchester United", "Tottenham")]
    )
    assert (verdict.kind, verdict.moved) == ("same", True)


def test_the_return_leg_is_another_match() -> None:
    for days in (1, 7):
        assert place(seen("Bar", "Foo", later=timedelta(days=days)), [candidate(1, "Foo", "Bar")]).kind == "new"


def test_only_alike_at_another_kick_off_waits_for_a_person() -> None:
    verdict = Index([candidate(1, "Leicester City", "Forfar")], clubs=NO_CLUBS).place(
        seen("Leicester", "Forfar Athletic", later=timedelta(hours=2))
    )
    assert (verdict.kind, verdict.match_id) == ("unsure", 1)


def test_of_two_kick_offs_the_nearer() -> None:
    matches = [candidate(1, "Foo", "Bar"), candidate(2, "Foo", "Bar", later=timedelta(hours=8))]
    assert place(seen("Foo", "Bar", later=timedelta(hours=7)), matches).match_id == 2


def test_lessons_are_folded_as_they_will_be_looked_up() -> None:
    verdict = Index([candidate(1, "Ferencvárosi TC", "Foo")], clubs=NO_CLUBS).place(seen("Ferencváros", "Foo"))
    (lesson,) = verdict.learn
    assert lesson.folded == fold(lesson.alias) == "ferencvaros"
    aliases = [Alias("football", lesson.folded, lesson.team_id)]
    again = Index([candidate(1, "Ferencvárosi TC", "Foo")], aliases=aliases, clubs=NO_CLUBS)
    assert again.place(seen("Ferencváros", "Foo")).reason == "both names are held"
