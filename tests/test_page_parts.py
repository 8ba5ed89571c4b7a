"""The parts that views are made of: plots, differences, moments in words, and templates rendered whole or in part."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.page import plots
from memoro.page.differences import diff_lines
from memoro.page.moments import time_words
from memoro.page.rendering import environment
from memoro.page.texts import texts

values = st.floats(min_value=0, max_value=1e12, allow_nan=False)
points = st.lists(st.tuples(st.text(max_size=5), values), max_size=40)
NOW = datetime(2026, 11, 16, 15, 30, tzinfo=UTC)


@given(points=points)
def test_bars_stay_inside_the_plot_and_do_not_overlap(points):
    bars = plots.plot_bars(points).bars

    assert [bar.label for bar in bars] == [label for label, _ in points]
    for bar in bars:
        assert bar.x >= 0 and bar.x + bar.width <= plots.WIDTH + 0.1
        assert bar.y >= -0.01 and bar.y + bar.height == pytest.approx(plots.HEIGHT, abs=0.02)
    assert all(left.x + left.width <= right.x + 0.02 for left, right in pairwise(bars))


@given(points=points)
def test_a_higher_value_has_a_higher_bar(points):
    bars = sorted(plots.plot_bars(points).bars, key=lambda bar: bar.value)

    assert all(low.height <= high.height for low, high in pairwise(bars))


@given(points=points)
def test_the_scale_reaches_from_the_highest_value_to_zero(points):
    plot = plots.plot_line(points)

    assert plot.ticks[0] >= max((value for _, value in points), default=0) * (1 - 1e-9)
    assert plot.ticks[-1] == 0
    assert len(plot.ticks) == len(plot.lines)
    assert len(plot.line.split()) == len(points)


@given(parts=st.lists(st.tuples(st.text(max_size=5), st.floats(-1e9, 1e9, allow_nan=False)), max_size=12))
def test_the_parts_of_a_score_stay_inside_and_compare(parts):
    made = plots.score_parts(parts)

    for part in made:
        assert part.x >= 0 and part.x + part.width <= 100.02
        assert part.is_negative == (part.value < 0)
    if any(value for _, value in parts):
        longest = max(made, key=lambda part: part.width)
        assert abs(longest.value) >= 0.99 * max(abs(part.value) for part in made)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_value_that_is_no_number_counts_as_zero(value):
    assert plots.score_parts([("a", value), ("b", 1.0)])[0].width == 0
    assert plots.plot_bars([("a", value)]).bars[0].height == 0


@given(times=st.lists(st.floats(0, 4e9), max_size=60).map(sorted))
def test_moments_stand_in_order_on_the_line_and_apart(times):
    placed = [moment.x for moment in plots.moments(times)]

    assert len(placed) == len(times)
    assert all(0 <= x <= 100 for x in placed)
    gap = min(4.0, 100 / max(1, len(times) - 1))
    assert all(right - left >= gap - 0.02 for left, right in pairwise(placed))


@given(old=st.text(alphabet="ab\n", max_size=30), new=st.text(alphabet="ab\n", max_size=30))
def test_a_difference_holds_both_texts(old, new):
    lines = diff_lines(old, new)

    assert [line.text for line in lines if line.sign != "+"] == old.splitlines()
    assert [line.text for line in lines if line.sign != "-"] == new.splitlines()


@pytest.mark.parametrize(
    ("instant", "short"),
    [
        (NOW - timedelta(minutes=25), "today 15:05"),
        (NOW - timedelta(days=1), "yesterday 15:30"),
        (NOW - timedelta(days=4), "Thu 15:30"),
        (NOW - timedelta(days=13), "3 Nov"),
        (NOW - timedelta(days=400), "12 Oct 2025"),
        (NOW + timedelta(days=3), "19 Nov"),
        (date(2026, 11, 16), "today"),
        ("2026-11-15", "yesterday"),
        ("2026-11-16T08:00:00+00:00", "today 08:00"),
        (NOW.timestamp(), "today 15:30"),
        ("some day", "some day"),
    ],
)
def test_a_moment_is_told_more_exactly_the_nearer_it_is(instant, short):
    assert time_words(instant, NOW, texts()).short == short


def test_every_part_escapes_what_it_shows():
    hostile = "<script>alert(1)</script>"
    page = environment().from_string("""
        {% from "components.html" import button_form, badge, empty, diff, bars, data_table, plot_line, when, choice,
           text_area, timeline_line, figure, menu_tabs, card, filters, pager, check, text_field, meter with context %}
        {{ button_form(x, x, {x: x}, describe=x) }}{{ badge("tag", x) }}{{ empty(x, x, x) }}{{ diff(x, "") }}
        {{ bars([(x, 1.0)]) }}{{ data_table([x], [[x]], x) }}{{ plot_line([(x, 1.0)], x) }}{{ when(x) }}
        {{ choice(x, x, [(x, x)], x) }}{{ text_area(x, x, x) }}{{ text_field(x, x, x, placeholder=x) }}
        {{ timeline_line([{"seconds": 1, "kind": "said", "label": x, "text": x}], x) }}{{ figure(x, x, x) }}
        {{ menu_tabs([(x, x)], x, x) }}{% call card(id=x, item=true) %}{{ x }}{% endcall %}{{ pager(x, x) }}
        {% call filters(x) %}{{ check(x, x) }}{% endcall %}{{ meter(1, 2, x) }}
    """)

    made = page.render(x=hostile, csrf="c")

    assert "<script" not in made
    assert made.count("&lt;script&gt;") > 40


def test_a_form_of_a_button_carries_the_token_and_a_key_of_its_own():
    page = environment().from_string(
        '{% from "components.html" import button_form with context %}{{ button_form("/x", "Go", {"id": 3}) }}'
    )

    first, second = page.render(csrf="secret"), page.render(csrf="secret")

    assert 'name="csrf" value="secret"' in first and 'name="id" value="3"' in first
    assert first != second
