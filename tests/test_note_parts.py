"""A note cut into properties, the passage that was opened, and what surrounds it."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memoro.notes.loaded_entries import LoadedEntry
from memoro.page.note_parts import MOST_CHARACTERS, Block, Heading, LineSpan, blocks, headings, note_parts

NOTE = ["---", "tags: [tea]", "---", "# Tea", "", "Green.", "", "## Pot", "", "Blue."]
lines_of = st.lists(st.sampled_from(["---", "# A", "## B", "text", "", "```", "~~~", "- one", "#tag"]), max_size=20)


def test_a_note_is_cut_before_and_after_the_passage():
    parts = note_parts(NOTE, LineSpan(8, 10))

    assert parts.properties == "tags: [tea]"
    assert (parts.before, parts.passage, parts.after) == ("# Tea\n\nGreen.\n", "## Pot\n\nBlue.", "")
    assert note_parts(NOTE, None).after == "\n".join(NOTE[3:])


@given(lines=lines_of, first=st.integers(1, 25), length=st.integers(0, 10))
def test_the_parts_of_a_short_note_are_its_lines(lines, first, length):
    first = min(first, max(1, len(lines)))
    span = LineSpan(first, min(first + length, max(1, len(lines))))

    for passage in (span, None):
        parts = note_parts(lines, passage)
        shown = [part for part in (parts.before, parts.passage, parts.after) if part]
        body = "\n".join(shown)
        whole = "\n".join(lines)
        assert whole.replace("\n", "").endswith(body.replace("\n", ""))
        assert len(parts.properties) + len(body) <= len(whole) + 3


def test_of_a_long_note_the_lines_around_the_passage_are_shown():
    lines = ["x" * 99] * (MOST_CHARACTERS // 50)
    parts = note_parts(lines, LineSpan(1500, 1502))

    assert parts.window.first < 1500 < parts.window.last < len(lines)
    assert parts.passage.count("\n") == 2
    assert len(parts.before) + len(parts.after) < MOST_CHARACTERS


def test_headings_have_the_lines_up_to_the_next_one():
    assert headings(NOTE) == [Heading(1, "Tea", LineSpan(4, 7)), Heading(2, "Pot", LineSpan(8, 10))]


def test_code_and_tags_are_no_headings():
    lines = ["```", "# no", "```", "#tag", "# yes #", "~~~~", "# no", "~~~", "# no", "~~~~", "## yes too"]

    assert [one.text for one in headings(lines)] == ["yes", "yes too"]


@given(lines=lines_of)
def test_headings_stand_in_order_and_cover_the_rest_of_the_note(lines):
    found = headings(lines)

    assert all(one.span.last + 1 == other.span.first for one, other in pairwise(found))
    assert not found or found[-1].span.last == len(lines)


def _entry(line: int, text: str) -> LoadedEntry:
    return LoadedEntry(
        address="abc", tier="semantic", path="MEMORY.md", line=line, last_line=line, text=text, has_id=True
    )


def test_an_always_loaded_note_is_cut_at_its_entries():
    lines = ["# Facts", "- one ^a", "- two ^b", "", "The end."]
    one, two = _entry(2, "one"), _entry(3, "two")

    assert blocks(lines, [one, two], LineSpan(3, 3)) == [
        Block("# Facts"),
        Block("one", one),
        Block("two", two, is_opened=True, is_first=True),
        Block("\nThe end."),
    ]
