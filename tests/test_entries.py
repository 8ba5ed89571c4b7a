"""Entries of a note: added, edited and removed by their exact ids, with every other byte as it was."""

from __future__ import annotations

import re
import time
from contextlib import suppress

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from memoro.errors import NoteNotFound, NoteUnwritable, Refused
from memoro.vault import entries as bullets
from memoro.vault.entries import Bullet, add, edit, entries, find, line_of, remove
from memoro.vault.layout import FRESH_MEMORY

# Lines of which notes are made, in any order: some of them open what is never closed.
LINES = st.sampled_from(
    [
        "",
        "  ",
        "# Memory",
        "## Preferences and style",
        "## Project context ##",
        "- foo",
        "- foobar",
        "- foo ^a1b2c3",
        "* starred ^x1",
        "+ plus",
        "  - nested",
        "    - deeper ^d1",
        "  goes on",
        "  and ends ^e1",
        "- [ ] a task",
        "- [x] done ^t1",
        "-",
        "- ",
        "-no bullet",
        "1. numbered",
        "> - quoted",
        "| a | b |",
        "|---|---|",
        "```",
        "```python",
        "~~~~",
        "%% hidden %%",
        "%%",
        "<!-- hidden -->",
        "<!--",
        "-->",
        "---",
        "tags: [a]",
        "Plain words, 100 % sure.",
        "(nothing yet)",
        "- _None yet._",
        "- None",
        "…",
        "\tindented",
        "- ünï 世界",
    ]
)
ENDS = st.sampled_from(["\n", "\r\n"])
NOTES = st.tuples(st.lists(st.tuples(LINES, ENDS), max_size=14), st.booleans()).map(
    lambda made: "".join(line + end for line, end in made[0])[: None if made[1] else -1]
)
WORDS = st.sampled_from(["foo", "foobar", "tea at 70 degrees", "ünï 世界", "None", "x"])
HOSTILE = st.one_of(
    WORDS,
    st.text(max_size=40),
    st.lists(
        st.sampled_from(
            [
                "tea", "\n", "- b", "# h", "```", "~~~", "%%", "%%%", "<!--", "-->", " ^id1", "^", "^x", "[ ]",
                "[x] ", "---", "|", "\r", "\x00", "\u2028", "\x85", "\ud800", " ", "\t", "*", "+ ", "(nothing yet)",
                "…", "\\",
            ]
        ),
        max_size=8,
    ).map("".join),
)  # fmt: skip


def added(text: str, said: str, **more: str) -> bullets.EditedNote:
    """With one more; what nothing can be made of is no example."""
    try:
        return add(text, said, **more)
    except Refused:
        assume(False)
        raise


def with_ends(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


@given(NOTES, HOSTILE)
@example("<!--\nnever closed", "a")
@example("```\nnever closed", "a")
@example("- b\n%%", "a")
@example("", "100%% sure")
@example("- a", "[ ] a")
@example("- (nothing yet)", "a")
def test_what_was_added_is_found_by_its_id_and_no_other_entry_is_touched(text: str, said: str) -> None:
    before = entries(text)
    assume(len({one.id for one in before}) == len(before))
    made = added(text, said)

    entry = find(made.text, made.entry.id)
    assert (entry.text, entry.line) == (made.entry.text, made.entry.line)
    others = [(one.text, one.marked) for one in entries(made.text) if one.id != entry.id]
    assert others == [(one.text, one.marked) for one in before if one.id != entry.id]
    assert len(entries(made.text)) - len(before) == (made.text != text)


@given(NOTES, HOSTILE)
def test_adding_puts_one_stretch_of_lines_in_and_leaves_every_other_byte(text: str, said: str) -> None:
    made = added(text, said)
    assume(made.text != text)
    old, new = with_ends(text), with_ends(made.text)
    at = made.entry.line - 1
    first = at - 1 if at and new[at - 1].strip() == "" and (at > len(old) or new[at - 1] != old[at - 1]) else at
    behind = len(new) - at - 1
    if behind and new[at + 1].strip() == "" and new[at + 1 :] != old[len(old) - behind :]:
        behind -= 1  # a blank line of ours
    replaced = old[first : len(old) - behind]

    assert new[len(new) - behind :] == old[len(old) - behind :]
    assert not replaced or re.search(r"yet|…", "".join(replaced))  # a placeholder
    assert len(replaced) <= 1
    kept = old[:first]
    if kept and first == len(old) and not kept[-1].endswith("\n"):
        assert new[first - 1].startswith(kept.pop())  # it had no end, and has got one
    assert new[: len(kept)] == kept


@given(NOTES, HOSTILE, st.data())
def test_editing_changes_the_lines_of_one_entry_and_no_byte_else(text: str, said: str, data: st.DataObject) -> None:
    known = [one for one in entries(text) if [e.id for e in entries(text)].count(one.id) == 1]
    assume(known)
    one = data.draw(st.sampled_from(known))
    try:
        made = edit(text, one.id, said)
    except Refused:
        assume(False)
    old, new = with_ends(text), with_ends(made.text)

    assert new[: one.line - 1] == old[: one.line - 1]
    assert new[one.line :] == old[one.last :]
    ended = old[one.last - 1][len(old[one.last - 1].rstrip("\r\n")) :]
    assert new[one.line - 1].endswith(f" ^{one.id}{ended}")
    assert find(made.text, one.id).text == made.entry.text
    assert [e.text for e in entries(made.text) if e.id != one.id and e.marked] == [
        e.text for e in entries(text) if e.id != one.id and e.marked
    ]


@given(NOTES, st.data())
def test_removing_takes_the_lines_of_one_entry_and_no_byte_else(text: str, data: st.DataObject) -> None:
    known = [one for one in entries(text) if [e.id for e in entries(text)].count(one.id) == 1]
    assume(known)
    one = data.draw(st.sampled_from(known))
    old = with_ends(text)

    made = remove(text, one.id)

    assert made.text == "".join([*old[: one.line - 1], *old[one.last :]])
    assert made.entry == one


@given(NOTES, WORDS, WORDS)
def test_adding_twice_is_adding_once_and_taking_it_out_again_leaves_the_rest(text: str, said: str, more: str) -> None:
    assume(len({one.id for one in entries(text)}) == len(entries(text)))
    once = add(text, said)
    again = add(once.text, said)
    assert again.text == once.text
    assert again.entry.id == once.entry.id
    both = add(once.text, more)
    assert find(both.text, once.entry.id).text == said


@given(NOTES)
def test_ids_begin_with_a_letter_and_none_is_given_twice(text: str) -> None:
    found = entries(text)
    made = [one.id for one in found if not one.marked]
    assert all(re.fullmatch(r"[a-z][a-z0-9]{5}", own) for own in made)
    assert len(set(made)) == len(made)
    assert not set(made) & {one.id for one in found if one.marked}
    assert entries(text) == found


@given(st.text(max_size=300), HOSTILE, st.text(max_size=10))
def test_no_input_is_too_strange(text: str, said: str, own: str) -> None:
    for attempt in (
        lambda: add(text, said),
        lambda: add(text, said, section=own),
        lambda: edit(text, own, said),
        lambda: remove(text, own),
    ):
        with suppress(Refused, NoteNotFound, NoteUnwritable):
            attempt()


@given(HOSTILE)
def test_no_text_makes_a_second_entry_a_heading_or_a_comment(said: str) -> None:
    text = "# Memory\n\n- first ^one\n- last ^two\n\n## Next\n\n- other ^three\n"
    made = added(text, said, section="memory")
    ours = [one for one in entries(made.text) if one.id not in ("one", "two", "three")]
    assert len(ours) <= 1
    assert [one.id for one in entries(made.text) if one.id in ("one", "two", "three")] == ["one", "two", "three"]
    assert "\n" not in made.entry.text and made.text.count("\n# ") == 0 and made.text.count("\n## ") == 1


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("two\nlines", "two lines"),
        ("- a bullet", "a bullet"),
        ("* [ ] a task", "a task"),
        ("with an id ^abc123", "with an id"),
        ("with two ^a ^b", "with two"),
        ("# no heading", "# no heading"),
        ("```code```", "```code```"),
        ("100%% sure", "100% % sure"),
        ("both %%hidden%%", "both %%hidden%%"),
        ("open <!-- comment", "open <! -- comment"),
        ("closed <!-- comment -->", "closed <!-- comment -->"),
        ("nul \x00 and bell \x07", "nul and bell"),
        ("x^2 and a^b", "x^2 and a^b"),
        ("^alone", "^alone"),
    ],
)
def test_what_could_break_the_note_is_made_harmless(said: str, kept: str) -> None:
    assert entries(add("", said).text)[0].text == kept


@pytest.mark.parametrize("said", ["", "  \n", "-", "- ", "* - +", "[ ]", "\x00"])
def test_an_empty_entry_is_refused(said: str) -> None:
    with pytest.raises(Refused):
        add("- a", said)


def test_an_entry_is_never_taken_for_one_that_begins_alike() -> None:
    text = "- foo ^abc\n- foobar ^abcd\n- foo\n"
    assert remove(text, "abc").text == "- foobar ^abcd\n- foo\n"
    assert edit(text, "^abcd", "bar").text == "- foo ^abc\n- bar ^abcd\n- foo\n"
    assert add(text, "foob").text.endswith("- foo\n- foob ^" + add(text, "foob").entry.id + "\n")
    for own in ("ab", "abcde", "foo", "", "^"):
        with pytest.raises(NoteNotFound):
            find(text, own)


def test_an_entry_by_hand_has_a_name_and_gets_its_id_when_it_is_first_touched() -> None:
    text = "- by hand\n- other\n"
    own = entries(text)[0].id
    edited = edit(text, own, "by hand, edited").text
    assert edited == f"- by hand, edited ^{own}\n- other\n"
    assert entries(edited)[0] == Bullet(own, "by hand, edited", 1, 1, True)


def test_two_entries_of_one_id_are_for_their_owner_to_tell_apart() -> None:
    with pytest.raises(NoteUnwritable, match="in lines 1 and 2"):
        find("- a ^x\n- b ^x\n", "x")


def test_equal_entries_by_hand_have_ids_of_their_own() -> None:
    first, second = entries("- same\n- same\n")
    assert first.id != second.id
    assert remove("- same\n- same\n", second.id).text == "- same\n"


def test_lines_further_in_belong_to_an_entry_and_what_is_no_text_does_not() -> None:
    text = "- one\n  goes on ^a1\n  - its own\n- two\n  | table |\n- three\n  %% why %%\n"
    assert [(e.id, e.text, e.last) for e in entries(text) if e.marked] == [("a1", "one goes on", 2)]
    assert edit(text, "a1", "new").text == "- new ^a1\n  - its own\n- two\n  | table |\n- three\n  %% why %%\n"
    assert remove(text, entries(text)[3].id).text.endswith("| table |\n  %% why %%\n")


@pytest.mark.parametrize(
    "inside", ["---\n- a\n---\n", "```\n- a\n```\n", "~~~\n- a\n```\n~~~\n", "%%\n- a\n%%\n", "<!--\n- a\n-->\n"]
)
def test_what_stands_in_frontmatter_code_and_comments_is_no_entry(inside: str) -> None:
    assert [one.text for one in entries(f"{inside}- b\n")] == ["b"]
    assert add(inside, "c").text == f"{inside}\n- c ^{add('', 'c').entry.id}\n"


@pytest.mark.parametrize(
    "placeholder", ["(nothing yet)", "_None yet._", "*Nothing here yet.*", "- (none)", "- …", "...", "Nothing yet"]
)
def test_a_placeholder_vanishes_at_the_first_entry(placeholder: str) -> None:
    text = f"# Memory\n\n## One\n\n{placeholder}\n\n## Two\n\n{placeholder}\n"
    made = add(text, "a")
    assert made.text == f"# Memory\n\n## One\n\n- a ^{made.entry.id}\n\n## Two\n\n{placeholder}\n"
    assert entries(text) == []


def test_words_that_only_look_like_a_placeholder_stay() -> None:
    assert add("- None\n", "a").text.startswith("- None\n- a")


def test_entries_go_where_they_belong() -> None:
    fresh = add(FRESH_MEMORY, "a")
    assert fresh.text.startswith("# Memory\n\n## Preferences and style\n\n- a ^")
    second = add(fresh.text, "b", section="operational NOTES")
    assert second.text.endswith(f"## Operational notes\n\n- b ^{second.entry.id}\n")
    third = add(second.text, "c", section="Preferences and style")
    assert find(third.text, third.entry.id).line == find(third.text, fresh.entry.id).line + 1
    assert add(third.text, "d").entry.line > find(third.text, second.entry.id).line
    with pytest.raises(NoteNotFound, match="no heading 'Elsewhere'"):
        add(FRESH_MEMORY, "x", section="Elsewhere")


def test_an_entry_that_comes_back_keeps_its_id_and_does_not_come_twice() -> None:
    assert add("- a ^one\n", "b", own="two").text == "- a ^one\n- b ^two\n"
    edited = "- a, as its owner has put it ^one\n"
    assert add(edited, "a", own="one").text == edited


def test_the_line_of_an_entry_is_read_as_that_entry() -> None:
    entry = Bullet("m3k9f2", "Tea", 1, 1, True)
    assert entries(line_of(entry)) == [entry]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_are_those_of_the_note(end: str) -> None:
    text = end.join(["# A", "", "- a", "- b"])
    assert add(text, "c", own="x1").text == end.join(["# A", "", "- a", "- b", "- c ^x1", ""])
    own = entries(text)[0].id
    assert edit(text, own, "z").text == end.join(["# A", "", f"- z ^{own}", "- b"])
    last = entries(text)[1].id
    assert edit(text, last, "z").text == end.join(["# A", "", "- a", f"- z ^{last}"])


MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        "- same\n" * (MEGABYTE // 14),
        "".join(f"- entry {n} ^i{n}\n" for n in range(MEGABYTE // 20)),
        "- " + " " * MEGABYTE + "x",
        "- " + " ^a" * (MEGABYTE // 3),
        "# " + " #" * (MEGABYTE // 2) + "x",
        "- a\n" + "  b\n" * (MEGABYTE // 4),
        "<!--\n" * (MEGABYTE // 5),
        "```\n%%\n" * (MEGABYTE // 7),
        "%" * MEGABYTE,
    ],
    ids=["same", "many", "spaces", "ids", "hashes", "long", "comments", "fences", "percent"],
)
@pytest.mark.slow
def test_a_megabyte_takes_a_moment(text: str) -> None:
    started = time.process_time()
    add(text, "new")
    entries(text)
    assert time.process_time() - started < 5


@pytest.mark.parametrize("said", ["a ^b" * (MEGABYTE // 4), "a " + "^b " * (MEGABYTE // 3), "- " * MEGABYTE + "x"])
def test_so_does_a_text_of_a_megabyte(said: str) -> None:
    started = time.process_time()
    add("- a", said)
    assert time.process_time() - started < 3
