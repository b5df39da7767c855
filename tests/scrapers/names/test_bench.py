"""A small run of bench/names.py: what it claims about precision, without its clock."""

import pytest

from bench.data import bookmaker_teams, half
from bench.names import GOALS, Arena, known_events
from scrapers.names.fold import fold
from scrapers.names.index import Index
from scrapers.names.match import Seen


@pytest.mark.parametrize("sport", ["football", "basketball"])
def test_precise_on_spellings_never_seen(sport: str) -> None:
    arena = Arena(sport, half(bookmaker_teams(sport), "judge"), seed=11)
    present = arena.run(150, present=True, priced=True)
    assert not present.wrong
    assert present.accepted / present.trials > GOALS[sport] - 0.07
    assert not arena.run(150, present=False, priced=True).wrong
    assert not arena.run(100, present=True, priced=False).wrong


def test_what_is_asked_is_not_what_is_stored() -> None:
    arena = Arena("football", half(bookmaker_teams("football"), "judge"), seed=1)
    for name, spellings in arena.asked.items():
        stored = {fold(arena.teams[name].name), *arena.teams[name].aliases}
        assert not stored & {fold(spelling) for spelling in spellings}


def test_the_halves_share_no_team() -> None:
    teams = bookmaker_teams("basketball")
    judged, tuned = half(teams, "judge"), half(teams, "tune")
    assert not judged.keys() & tuned.keys()
    assert len(judged) + len(tuned) == len(teams)


def test_the_events_of_the_speed_run_are_all_known() -> None:
    matches, events = known_events()
    index = Index(matches)
    for event in events:
        verdict = index.place(
            Seen("book", event.external_id, "football", "soccer_fa_cup", event.home, event.away, event.starts_at)
        )
        assert verdict.reason == "both names are held"
