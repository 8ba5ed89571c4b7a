"""A snippet is short, shows why its passage was found, and is never cut through a character."""

from __future__ import annotations

import time
import unicodedata
from pathlib import Path

import apsw
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import memoro
from memoro.model.words import searchable
from memoro.search.snippet import MAX_CHARACTERS, snippet
from memoro.store.terms import terms, tokenizer
from tests.conftest import write_vault

TOKENIZE = tokenizer(apsw.Connection(":memory:"))


def stems(text: str) -> set[str]:
    return {term.stem for term in terms(searchable(text), TOKENIZE)}


def shown(text: str, *wanted: str) -> str:
    return snippet(text, stems, set().union(*map(stems, wanted)))


def test_a_short_passage_is_shown_whole() -> None:
    text = "tea\n" * (MAX_CHARACTERS // 4)
    assert len(text) == MAX_CHARACTERS
    assert shown(text, "tea") == text
    assert shown("", "tea") == ""


def test_a_long_passage_is_shown_from_the_lines_with_most_of_the_words() -> None:
    filler = "nothing here\n" * 80
    assert "green tea in a cup" in shown(f"tea\n{filler}green tea in a cup\n{filler}", "green", "tea", "cup")


def test_a_passage_without_the_words_is_shown_from_its_top() -> None:
    assert shown("first line\n" + "nothing here\n" * 80, "tea").startswith("first line\nnothing")


def test_a_word_at_the_end_of_a_long_line_below_a_short_one_is_shown() -> None:
    assert "tea" in stems(shown("first line\n" + "nothing here " * 80 + "tea", "tea"))


def test_a_word_anywhere_in_a_very_long_line_is_shown() -> None:
    for before in range(0, 1000, 11):
        text = "x " * before + "tea" + " y" * (1000 - before)
        assert "tea" in stems(shown(text, "tea"))


def test_the_beginning_of_a_longer_word_is_not_taken_for_the_word() -> None:
    for before in range(200):
        text = "x" * before + " " + "category " * 300 + "cat" + " dog" * 300
        assert "cat" in stems(shown(text, "cat"))


@given(words=st.lists(st.sampled_from(["tea", "green", "cups", "a", "readFile"]), min_size=300, max_size=400))
def test_a_very_long_line_is_shown_from_where_the_first_wanted_word_is(words: list[str]) -> None:
    line = " ".join(["plain"] * 200 + words)
    wanted = stems("cup file")
    first = next((at for at, word in enumerate(words, 200) if wanted & stems(word)), None)
    if first is not None:
        skipped = line.index(shown(line, "cup", "file").rstrip("…"))
        assert skipped <= len(" ".join(line.split(" ")[:first])) + 1 <= skipped + MAX_CHARACTERS // 4 + 1


def test_a_word_in_a_line_without_spaces_is_shown() -> None:
    for before in range(0, 1500, 13):
        text = "無" * before + "緑茶" + "駄" * (1500 - before)
        assert "緑茶" in stems(shown(text, "緑茶"))


@pytest.mark.parametrize("asked", ["茶", "茶葉", "leaves"])
def test_what_was_asked_for_is_in_the_snippet_of_an_answer(asked: str, vault: Path) -> None:
    write_vault(vault, {"a.md": "nothing here\n" * 80 + "茶葉 and leaves\n" + "nothing here\n" * 5})
    with memoro.open(":memory:", vault) as m:
        [hit] = m.search(asked).results
    assert len(hit.snippet) <= MAX_CHARACTERS
    assert asked in hit.snippet


filler = st.sampled_from(
    ["nothing ", "here\n", "x", "xyz " * 60, "無駄", "\n\n", "cats and teapots ", "a" * 250 + " "]
)
passages = st.lists(filler, max_size=25).map("".join)


@given(before=passages, after=passages, word=st.sampled_from(["tea", "cup", "緑茶", "maxRetryCount"]))
def test_a_word_that_the_passage_holds_is_shown(before: str, after: str, word: str) -> None:
    found = shown(f"{before} {word} {after}", word)
    assert stems(word) & stems(found)


@given(text=passages | st.text(min_size=600, max_size=900), wanted=st.sampled_from(["tea", "here", "無駄", "cats"]))
def test_a_snippet_is_short_and_part_of_its_passage(text: str, wanted: str) -> None:
    found = shown(text, wanted)
    assert len(found) <= MAX_CHARACTERS
    if len(text) <= MAX_CHARACTERS:
        assert found == text
    else:
        assert found.removesuffix("…") in text


def joins(character: str) -> bool:
    """Whether a reader sees it as part of the character before it."""
    return (
        unicodedata.category(character)[0] == "M"
        or character == "\u200d"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
    )


@pytest.mark.parametrize(
    "cluster",
    ["e\u0301", "का", "नि", "ที่", "👍🏽", "👩\u200d💻", "❤\ufe0f", "a\u0323\u0307"],
    ids=["accent", "aa", "i", "thai", "skin", "zwj", "heart", "two marks"],
)
@pytest.mark.parametrize("shift", range(6))
def test_a_character_of_several_is_never_cut_through(cluster: str, shift: int) -> None:
    for between, asked in (("", "absent"), (" tea ", "tea"), ("緑茶", "緑茶")):
        text = "x" * shift + cluster * 400 + between + cluster * 400
        found = shown(text, asked)
        at = text.index(found.removesuffix("…"))
        assert not joins(text[at])
        assert at == 0 or text[at - 1] != "\u200d"
        end = at + len(found.removesuffix("…"))
        while end < len(text) and text[end] == " ":
            end += 1  # a snippet does not end in spaces
        if end < len(text):
            assert not joins(text[end])
            assert text[end - 1] != "\u200d"


@given(mark=st.sampled_from("\u0301\u200d\ufe0f\u093f"), length=st.integers(700, 900))
@example("\u0301", 701)
def test_a_passage_of_marks_alone_is_still_cut(mark: str, length: int) -> None:
    assert 600 <= len(shown("e" + mark * length, "tea")) <= MAX_CHARACTERS


@pytest.mark.parametrize("text", ["a\n" * 8_000, "tea\n" * 4_000, "tea " * 4_000, "茶" * 16_000], ids=len)
def test_the_longest_passages_take_no_time(text: str) -> None:
    started = time.process_time()
    shown(text, "tea", "茶")
    assert time.process_time() - started < 1


@pytest.mark.parametrize("name", ["readFileSync", "read_file_sync", "plain"])
def test_a_part_of_an_identifier_far_down_a_long_line_is_shown(tmp_path: Path, name: str) -> None:
    wanted = "file" if name != "plain" else name
    vault = write_vault(tmp_path / "vault", {"a.md": "x y " * 300 + f"call {name} here"})
    with memoro.open(tmp_path / "home", vault) as m:
        assert name in m.search(wanted, mode="words").results[0].snippet
