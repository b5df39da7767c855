"""The simulated world: the same for ever, within its stated ranges, and worth scraping."""

from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapers import leagues
from scrapers.odds import OUTCOMES, Sport
from simulator import model, prices
from simulator.model import World, is_open
from simulator.schedule import fixtures
from simulator.teams import LEAGUE_TEAMS, SPELLINGS
from tests.simulator.worlds import NOW, SATURDAY, book, few, instants, names

FLEET = [book(f"book{number}") for number in range(17)]
FLEET += [book("exchange1", kind="exchange", commission=0.028), book("exchange2", kind="exchange", commission=0.028)]


@few
@given(instants, names)
def test_prices_are_within_the_books_margin(now: datetime, name: str) -> None:
    margin = prices.style(1, name, "book").margin
    assert prices.MARGIN[0] <= margin <= prices.MARGIN[1]
    for line in model.board(book(name), now).lines:
        assert set(line.markets["h2h"]) == set(OUTCOMES[line.sport])
        assert all(1.0 < price < 100 for market in line.markets.values() for price in market.values())
        overround = sum(1 / price for price in line.markets["h2h"].values()) - 1
        assert overround == pytest.approx(margin, abs=prices.ROUNDING)


@few
@given(instants, st.floats(-3, 3))
def test_probabilities_sum_to_one(now: datetime, shift: float) -> None:
    for fixture in fixtures(1, now):
        chances = prices.truth(1, fixture, now.timestamp(), shift)
        assert sum(chances.values()) == pytest.approx(1)
        assert all(0.01 < chance < 0.95 for chance in chances.values())


@few
@given(instants, st.floats(-3, 3))
def test_a_shifted_price_is_still_a_price(now: datetime, shift: float) -> None:
    shifts = {fixture.number: shift for fixture in fixtures(1, now)}
    for line in model.board(book(), now, World(shifts=shifts)).lines:
        assert all(price > 1 for market in line.markets.values() for price in market.values())


@few
@given(instants, names)
def test_the_same_instant_gives_the_same_board(now: datetime, name: str) -> None:
    assert model.board(book(name), now) == model.board(book(name), now)


@few
@given(instants, names, st.integers(1, 5))
def test_ids_are_unique_and_stay(now: datetime, name: str, seed: int) -> None:
    world = World(seed=seed)
    before = {line.fixture: line for line in model.board(book(name), now, world).lines}
    after = {line.fixture: line for line in model.board(book(name), now + timedelta(hours=5), world).lines}
    assert len({line.event_id for line in before.values()}) == len(before)
    for fixture in before.keys() & after.keys():
        one, other = before[fixture], after[fixture]
        same = ("event_id", "home", "away", "league", "starts_at", "swapped")
        assert [getattr(one, name) for name in same] == [getattr(other, name) for name in same]


@few
@given(instants)
def test_within_a_day_matches_only_end(now: datetime) -> None:
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    seen = [fixtures(1, midnight + timedelta(hours=hour)) for hour in range(24)]
    for earlier, later in pairwise(seen):
        assert set(later) <= set(earlier)
        assert all(fixture.ends_at <= midnight + timedelta(hours=24) for fixture in set(earlier) - set(later))


@few
@given(instants)
def test_there_is_always_enough_to_bet_on(now: datetime) -> None:
    coming = [fixture for fixture in fixtures(1, now) if fixture.starts_at > now]
    sports = Counter(fixture.sport for fixture in coming)
    assert 40 <= sports[Sport.FOOTBALL] <= 65
    assert 6 <= sports[Sport.BASKETBALL] <= 10


@few
@given(instants)
def test_no_club_plays_twice_on_a_day(now: datetime) -> None:
    # A day of football ends late: a match after midnight belongs to the evening before.
    days = Counter(
        (team, (fixture.starts_at - timedelta(hours=6)).date())
        for fixture in fixtures(1, now)
        for team in (fixture.home, fixture.away)
    )
    assert max(days.values()) == 1


def test_leagues_and_spellings_are_known() -> None:
    assert all(leagues.get(league) for league in LEAGUE_TEAMS)
    assert all(team in SPELLINGS for teams in LEAGUE_TEAMS.values() for team in teams)
    written = Counter(name for spellings in SPELLINGS.values() for name in spellings)
    assert [name for name, clubs in written.items() if clubs > 1] == []


def test_books_spell_and_price_differently() -> None:
    boards = [model.board(each, NOW) for each in FLEET]
    by_fixture: dict[int, set[tuple[str, str]]] = {}
    for board in boards:
        for line in board.lines:
            by_fixture.setdefault(line.fixture, set()).add((line.home, line.away))
    assert sum(len(spellings) > 2 for spellings in by_fixture.values()) > len(by_fixture) / 2
    assert len({prices.style(1, each.book_key, each.kind) for each in FLEET}) == len(FLEET)


def test_prices_move_within_a_minute_or_two_but_not_all_at_once() -> None:
    before, soon, later = (model.board(book(), NOW + timedelta(seconds=after)) for after in (0, 10, 120))
    moved_soon = sum(one.markets != two.markets for one, two in zip(before.lines, soon.lines, strict=True))
    moved_later = sum(one.markets != two.markets for one, two in zip(before.lines, later.lines, strict=True))
    assert 0 < moved_soon < len(before.lines) / 2
    assert moved_later > len(before.lines) / 2


def test_surebets_come_and_go() -> None:
    counts = [surebets(NOW + timedelta(minutes=55 * step)) for step in range(10)]
    assert 0.5 <= sum(counts) / len(counts) <= 6
    assert len(set(counts)) > 1


def surebets(now: datetime) -> int:
    best: dict[int, dict[str, float]] = {}
    for each in FLEET:
        for line in filter(is_open, model.board(each, now).lines):
            for outcome, price in line.markets["h2h"].items():
                offers = best.setdefault(line.fixture, {})
                offers[outcome] = max(offers.get(outcome, 1.0), 1 + (price - 1) * (1 - each.commission))
    return sum(sum(1 / price for price in offers.values()) < 1 for offers in best.values())


def test_a_book_has_most_matches_and_a_few_are_closed() -> None:
    lines = [line for each in FLEET for line in model.board(each, SATURDAY).lines]
    assert len(FLEET) * len(fixtures(1, SATURDAY)) * 0.8 < len(lines)
    assert 0 < sum(line.suspended for line in lines) < len(lines) * 0.1
    assert 0 < sum(line.live for line in lines) < len(lines) * 0.2


def test_a_book_shows_its_sports_only() -> None:
    board = model.board(book(sports=("basketball",)), NOW)
    assert {line.sport for line in board.lines} == {Sport.BASKETBALL}


def test_two_scrapers_of_one_book_see_the_same() -> None:
    nba = model.board(book("br4bet_nba", book="br4bet", sports=("basketball",)), NOW).lines
    whole = model.board(book("br4bet"), NOW).lines
    assert nba == tuple(line for line in whole if line.sport is Sport.BASKETBALL)


def test_early_payout_pays_less_on_both_sides() -> None:
    priced = [line.markets for line in model.board(book(), NOW).lines if "h2h_2up" in line.markets]
    assert priced
    for markets in priced:
        plain, early = markets["h2h"], markets["h2h_2up"]
        assert early["home"] <= plain["home"]
        assert early["draw"] == plain["draw"]
        assert early["away"] <= plain["away"]
    assert all("h2h_2up" not in line.markets for line in model.board(book(platform="superbet"), NOW).lines)


def test_a_shift_shows_at_once_on_every_book_and_nowhere_else() -> None:
    number = next(fixture.number for fixture in fixtures(1, NOW) if fixture.sport is Sport.FOOTBALL)
    for each in FLEET:
        plain = {line.fixture: line.markets["h2h"] for line in model.board(each, NOW).lines}
        moved = {
            line.fixture: line.markets["h2h"] for line in model.board(each, NOW, World(shifts={number: 0.8})).lines
        }
        assert {fixture for fixture in plain if plain[fixture] != moved[fixture]} == {number} & plain.keys()
        if number in plain:
            assert moved[number]["home"] < plain[number]["home"]


def test_answer_key_names_every_line() -> None:
    superbet = book("superbet", platform="superbet")
    key = model.answers([superbet], NOW)
    lines = {str(line.event_id): line for line in model.board(superbet, NOW).lines}
    assert key.books["superbet"].keys() == lines.keys()
    for event_id, entry in key.books["superbet"].items():
        line = lines[event_id]
        assert line.home in SPELLINGS[entry.home]
        assert line.away in SPELLINGS[entry.away]
        assert (entry.league, entry.starts_at, entry.swapped) == (line.league, line.starts_at, line.swapped)
        assert entry.fixture in key.probabilities
    assert any(line.swapped for line in lines.values())
