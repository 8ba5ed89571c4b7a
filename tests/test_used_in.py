"""A search in what a session was given: in which files, and which hits."""

from __future__ import annotations

import pytest

from memoro.model.answers import Explanation, Hit, Where
from memoro.model.recall import Recalled, RecalledItem
from memoro.model.sessions import GivenItem, RecordedRecall
from memoro.search.used_in import marked, narrowed


def given(number: int, path: str, lines: tuple[int, int] = (1, 1), item: str = "given") -> RecordedRecall:
    one = RecalledItem(
        id=item,
        kind="note",
        tier="note",
        path=path,
        start_line=lines[0],
        end_line=lines[1],
        heading=(),
        date=None,
        trust=None,
        score=0.5,
        tokens=1,
        text="tea",
    )
    block = Recalled(
        message="tea?",
        form="full",
        block="",
        boundary="",
        tokens=1,
        items=(one,),
        left_out=(),
        degraded=(),
        took_ms=0.0,
    )
    return RecordedRecall(
        number=number, session="s", at="2026-11-01T10:00:00Z", recalled=block, given=(GivenItem(one),)
    )


def hit(path: str, lines: tuple[int, int], item: str = "found") -> Hit:
    return Hit(
        id=item,
        kind="note",
        tier="note",
        path=path,
        start_line=lines[0],
        end_line=lines[1],
        heading=(),
        date=None,
        score=0.5,
        snippet="tea",
        explanation=Explanation((), (), 1),
    )


@pytest.mark.parametrize(
    ("asked", "searched"),
    [((), ("a.md", "work/b.md")), (("work",), ("work/b.md",)), (("a.md", "c.md"), ("a.md",)), (("c.md",), ("\x00",))],
    ids=["anywhere", "a folder", "files of which one was given", "a file that was not given"],
)
def test_only_files_of_which_something_was_given_are_searched(
    asked: tuple[str, ...], searched: tuple[str, ...]
) -> None:
    assert narrowed(Where(paths=asked), [given(1, "work/b.md"), given(2, "a.md")]).paths == searched


def test_where_nothing_was_given_nothing_is_searched() -> None:
    assert narrowed(Where(), []).paths == ("\x00",)


@pytest.mark.parametrize(
    ("lines", "is_given"), [((1, 4), False), ((1, 5), True), ((6, 7), True), ((8, 12), True), ((9, 12), False)]
)
def test_a_passage_was_given_if_it_meets_the_lines_of_an_item(lines: tuple[int, int], is_given: bool) -> None:
    found = marked([hit("a.md", lines)], [given(1, "a.md", (5, 8))])
    assert [[one.recall for one in each.given] for each in found] == ([[1]] if is_given else [])


def test_lines_of_another_file_were_not_given_but_the_item_itself_was() -> None:
    assert marked([hit("b.md", (5, 8))], [given(1, "a.md", (5, 8))]) == ()
    (found,) = marked([hit("b.md", (1, 1), "given")], [given(1, "a.md", (5, 8)), given(2, "a.md", (5, 8))])
    assert [one.recall for one in found.given] == [1, 2]
