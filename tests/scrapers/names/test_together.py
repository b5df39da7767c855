"""A book shows a match as one event: what that tells about the others."""

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from scrapers.names.clubs import Clubs
from scrapers.names.index import Index
from scrapers.names.match import Candidate, Seen, Verdict
from scrapers.names.together import place_all
from tests.scrapers.names import FAIR, PRICES, candidate, seen, turned
from tests.scrapers.names.test_properties import fixtures, leagues

KARPATY = candidate(1, "Karpaty Lviv", "Forfar Rovers", fair=FAIR)
RUKH = candidate(2, "Rukh Lviv", "Forfar Wanderers", fair=FAIR)


def shown(*fixtures: tuple[str, str], prices: dict[str, float] | None = None) -> list[Seen]:
    return [
        structs.replace(seen(*names, prices=prices), external_id=str(number)) for number, names in enumerate(fixtures)
    ]


def ask(matches: list[Candidate], events: list[Seen], taken: tuple[int, ...] = ()) -> list[Verdict]:
    return list(place_all(Index(matches, clubs=Clubs()), events, taken).values())


def test_a_namesake_of_a_match_that_the_book_shows_is_another() -> None:
    events = shown(("Bala", "Lviv"), ("Bala Town", "Karpaty Lviv"), prices=PRICES)
    ours = candidate(1, "Bala Town", "Karpaty Lviv", fair=FAIR)
    alone, both = ask([ours], events[:1]), ask([ours], events)
    assert alone[0].kind == "same"
    assert [verdict.kind for verdict in both] == ["unsure", "same"]
    assert both[0].reason == "this book shows that match as another event"


def test_one_that_resembles_a_match_which_the_book_shows_is_no_new_match_unseen() -> None:
    """A match listed twice, once with half a name: a second row of ours would part its prices."""
    events = shown(("Karpaty Lviv", "Forfar Rovers"), ("Karpaty", "Forfar"))
    assert [verdict.kind for verdict in ask([KARPATY], events)] == ["same", "unsure"]
    assert ask([KARPATY], events[1:], taken=(1,))[0].match_id == 1, "the near one, for a person"


def test_a_match_of_which_it_showed_an_event_before_is_taken() -> None:
    events = shown(("Lviv", "Forfar"), prices=PRICES)
    assert ask([KARPATY], events)[0].kind == "same"
    assert ask([KARPATY], events, taken=(1,))[0].kind == "unsure"


def test_a_rival_that_the_book_shows_is_none() -> None:
    events = shown(("Lviv", "Forfar"), ("Rukh Lviv", "Forfar Wanderers"), prices=PRICES)
    assert ask([KARPATY, RUKH], events[:1])[0].kind == "unsure"
    assert [verdict.match_id for verdict in ask([KARPATY, RUKH], events)] == [1, 2]


def test_two_events_that_resemble_one_match_alike_wait_for_a_person() -> None:
    verdicts = ask([KARPATY], shown(("Lviv", "Forfar"), ("Forfar", "Lviv")))
    assert not [verdict for verdict in verdicts if verdict.kind == "same"]
    straight, turned_round = shown(("Lviv", "Forfar")), shown(("Forfar", "Lviv"))
    pair = [
        structs.replace(straight[0], prices=PRICES),
        structs.replace(turned_round[0], external_id="1", prices=turned(PRICES)),
    ]
    assert [verdict.kind for verdict in ask([KARPATY], pair)] == ["unsure", "unsure"]
    assert not any(verdict.learn for verdict in ask([KARPATY], pair))


def test_a_match_listed_twice_to_the_letter_is_one() -> None:
    events = shown(("Karpaty Lviv", "Forfar Rovers"), ("Karpaty Lviv", "Forfar Rovers"))
    assert [verdict.match_id for verdict in ask([KARPATY, RUKH], events)] == [1, 1]
    assert ask([KARPATY], events[:1], taken=(1,))[0].match_id == 1


@settings(max_examples=200, deadline=None)
@given(leagues(), st.lists(fixtures(), min_size=1, max_size=5))
def test_whatever_the_order_no_match_is_given_twice(matches: list[Candidate], asked: list[Seen]) -> None:
    events = [structs.replace(event, external_id=str(number)) for number, event in enumerate(asked)]
    index = Index(matches, clubs=Clubs())
    verdicts = place_all(index, events)
    assert place_all(index, list(reversed(events))) == verdicts
    assert place_all(index, events[:1])["0"] == index.place(events[0])
    for match in matches:
        given_to = [one for one in verdicts.values() if one.kind == "same" and one.match_id == match.match_id]
        assert len(given_to) < 2 or all(one.score == 100 for one in given_to)
