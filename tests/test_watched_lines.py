"""Which lines of Memoro a save of an older version may have dropped, and where a line is put back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoro.model.ledger import DROPPED, WatchedLine, note_state
from memoro.model.watched_lines import Judgement, judge
from memoro.vault.line_places import line_before, put_back

WORDS = st.text(alphabet="abc é", min_size=1, max_size=6).map(str.strip).filter(bool)
NOTES = st.lists(WORDS, unique=True, max_size=8)


def note(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def watched(added: list[str], seen: bytes) -> list[WatchedLine]:
    return [
        WatchedLine(entry=number, path="a.md", line=f"- 10:0{number} agent {line}.", seen=seen, returned=False)
        for number, line in enumerate(added, 1)
    ]


@given(owns=NOTES, added=st.lists(WORDS, max_size=4))
def test_a_note_that_nobody_else_saved_releases_only_what_is_old(owns: list[str], added: list[str]) -> None:
    lines = watched(added, b"")
    whole = note([*owns, *(one.line for one in lines)])
    lines = [one._replace(seen=note_state(whole)) for one in lines]
    assert judge(lines, whole) == Judgement()
    assert judge(lines, whole, [1]).released == tuple(lines[:1] if whole else [])


@given(edited=NOTES, added=st.lists(WORDS, min_size=1, max_size=4), kept=st.integers(0, 4))
def test_a_save_based_on_any_older_version_drops_exactly_the_lines_added_since(
    edited: list[str], added: list[str], kept: int
) -> None:
    lines = watched(added, b"the state after the last line was added")
    base = lines[:kept]  # the editor had loaded the note when it held these
    saved = note(["theirs", *edited, *(one.line for one in base)])
    assert judge(lines, saved) == Judgement(released=tuple(base), dropped=tuple(lines[kept:]))


@given(added=st.lists(WORDS, min_size=2, max_size=6), data=st.data())
def test_a_line_that_was_deleted_while_a_later_one_stands_is_not_proposed(
    added: list[str], data: st.DataObject
) -> None:
    lines = watched(added, b"earlier")
    gone = data.draw(st.sets(st.sampled_from(lines[:-1])))
    saved = note([one.line for one in lines if one not in gone])
    assert judge(lines, saved) == Judgement(released=tuple(lines))


def test_a_note_that_is_gone_or_empty_proposes_nothing_and_keeps_watching_for_an_hour() -> None:
    lines = watched(["a", "b"], b"earlier")
    for data in (None, b""):
        assert judge(lines, data) == Judgement()
        assert judge(lines, data, [1, 2]) == Judgement(released=tuple(lines))


def test_a_line_that_was_dropped_before_a_write_of_ours_is_proposed_although_later_ones_stand() -> None:
    first, second = watched(["a", "b"], b"earlier")
    first = first._replace(seen=DROPPED)
    assert judge([first, second], note([second.line])) == Judgement(released=(second,), dropped=(first,))
    assert judge([first, second], note([first.line, second.line])).released == (first, second)


TEXTS = st.lists(st.sampled_from(["# Day", "", "- 09:00 a", "- 11:00 b", "plain", "- entry ^abc123"]), max_size=7)


@given(lines=TEXTS, end=st.sampled_from(["\n", "\r\n"]), closed=st.booleans())
def test_putting_a_line_back_changes_no_other_line(lines: list[str], end: str, closed: bool) -> None:
    text = end.join(lines) + (end if closed and lines else "")
    for line, previous in (("- 10:00 ours.", None), ("- ours. ^zzz999", "plain"), ("ours", "missing")):
        made = [one.rstrip("\r") for one in put_back(text, line, previous).split("\n")]
        assert made.count(line) == 1
        made.remove(line)
        assert [one for one in made if one] == [one for one in lines if one]


def test_a_line_is_put_back_where_it_was() -> None:
    assert put_back("# D\n\n- 09:00 a\n- 11:00 b\n", "- 10:00 x") == "# D\n\n- 09:00 a\n- 10:00 x\n- 11:00 b\n"
    assert put_back("# D\n\n- 11:00 b\n", "- 10:00 x") == "# D\n\n- 10:00 x\n- 11:00 b\n"
    assert put_back("a\nb\n", "x", "a") == "a\nx\nb\n"
    assert put_back("a\nb", "x") == "a\nb\nx\n"
    assert (line_before("a\nb\n", "b"), line_before("a\n\nb\n", "b"), line_before("a\n", "c")) == ("a", None, None)
