"""The pictures of a memory: its line in time, and its links."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.model.memories import stamp
from memoro.page.fact_history import FactSpan, fact_events, span_bars, span_of
from memoro.page.link_picture import NODE_HEIGHT, NODE_WIDTH, LinkedMemory, fitted, link_picture

moments = st.floats(0, 4e9)
spans = st.lists(st.builds(FactSpan, number=st.integers(1, 99), first=moments, last=st.none() | moments), max_size=6)
# A few: random ones at every node are more than one example of Hypothesis may draw. `fitted` has a test of its own.
texts = st.sampled_from(("", "Deploys run at noon", "word " * 16, "数据库" * 20))


def trees_over(inner: st.SearchStrategy[LinkedMemory], most: int) -> st.SearchStrategy[LinkedMemory]:
    linked = st.lists(inner, max_size=most).map(tuple)
    return st.builds(LinkedMemory, number=st.integers(1, 999), text=texts, strength=st.floats(0.1, 9), linked=linked)


# By their depth: `st.recursive` throws most trees of so many branches away, and then gives up.
leaves = trees_over(st.nothing(), 0)
trees = leaves | trees_over(leaves, 10) | trees_over(trees_over(leaves | trees_over(leaves, 2), 4), 5)


@given(spans=spans, events=st.lists(moments, max_size=6), now=moments)
def test_every_fact_and_event_stands_on_the_line(spans: list[FactSpan], events: list[float], now: float) -> None:
    bars = span_bars(spans, [one for one in events if not spans or one >= spans[0].first], now)
    assert [bar.number for bar in bars] == [one.number for one in spans]
    for bar in bars:
        assert bar.x >= 0 and bar.width > 0 and bar.x + bar.width <= 100.02
        assert all(0 <= tick <= 100 for tick in bar.ticks)


@given(starts=st.lists(moments, min_size=2, max_size=5), now=moments)
def test_an_earlier_fact_begins_further_left(starts: list[float], now: float) -> None:
    bars = span_bars([FactSpan(number, first) for number, first in enumerate(sorted(starts))], (), now)
    assert [bar.x for bar in bars] == sorted(bar.x for bar in bars)


def test_no_facts_make_no_line() -> None:
    assert span_bars((), (), 0.0) == ()


@given(tree=trees)
def test_the_picture_of_links_has_no_overlaps_and_keeps_to_its_frame(tree: LinkedMemory) -> None:
    picture = link_picture(tree)
    assert picture == link_picture(tree)
    for node in picture.nodes:
        assert node.x >= 0 and node.x + NODE_WIDTH <= picture.width
        assert node.y >= 0 and node.y + NODE_HEIGHT <= picture.height + 1e-6
    for place, one in enumerate(picture.nodes):
        for other in picture.nodes[place + 1 :]:
            assert one.x != other.x or abs(one.y - other.y) >= NODE_HEIGHT
    assert len(picture.edges) == len(picture.nodes) - 1
    assert all(0 <= y <= picture.height for edge in picture.edges for y in (edge.y1, edge.y2))


@given(text=st.text())
def test_the_words_of_a_node_fit(text: str) -> None:
    lines = fitted(text)
    assert 1 <= len(lines) <= 2 and all(len(line) <= 29 for line in lines)


def test_a_short_text_is_shown_whole() -> None:
    assert fitted("Deploys run at noon") == ("Deploys run at noon",)
    assert fitted("Deploys run at noon, and never on a Friday") == ("Deploys run at noon, and", "never on a Friday")
    assert fitted("word " * 30)[1].endswith("…")


def test_the_line_tells_what_happened_in_order() -> None:
    m = memoro.open(":memory:")
    old = m.memories.store("Deploys run at ten", source="user").memory.id
    m.memories.reinforce(old)
    m.memories.update(old, "Deploys run at eleven", source="user")
    m.memories.demote(old)
    m.memories.trust(old, "user_confirmed")
    new = m.memories.store("Deploys run at noon", source="user", supersedes=[old]).memory.id
    events = fact_events(m.memories.get(old), m.memories.history(old))
    kinds = [one.kind for one in events]
    assert kinds[0] == "said" and kinds[-1] == "superseded"
    assert sorted(kinds) == sorted(["said", "confirmed", "edited", "demoted", "trusted", "superseded"])
    edited = next(one for one in events if one.kind == "edited")
    assert (edited.before, edited.text) == ("Deploys run at ten", "Deploys run at eleven")
    assert events[0].text == "Deploys run at ten" and events[-1].other == new
    assert all(one.change for one in events) and edited.fields == ("content",)
    span = span_of(m.memories.get(old))
    assert span.last is not None and span.first <= span.last


def test_an_end_is_told_and_an_undone_change_is_marked() -> None:
    m = memoro.open(":memory:")
    number = m.memories.store("The offer holds", valid_to="2999-01-01").memory.id
    m.memories.reinforce(number)
    m.journal.undo()
    m.memories.archive(number)
    m.memories.unarchive(number)
    m.memories.remove(number)
    m.journal.undo()
    events = fact_events(m.memories.get(number), m.memories.history(number))
    assert [one.kind for one in events] == [
        "said", "confirmed", "restored", "archived", "unarchived", "removed", "restored", "until",
    ]  # fmt: skip
    assert [one.is_undone for one in events].count(True) == 2
    assert stamp(m.home_context.runtime.now()) < events[-1].at
