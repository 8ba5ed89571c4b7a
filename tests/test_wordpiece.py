"""Word pieces: the same, token for token, as the `tokenizers` package makes of the same vocabulary."""

from __future__ import annotations

import os
import tracemalloc
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoro.providers.builtin import wordpiece
from memoro.providers.builtin.wordpiece import UNKNOWN, WordPieces

VOCABULARY = os.path.join(os.path.dirname(wordpiece.__file__), "vocabulary.txt")
EXAMPLES = (
    "Hello, World! it's a test_case; $5.00 + 10% <tag> ~x^y`z|",
    "unaffable UNAFFABLE Unaffable",
    "naïve café ÀÉÎÕÜ Ångström Straße İstanbul ǅ",
    "記憶は力なり 我爱喝茶 한국어 ﬁ Ⅳ ① ½ ²",
    "tab\tnewline\nreturn\rnul\x00bell\x07vertical\x0bform\x0cdel\x7f",
    "soft\u00adhyphen zero\u200bwidth nbsp\u00a0here line\u2028sep \ufeffmark \ufffd",
    "“quoted” – dash — … ¿qué? ¡sí! « »",
    "👍🏽 👨‍👩‍👧 ☕ ♥ €",
    "a" * 100 + " " + "a" * 101,
    "é" * 60,
    "ᾼ ẞ Σας ΌΣΟΣ привет Ёлка й",
    "https://example.org/a?b=c&d=e#f readFileSync snake_case",
    "[CLS] [SEP] [UNK] [MASK] ##ing",
    "\U00020000\U0002f800\uf900\u3400",
    "",
    "   ",
)


@cache
def vocabulary() -> list[str]:
    with open(VOCABULARY, encoding="utf-8", newline="\n") as file:
        return file.read().split("\n")[:-1]


@cache
def ours() -> WordPieces:
    return WordPieces(vocabulary())


@given(st.text(max_size=12) | st.from_regex(r"[A-Za-z0-9]{1,16}", fullmatch=True))
@example("")
def test_a_word_by_itself_has_the_pieces_that_it_has_as_a_text(word: str) -> None:
    assert list(ours().of_word(word)) == ours()(word)


@cache
def theirs() -> Any:
    tokenizers = pytest.importorskip("tokenizers")
    from tokenizers import models, normalizers, pre_tokenizers

    numbers = {piece: number for number, piece in enumerate(vocabulary())}
    made = tokenizers.Tokenizer(models.WordPiece(numbers, unk_token="[UNK]", max_input_chars_per_word=100))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


def same(text: str) -> None:
    pieces = vocabulary()
    expected = theirs().encode(text, add_special_tokens=False).ids
    assert [pieces[i] for i in ours()(text)] == [pieces[i] for i in expected]


def pieces(text: str) -> list[str]:
    return [vocabulary()[number] for number in ours()(text)]


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_examples_are_split_as_the_original_splits_them(text: str) -> None:
    same(text)


words = st.sampled_from(
    ["tea", "Teapot", "unbelievably", "don't", "3.14", "x2", "Wi-Fi", "e-mail", "ÉTÉ", "茶", "\t", "\n"]
)
latin = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x24F), max_size=60)
cjk = st.text(st.characters(min_codepoint=0x3000, max_codepoint=0x9FFF, exclude_categories=["Cn"]), max_size=30)
european = st.text(st.characters(min_codepoint=0x370, max_codepoint=0x52F, exclude_categories=["Cn"]), max_size=30)


@given(st.text(st.characters(max_codepoint=0x7F), max_size=80))
def test_any_ascii_is_split_as_the_original_splits_it(text: str) -> None:
    same(text)


@given(st.lists(words | latin | cjk | european, max_size=6).map(" ".join))
@example("İ")
def test_any_latin_greek_cyrillic_or_chinese_text_is_split_as_the_original_splits_it(text: str) -> None:
    same(text)


@given(st.lists(words | st.text(max_size=20), max_size=6).map(" ".join))
def test_any_text_gives_known_pieces(text: str) -> None:
    assert all(0 <= number < len(vocabulary()) for number in ours()(text))


def test_the_longest_known_piece_comes_first() -> None:
    split = WordPieces(["[PAD]", "t", "te", "tea", "##p", "##po", "##t", "##pot", "pot"])
    assert split("tea teapot tepot pot") == [3, 3, 7, 2, 7, 8]


def test_a_word_of_which_any_part_is_unknown_is_unknown_as_a_whole() -> None:
    split = WordPieces(["tea", "##pot"])
    assert split("teapot teacup tea") == [0, 1, UNKNOWN, 0]


def test_a_word_of_more_than_a_hundred_characters_is_unknown() -> None:
    assert "[UNK]" not in pieces("a" * 100)
    assert pieces("a" * 101) == ["[UNK]"]


def test_accents_and_case_make_no_difference() -> None:
    assert pieces("Café NAÏVE Über") == pieces("cafe naive uber")


def test_every_punctuation_mark_and_every_chinese_character_is_a_word() -> None:
    assert pieces("tea,tea!...") == ["tea", ",", "tea", "!", ".", ".", "."]
    assert pieces("天地人") == pieces("天 地 人") != ["[UNK]"]


def test_characters_that_cannot_be_seen_do_not_part_words() -> None:
    assert pieces("t\x00e\x07a t\u200be\u00ada") == ["tea", "tea"]


def test_a_word_met_before_gives_the_same_pieces_again() -> None:
    split = WordPieces(vocabulary())
    assert split("unbelievably good") == split("unbelievably good") == ours()("unbelievably good")


def test_a_text_without_words_has_no_pieces() -> None:
    assert ours()("") == ours()(" \t\n ") == ours()("\x00\u200b") == []


@pytest.mark.slow
def test_words_that_were_met_once_do_not_pile_up() -> None:
    split = WordPieces(["tea", *(f"##{digit}" for digit in range(10))])
    tracemalloc.start()
    try:
        for number in range(120_000):
            split(f"tea{number}")
        assert tracemalloc.get_traced_memory()[0] < 14 << 20
    finally:
        tracemalloc.stop()
    assert split("tea12") == [0, 2, 3]
