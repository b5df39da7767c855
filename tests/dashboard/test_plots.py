"""Plots: what is missing is a gap, what is empty is marked, and round numbers stand at the side."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.plots import HEIGHT, WIDTH, Course, bar, courses_plot, cycles_plot, sparkline, ticks
from store.dashboard import CyclePoint, Point

NOW = 1_800_000_000.0


def cycle(age: float, odds: int, milliseconds: int = 900) -> CyclePoint:
    return CyclePoint(NOW - age, odds, 1, milliseconds, "ok" if odds else "empty")


def lines_in(markup: str, kind: str = "") -> int:
    """How many pieces the line has."""
    found = re.search(rf'<path d="([^"]*)"{kind}', markup)
    assert found
    return found[1].count("M")


def test_a_sparkline_breaks_where_cycles_are_missing() -> None:
    whole = [Point(ago, 100) for ago in range(30)]
    assert lines_in(sparkline(whole, 30, "x")) == 1
    assert lines_in(sparkline([point for point in whole if not 10 <= point.minutes_ago <= 15], 30, "x")) == 2
    # A round of six minutes is no gap.
    assert lines_in(sparkline(whole[::6], 360, "x")) == 1


def test_a_minute_without_odds_is_a_dot() -> None:
    assert sparkline([Point(3, 100), Point(2, 0), Point(1, 100)], 30, "x").count("<circle") == 1


@pytest.mark.parametrize(
    ("least", "most", "wanted"),
    [
        (0, 100, [0, 25, 50, 75, 100]),
        (0, 7, [0, 2, 4, 6, 8]),
        (1.5, 2.5, [1.5, 1.75, 2, 2.25, 2.5]),
        (2, 2, [2]),
        (0, 0.35, [0, 0.1, 0.2, 0.3, 0.4]),
    ],
)
def test_round_numbers(least: float, most: float, wanted: list[float]) -> None:
    assert ticks(least, most) == wanted


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_the_numbers_at_the_side_cover_all(first: float, second: float) -> None:
    marks = ticks(min(first, second), max(first, second))
    assert marks[0] <= min(first, second) + 1e-6
    assert marks[-1] >= max(first, second) - 1e-6 * max(1, second, first)
    assert len(marks) <= 7


@given(st.lists(st.tuples(st.floats(0, 21600), st.integers(0, 5000), st.integers(0, 200_000)), min_size=1, max_size=50))
def test_every_cycle_is_on_the_paper(given_cycles: list[tuple[float, int, int]]) -> None:
    cycles = sorted((cycle(*values) for values in given_cycles), key=lambda one: one.finished_at)
    values = [float(one.collected) for one in cycles]
    markup = cycles_plot(cycles, values, "x", now=NOW, hours=6, interval=30)
    line = re.search(r'<path d="([^"]*)" class="line', markup)
    assert line
    for x, y in re.findall(r"[ML](-?\d+) (-?\d+)", line[1]):
        assert 0 <= int(x) <= WIDTH
        assert 0 <= int(y) <= HEIGHT
    assert markup.count("v-6") == sum(not one.collected for one in cycles)


def test_cycles_that_are_missing_break_the_line() -> None:
    cycles = [cycle(age, 10) for age in (7200, 7170, 3600, 3570)]
    assert lines_in(cycles_plot(cycles, [10.0] * 4, "x", now=NOW, hours=6, interval=30), ' class="line') == 2


def test_a_price_holds_until_the_next_and_ends_when_it_is_taken_away() -> None:
    moves = [(NOW - 3600, 2.0), (NOW - 1800, 2.5), (NOW - 900, None)]
    markup = courses_plot([Course("kto <b>", moves, 11)], NOW, "x")
    path = re.search(r'<path d="([^"]*)" class="line s11"', markup)
    assert path
    assert re.fullmatch(r"M\d+ \d+H\d+V\d+H\d+", path[1]), path[1]
    assert not path[1].endswith(f"H{WIDTH - 8}"), "it must not go on to now"
    assert "kto &lt;b&gt;" in markup


def test_no_prices_no_plot() -> None:
    assert courses_plot([Course("kto", [(NOW, None)], 0)], NOW, "x") == ""


@pytest.mark.parametrize(("share", "width", "level"), [(0.5, 50, "fine"), (0.9, 90, "high"), (3, 100, "high")])
def test_a_bar_says_how_full(share: float, width: int, level: str) -> None:
    assert f'<rect width="{width}" height="8" rx="2" class="{level}">' in bar(share, "x")
