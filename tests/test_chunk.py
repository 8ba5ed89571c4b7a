"""Every passage is what its lines say, every line is in some passage, and none costs more than it may."""

from __future__ import annotations

import hashlib
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.index import chunk as chunk_module
from memoro.index.chunk import chunk, tokens
from memoro.model.notes import Chunk
from memoro.vault.markdown import Parsed, parse

LINES = (
    *("", "", "", "   ", "# One", "## Two", "### Three", "## Two again #", "Underlined", "===", "---", "#tag", "# "),
    *(
        "```",
        "```sh",
        "````",
        "~~~",
        "# a comment",
        "- ```",
        "1. first",
        "- item",
        "> quote",
        "| a | b |",
        "    code",
    ),
    *(
        "words of a paragraph that goes on for a while",
        "a sentence. " * 12,
        "無駄な言葉を書かない",
        "x" * 90,
        "茶" * 70,
    ),
)
lines = st.sampled_from(LINES) | st.text("ab #`-茶", max_size=40)
notes = st.lists(lines, min_size=6, max_size=40).map("\n".join)
shares = st.sampled_from([0.0, 0.1, 0.2, 0.5])  # of the limit, for the overlap
with_frontmatter = notes | notes.map(lambda text: f"---\ntitle: x\ntags: [a]\n---\n{text}")


def cut(text: str, limit: int = 400, overlap: int = 0) -> tuple[Chunk, ...]:
    parsed = parse(text, "a.md")
    return chunk(parsed.lines, parsed.outline, body=parsed.body, limit=limit, overlap=overlap)


def source(parsed: Parsed, first: int, last: int) -> str:
    return "\n".join(parsed.lines[first - 1 : last])


def ranges(chunks: tuple[Chunk, ...]) -> list[tuple[int, int]]:
    return [(one.start_line, one.end_line) for one in chunks]


@given(text=with_frontmatter, limit=st.integers(5, 40), share=shares)
def test_line_numbers_are_true(text: str, limit: int, share: float) -> None:
    parsed = parse(text, "a.md")
    for one in cut(text, limit, int(limit * share)):
        assert parsed.body <= one.start_line <= one.end_line <= len(parsed.lines)
        whole = source(parsed, one.start_line, one.end_line)
        assert one.text in whole if one.partial else one.text == whole


def test_line_numbers_count_from_one_and_advance() -> None:
    text = "---\ntags: tea\n---\n# Tea\n\nGreen.\n\n## Cups\nTwo.\n"
    chunks = cut(text)
    assert ranges(chunks) == [(4, 6), (8, 9)]
    assert [one.text for one in chunks] == ["# Tea\n\nGreen.", "## Cups\nTwo."]


@given(text=with_frontmatter, limit=st.integers(5, 40), share=shares)
def test_every_line_with_anything_on_it_is_in_some_passage(text: str, limit: int, share: float) -> None:
    parsed = parse(text, "a.md")
    covered = {n for first, last in ranges(cut(text, limit, int(limit * share))) for n in range(first, last + 1)}
    assert {n for n, line in enumerate(parsed.lines, 1) if n >= parsed.body and line.strip()} <= covered


@given(text=with_frontmatter, limit=st.integers(5, 40), share=shares)
def test_passages_advance_through_the_note(text: str, limit: int, share: float) -> None:
    for one, following in pairwise(cut(text, limit, int(limit * share))):
        assert one.start_line <= following.start_line
        assert one.end_line <= following.end_line
        if not following.partial:
            assert one.end_line < following.end_line, "it only repeats the one before it"


@given(text=with_frontmatter, limit=st.integers(1, 40), share=shares)
def test_no_passage_costs_more_than_the_limit(text: str, limit: int, share: float) -> None:
    for one in cut(text, limit, int(limit * share)):
        assert tokens(one.text) <= limit


@given(text=notes, limit=st.integers(5, 40), share=shares)
def test_what_a_passage_repeats_costs_at_most_the_overlap(text: str, limit: int, share: float) -> None:
    parsed = parse(text, "a.md")
    overlap = int(limit * share)
    for one, following in pairwise(cut(text, limit, overlap)):
        if not following.partial and following.start_line <= one.end_line:
            assert tokens(source(parsed, following.start_line, one.end_line)) <= overlap


def test_a_passage_repeats_the_last_lines_of_the_one_before_it() -> None:
    text = "\n\n".join(f"paragraph number {n} of this note" for n in range(10))
    assert ranges(cut(text, limit=30, overlap=0)) == [(1, 5), (7, 11), (13, 17), (19, 19)]
    assert ranges(cut(text, limit=30, overlap=10)) == [(1, 5), (5, 9), (9, 13), (13, 17), (17, 19)]


@given(text=notes, limit=st.integers(5, 40))
def test_the_heading_path_is_that_of_its_last_line(text: str, limit: int) -> None:
    parsed = parse(text, "a.md")
    for one in cut(text, limit):
        path: dict[int, str] = {}
        for heading in parsed.outline.headings:
            if heading.line <= one.end_line:
                path = {level: title for level, title in path.items() if level < heading.level}
                path[heading.level] = heading.title
        assert one.headings == tuple(title for title in path.values() if title)


def test_headings_nest_and_come_back() -> None:
    text = "before\n# A\na\n### B\nb\n## C\nc\n# D\nd"
    assert [one.headings for one in cut(text)] == [(), ("A",), ("A", "B"), ("A", "C"), ("D",)]


def test_a_heading_with_nothing_below_it_stands_with_the_deeper_one() -> None:
    assert [(one.text, one.headings) for one in cut("# A\n\n## B\ntext\n\n# C\n# D\ntext")] == [
        ("# A\n\n## B\ntext", ("A", "B")),
        ("# C", ("C",)),
        ("# D\ntext", ("D",)),
    ]


def test_a_passage_is_not_below_a_heading_that_comes_after_it() -> None:
    chunks = cut("# A\n" + "\n" * 200 + "## B\ntext", limit=30)
    assert [(one.text, one.headings) for one in chunks] == [("# A", ("A",)), ("## B\ntext", ("A", "B"))]


def test_a_shell_comment_does_not_start_a_passage() -> None:
    [one] = cut("# Tea\n```sh\n# brew\nmake tea\n```\nDone.")
    assert (one.start_line, one.end_line, one.headings) == (1, 6, ("Tea",))


@given(text=notes, limit=st.integers(5, 80), share=shares)
def test_a_fence_is_cut_only_when_it_alone_is_too_long(text: str, limit: int, share: float) -> None:
    parsed = parse(text, "a.md")
    chunks = cut(text, limit, int(limit * share))
    for first, last in parsed.outline.fences:
        while not parsed.lines[last - 1].strip():
            last -= 1  # an unclosed fence may end in blank lines, which no passage does
        if sum(tokens(f"{line}\n") for line in parsed.lines[first - 1 : last]) <= limit:
            assert any(one.start_line <= first and last <= one.end_line for one in chunks)
            assert not any(first <= one.end_line < last for one in chunks)


def test_blank_lines_after_a_fence_that_is_not_closed_do_not_make_it_too_long() -> None:
    assert [(one.start_line, one.end_line) for one in cut("\n```sh\n\n# One\n\n", 5)] == [(2, 4)]


def test_a_fence_stays_whole_between_paragraphs_that_touch_it() -> None:
    fence = "```\n" + "code here\n" * 6 + "```"
    text = "a paragraph of words\n" * 6 + fence + "\n" + "a paragraph of words\n" * 6
    assert any(first <= 7 and last >= 14 for first, last in ranges(cut(text, limit=28)))


def test_a_fence_that_is_too_long_is_cut_at_its_lines() -> None:
    text = "```\n" + "a line of code\n" * 40 + "```"
    chunks = cut(text, limit=30)
    assert len(chunks) > 1
    assert not any(one.partial for one in chunks)


@pytest.mark.parametrize(
    "line",
    ["x" * 100_000, "some words " * 9_000, "茶" * 100_000, "a茶 " * 33_000],
    ids=["x", "words", "tea", "mixed"],
)
def test_a_very_long_line_is_cut_and_nothing_of_it_is_lost(line: str) -> None:
    started = time.process_time()
    chunks = cut(f"before\n\n{line}\n\nafter", limit=400, overlap=80)
    assert time.process_time() - started < 1
    long = [one for one in chunks if one.partial]
    assert "".join(one.text.removesuffix("\n\nafter").removeprefix("before\n\n") for one in long) == line
    assert all(one.start_line <= 3 <= one.end_line for one in long)
    assert all(tokens(one.text) <= 400 for one in chunks)


def test_a_long_line_is_cut_at_a_space_and_its_parts_are_not_lines() -> None:
    first, second = cut("x" * 30 + " " + "y" * 30, limit=10)
    assert (first.text, second.text) == ("x" * 30 + " ", "y" * 30)
    assert [one.text for one in cut("aa茶茶 茶茶茶茶 茶茶茶茶茶茶", limit=8)] == ["aa茶茶 茶茶茶茶 ", "茶茶茶茶茶茶"]


@pytest.mark.parametrize(
    "text",
    ["a" + "\n" * 50_000, "\n" * 50_000 + "a", ("a" + "\n" * 500) * 100, "\n" * 50_000, " \n" * 50_000 + "a"],
    ids=["after", "before", "between", "only", "spaces"],
)
def test_blank_lines_take_no_time_and_no_room(text: str) -> None:
    started = time.process_time()
    chunks = cut(text, limit=400, overlap=80)
    assert time.process_time() - started < 2
    assert all(tokens(one.text) <= 400 for one in chunks)
    assert {n for first, last in ranges(chunks) for n in range(first, last + 1)} >= {
        n for n, line in enumerate(text.split("\n"), 1) if line.strip()
    }


def test_many_headings_with_many_fences_take_no_time() -> None:
    started = time.process_time()
    assert len(cut("# H\n```\n```\n" * chunk_module.MANY_SECTIONS)) == chunk_module.MANY_SECTIONS
    assert time.process_time() - started < 1


@pytest.mark.parametrize("text", ["", "\n\n", "   \n\t", "---\ntitle: x\n---\n", "---\ntitle: x\n---\n\n \n"])
def test_a_note_without_words_has_no_passages(text: str) -> None:
    assert cut(text) == ()


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("茶", 1),
        ("茶を飲む", 4),
        ("tea 茶", 2),
        ("é" * 8, 2),
        ("나무", 2),
    ],
)
def test_four_letters_are_a_token_and_so_is_one_character_of_chinese(text: str, cost: int) -> None:
    assert tokens(text) == cost


@given(text=notes)
def test_a_passage_is_known_by_its_text_alone(text: str) -> None:
    moved = cut(f"moved\ndown\n\n# One\n\n{text}", limit=20)
    for one in (*cut(text, limit=20), *moved):
        assert one.digest == hashlib.sha256(one.text.encode()).hexdigest()


@given(text=with_frontmatter, limit=st.integers(5, 40), share=shares)
def test_where_sections_share_passages_lines_are_true_and_no_line_is_lost(
    text: str, limit: int, share: float
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(chunk_module, "MANY_SECTIONS", 0)
        chunks = cut(text, limit, int(limit * share))
    parsed = parse(text, "a.md")
    for one in chunks:
        assert one.partial or one.text == source(parsed, one.start_line, one.end_line)
        assert tokens(one.text) <= limit
    covered = {number for one in chunks for number in range(one.start_line, one.end_line + 1)}
    assert {n for n, line in enumerate(parsed.lines, 1) if line.strip() and n >= parsed.body} <= covered


def test_a_note_of_headings_alone_makes_few_passages() -> None:
    many = chunk_module.MANY_SECTIONS
    assert len(cut("# h\n" * many)) == many
    assert len(cut("# h\n" * (many + 1))) < many / 50
    shared = cut("# All\n\nIntroduction.\n\n" + "## h\n\nx\n\n" * (many + 1))
    assert len(shared) < many / 20
    assert shared[3].headings == ("All",)
