"""Plots as SVG, made here: no library in the page, no request, nothing to wait for. Pure.

Colours and dashes are classes of static/page.css; coordinates are whole numbers, which keeps a line of an hour small.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from dashboard.html import Html, join, raw, tag
from store.dashboard import CyclePoint, Point

SPARK_WIDTH, SPARK_HEIGHT, MINUTES = 120, 24, 60
WIDTH, HEIGHT = 640, 170
LEFT, RIGHT, TOP, BOTTOM = 44, 8, 14, 22


def sparkline(points: Sequence[Point], interval: float, label: str) -> Html:
    """Odds per cycle, a point a minute. Where cycles are missing the line is broken; minutes without odds are dots."""
    points = [point for point in sorted(points, key=lambda point: -point.minutes_ago) if point.minutes_ago <= MINUTES]
    most = max((point.odds for point in points), default=0) or 1
    gap = max(2, math.ceil(2 * interval / 60))
    path, empty, before = [], [], None
    for point in points:
        x = SPARK_WIDTH - 2 - point.minutes_ago * (SPARK_WIDTH - 4) // MINUTES
        y = SPARK_HEIGHT - 3 - round(point.odds / most * (SPARK_HEIGHT - 6))
        joined = before is not None and before - point.minutes_ago <= gap
        path.append(f"{'L' if joined else 'M'}{x} {y}" + ("" if joined else "h1"))
        if point.odds == 0:
            empty.append(tag("circle", cx=x, cy=y, r=2))
        before = point.minutes_ago
    return tag(
        "svg",
        tag("path", d="".join(path)) if path else None,
        tag("g", empty, class_="empty") if empty else None,
        class_="spark", viewBox=f"0 0 {SPARK_WIDTH} {SPARK_HEIGHT}", preserveAspectRatio="none", role="img",
        aria_label=label,
    )  # fmt: skip


class Scale(NamedTuple):
    """From values to places on the paper."""

    first: float
    last: float
    start: float
    end: float

    def __call__(self, value: float) -> int:
        span = self.last - self.first or 1.0
        return round(self.start + (value - self.first) / span * (self.end - self.start))


def ticks(least: float, most: float, wanted: int = 4) -> list[float]:
    """Round numbers that cover both, some four of them."""
    span = most - least
    if span <= 1e-9 * max(1.0, abs(most)):
        span = abs(most) if abs(most) > 1e-9 else 1.0
    power = 10.0 ** math.floor(math.log10(span / wanted))
    step = next(nice * power for nice in (1, 2, 2.5, 5, 10) if span / (nice * power) <= wanted)
    first = math.floor(least / step + 1e-9)
    count = math.ceil(most / step - 1e-9) - first
    return [round((first + index) * step, 10) for index in range(count + 1)]


def cycles_plot(
    cycles: Sequence[CyclePoint], values: Sequence[float], label: str, *, now: float, hours: float, interval: float
) -> Html:
    """A line over the last hours, broken where cycles are missing, with a mark at the bottom for each without odds."""
    marks = ticks(0, max(values, default=0) or 1)
    across = Scale(now - hours * 3600, now, LEFT, WIDTH - RIGHT)
    up = Scale(marks[0], marks[-1], HEIGHT - BOTTOM, TOP)
    path, before = [], None
    for cycle, value in zip(cycles, values, strict=True):
        joined = before is not None and cycle.finished_at - before <= max(6 * interval, 120)
        path.append(f"{'L' if joined else 'M'}{across(cycle.finished_at)} {up(value)}" + ("" if joined else "h1"))
        before = cycle.finished_at
    missed = [
        tag("path", d=f"M{across(cycle.finished_at)} {HEIGHT - BOTTOM}v-6") for cycle in cycles if not cycle.collected
    ]
    return paper(
        label,
        grid(marks, up),
        time_axis(now, hours, across),
        tag("path", d="".join(path), class_="line s0"),
        tag("g", missed, class_="missed") if missed else None,
    )


class Course(NamedTuple):
    """How one price moved: times and prices, oldest first; None where it was taken away."""

    name: str
    moves: Sequence[tuple[float, float | None]]
    style: int


def courses_plot(courses: Sequence[Course], now: float, label: str) -> Html:
    """Steps: a price holds until the next one."""
    prices = [price for course in courses for _, price in course.moves if price is not None]
    if not prices:
        return Html("")
    first = min(at for course in courses for at, _ in course.moves)
    hours = max((now - first) / 3600, 1 / 60)
    marks = ticks(min(prices), max(prices))
    across = Scale(now - hours * 3600, now, LEFT, WIDTH - RIGHT)
    up = Scale(marks[0], marks[-1], HEIGHT - BOTTOM, TOP)
    return paper(
        label,
        grid(marks, up),
        time_axis(now, hours, across),
        [
            tag("path", tag("title", course.name), d=steps(course, across, up), class_=f"line s{course.style % 20}")
            for course in courses
        ],
    )


def steps(course: Course, across: Scale, up: Scale) -> str:
    path, held = [], None
    for at, price in course.moves:
        x = across(at)
        if price is None:
            path.append(f"H{x}" if held is not None else "")
        else:
            path.append(f"H{x}V{up(price)}" if held is not None else f"M{x} {up(price)}")
        held = price
    if held is not None:
        path.append(f"H{WIDTH - RIGHT}")
    return "".join(path)


def paper(label: str, *content: Html | Sequence[Html] | None) -> Html:
    box = f"0 0 {WIDTH} {HEIGHT}"
    return tag("svg", *content, class_="plot", viewBox=box, role="img", aria_label=label)


def grid(marks: Sequence[float], up: Scale) -> Html:
    lines = [tag("path", d=f"M{LEFT} {up(mark)}H{WIDTH - RIGHT}", class_="grid") for mark in marks]
    texts = [tag("text", f"{mark:g}", x=LEFT - 6, y=up(mark) + 4, text_anchor="end") for mark in marks]
    return join(lines, texts)


def time_axis(now: float, hours: float, across: Scale) -> Html:
    """Ages, since the server does not know the reader's clock."""
    minutes = hours * 60
    step = next((nice for nice in (1, 2, 5, 10, 15, 30, 60, 120, 360, 720, 1440, 2880) if minutes / nice <= 6), 10080)
    texts = []
    for age in range(0, math.floor(minutes) + 1, step):
        shown = "0" if age == 0 else f"−{age} min" if step < 60 else f"−{age // 60} h"
        anchor = "end" if age == 0 else "middle"
        x = across(now - age * 60)
        if x >= LEFT + 12:
            texts.append(tag("text", shown, x=x, y=HEIGHT - 5, text_anchor=anchor))
    return join(texts)


def bar(share: float, label: str) -> Html:
    """How full something is; `label` says it in words."""
    filled = round(min(max(share, 0.0), 1.0) * 100)
    level = "high" if share >= 0.85 else "fine"
    return tag(
        "svg",
        raw('<rect width="100" height="8" rx="2"/>'),
        tag("rect", width=filled, height=8, rx=2, class_=level),
        class_="bar", viewBox="0 0 100 8", role="img", aria_label=label, preserveAspectRatio="none",
    )  # fmt: skip
