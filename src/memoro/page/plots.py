"""Where the parts of a picture go: bars, lines and moments in time, as numbers that a template writes into an SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

WIDTH, HEIGHT = 600.0, 120.0  # of a plot's own coordinates; the page stretches it to the space that there is
_TICKS = 3  # steps between the lowest and the highest line of a scale


class Bar(NamedTuple):
    """One bar, in the coordinates of its plot."""

    label: str
    value: float
    x: float
    y: float
    width: float
    height: float


class Plot(NamedTuple):
    """A plot of values over equally spaced places. `ticks` are the values at the lines, from the top downwards."""

    bars: tuple[Bar, ...]  # of a line plot: the columns that a pointer rests on
    line: str  # the points of a polyline, "x,y x,y"
    area: str  # the points of the polygon below that line
    ticks: tuple[float, ...]
    lines: tuple[float, ...]  # the y of each tick
    labels: tuple[str, ...]  # below the plot, from the left to the right


class Part(NamedTuple):
    """A part of a sum, as a bar that starts in the middle if any part is negative, and at the left otherwise."""

    label: str
    value: float
    x: float  # 0-100
    width: float  # 0-100
    is_negative: bool


class Moment(NamedTuple):
    """Where an event stands on a line in time, 0-100."""

    x: float


def plot_bars(points: Sequence[tuple[str, float]]) -> Plot:
    """Bars from zero upwards. A value below zero counts as zero."""
    return _plot(points, gap=0.2)


def plot_line(points: Sequence[tuple[str, float]]) -> Plot:
    """A line from the first point to the last, and the columns around its points."""
    return _plot(points, gap=0.0)


def score_parts(parts: Sequence[tuple[str, float]]) -> tuple[Part, ...]:
    """Bars whose lengths compare: together, the longest to the left and the longest to the right fill the space."""
    finite = [(label, _finite(value)) for label, value in parts]
    most = max((value for _, value in finite if value > 0), default=0.0)
    least = max((-value for _, value in finite if value < 0), default=0.0)
    zero = 100.0 * (least / (least + most)) if least else 0.0
    made = []
    for label, value in finite:
        width = 100.0 * (abs(value) / (least + most)) if value else 0.0
        x = zero - width if value < 0 else zero
        made.append(Part(label=label, value=value, x=round(x, 2), width=round(width, 2), is_negative=value < 0))
    return tuple(made)


def moments(times: Sequence[float], gap: float = 4.0) -> tuple[Moment, ...]:
    """Place events on a line from 0 to 100 by their times, in ascending order, so that two are at least `gap` apart.

    Where there are too many for that, they stand at equal distances.
    """
    count = len(times)
    if count == 0:
        return ()
    if count == 1:
        return (Moment(50.0),)
    gap = min(gap, 100.0 / (count - 1))
    low, span = times[0], times[-1] - times[0]
    wanted = [100.0 * (one - low) / span if span > 0 else 0.0 for one in times]
    placed: list[float] = []
    for place, one in enumerate(wanted):  # from the left: not too near to the one before
        before = placed[-1] + gap if placed else 0.0
        placed.append(min(max(one, before), 100.0 - gap * (count - 1 - place)))
    return tuple(Moment(round(max(0.0, one), 2)) for one in placed)


def nice_ceiling(value: float) -> float:
    """The next number from 1, 1.5, 3, 6, 9 × a power of ten on: a third of it reads well."""
    if value < 1e-9:  # a plot of nothing still has a scale
        return 3.0
    power = 10.0 ** math.floor(math.log10(value))
    return next((step * power for step in (1.5, 3.0, 6.0, 9.0) if value <= step * power * (1 + 1e-9)), 15.0 * power)


def _plot(points: Sequence[tuple[str, float]], gap: float) -> Plot:
    values = [max(0.0, _finite(value)) for _, value in points]
    top = nice_ceiling(max(values, default=0.0))
    if all(value == int(value) for value in values):
        top = max(top, 3.0)  # counts have no thirds
    column = WIDTH / max(1, len(points))
    bars, line = [], []
    for place, ((label, _), value) in enumerate(zip(points, values, strict=True)):
        height = HEIGHT * value / top
        x, width = column * (place + gap / 2), column * (1 - gap)
        y = HEIGHT - height
        bars.append(
            Bar(
                label=label, value=value, x=round(x, 2), y=round(y, 2), width=round(width, 2), height=round(height, 2)
            )
        )
        line.append(f"{column * (place + 0.5):.2f},{y:.2f}")
    first, last = (f"{column / 2:.2f},{HEIGHT:.2f}", f"{WIDTH - column / 2:.2f},{HEIGHT:.2f}")
    return Plot(
        bars=tuple(bars),
        line=" ".join(line),
        area=" ".join((first, *line, last)) if line else "",
        ticks=tuple(top * (_TICKS - step) / _TICKS for step in range(_TICKS + 1)),
        lines=tuple(round(HEIGHT * step / _TICKS, 2) for step in range(_TICKS + 1)),
        labels=_edge_labels([label for label, _ in points]),
    )


def _rounded(bar: Bar) -> Bar:
    x, y, width, height = (round(number, 2) for number in (bar.x, bar.y, bar.width, bar.height))
    return bar._replace(x=x, y=y, width=width, height=height)


def _edge_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """The first, the middle and the last: more would not fit on a phone."""
    if len(labels) <= 2:
        return tuple(labels)
    return (labels[0], labels[len(labels) // 2], labels[-1]) if len(labels) % 2 else (labels[0], labels[-1])


def _finite(value: float) -> float:
    return value if math.isfinite(value) else 0.0
