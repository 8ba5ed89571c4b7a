"""Text becomes words that can be found: unspaced scripts in pairs, identifiers by their parts, any string at all."""

from __future__ import annotations

import re
import time
import unicodedata
from itertools import pairwise

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.model.words import UNSPACED, clean, is_unspaced, pairs, searchable, searchable_query
from memoro.store.terms import terms, tokenizer

TOKENIZE = tokenizer(apsw.Connection(":memory:"))

anything = st.text(st.characters(), max_size=200)  # lone surrogates included
han = st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF)
kana = st.characters(min_codepoint=0x3041, max_codepoint=0x3096)
hangul = st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3)
rare_han = st.characters(min_codepoint=0x20000, max_codepoint=0x2A6DF)
unspaced = st.one_of(han, kana, hangul, rare_han)


def stems(text: str) -> set[str]:
    return {term.stem for term in terms(searchable(text), TOKENIZE)}


def test_plain_words_are_left_as_they_are() -> None:
    assert searchable("green tea, at 10:30") == "green tea, at 10:30"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("绿茶好", ["绿茶", "茶好", "好"]),
        ("カフェ", ["カフ", "フェ", "ェ"]),
        ("나무", ["나무", "무"]),
        ("ชา", ["ชา", "า"]),
        ("ລາວ", ["ລາ", "າວ", "ວ"]),
        ("မြန်", ["မြ", "ြန", "န်", "်"]),
        ("ខ្មែរ", ["ខ្", "្ម", "មែ", "ែរ", "រ"]),
        ("𠮷野家", ["𠮷野", "野家", "家"]),
        ("茶", ["茶"]),
    ],
)
def test_a_script_without_spaces_becomes_pairs_and_its_last_character(text: str, words: list[str]) -> None:
    assert searchable(text).split() == words


def test_a_query_has_the_pairs_and_no_lone_last_character() -> None:
    assert searchable_query("绿茶好").split() == ["绿茶", "茶好"]


def test_a_single_character_is_a_query_of_its_own() -> None:
    assert searchable_query("茶").split() == ["茶"]


def test_scripts_are_parted_where_they_meet() -> None:
    assert searchable("Python入門tea").split() == ["Python", "入門", "門", "tea"]


@given(before=st.text("ab 1.,", max_size=5), run=st.text(unspaced, min_size=2, max_size=20))
def test_every_two_neighbours_are_a_word_of_the_index(before: str, run: str) -> None:
    found = stems(f"{before}{run} tea")
    assert {one + other for one, other in pairwise(run)} <= found


@given(run=st.text(unspaced, min_size=1, max_size=20))
def test_every_character_begins_a_word_of_the_index(run: str) -> None:
    found = stems(run)
    assert all(any(word.startswith(character) for word in found) for character in run)


@given(text=st.text(unspaced, min_size=1, max_size=20), data=st.data())
def test_any_part_of_an_unspaced_text_is_a_query_that_finds_it(text: str, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(text) - 1))
    last = data.draw(st.integers(first + 1, len(text)))
    asked = terms(searchable_query(text[first:last]), TOKENIZE)
    found = stems(text)
    assert asked
    for term in asked:
        assert any(word.startswith(term.stem) if term.prefix else word == term.stem for word in found)


@given(run=st.text(unspaced, min_size=1, max_size=20))
def test_pairs_overlap_by_one_character(run: str) -> None:
    words = pairs(run, ends=False)
    assert "".join(word[0] for word in words) + words[-1][1:] == run
    assert pairs(run, ends=True) == ([*words, run[-1]] if len(run) > 1 else [run])


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("getUserName", ["getUserName", "get", "User", "Name"]),
        ("max_retry_count", ["maxretrycount", "max", "retry", "count"]),
        ("MAX_RETRY", ["MAXRETRY", "MAX", "RETRY"]),
        ("parseHTTPResponse", ["parseHTTPResponse", "parse", "HTTP", "Response"]),
        ("utf8Decoder", ["utf8Decoder", "utf8", "Decoder"]),
        ("_private_name", ["_privatename", "private", "name"]),
        ("iPhone", ["iPhone", "i", "Phone"]),
        ("HTTPServer", ["HTTPServer"]),
        ("Title", ["Title"]),
        ("README", ["README"]),
    ],
)
def test_an_identifier_is_a_word_and_each_of_its_parts_is_one(identifier: str, words: list[str]) -> None:
    assert searchable(f"see {identifier} there").split() == ["see", *words, "there"]


@pytest.mark.parametrize("asked", ["maxRetryCount", "max_retry_count", "max retry count", "maxretrycount", "retry"])
@pytest.mark.parametrize("written", ["maxRetryCount", "max_retry_count"])
def test_an_identifier_is_found_however_it_is_written(written: str, asked: str) -> None:
    assert {term.stem for term in terms(searchable_query(asked), TOKENIZE)} & stems(written)


@pytest.mark.parametrize("word", ["maxGröße", "größeMax", "naïveBayes", "getÜbersicht"])
def test_a_word_with_other_letters_than_ascii_stays_whole(word: str) -> None:
    assert {term.stem for term in terms(searchable_query(word.lower()), TOKENIZE)} <= stems(word)


def test_the_parts_of_a_path_are_words() -> None:
    assert {"src", "memoro", "query", "py"} <= {
        term.word for term in terms(searchable("src/memoro/query.py"), TOKENIZE)
    }


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ﬁle", "file"),
        ("ＡＢＣ", "ABC"),
        ("ｶﾞﾗｽ", "ガラス"),
        ("cafe\u0301", "caf\u00e9"),
        ("ᄒ\u1161\u11ab", "한"),
        ("x²", "x2"),
    ],
)
def test_two_spellings_of_one_character_are_one(one: str, other: str) -> None:
    assert searchable(one) == searchable(other)
    assert searchable_query(one) == searchable_query(other)


@pytest.mark.parametrize("mark", ["\x00", "\ud800", "\udfff"])
def test_what_no_store_can_keep_parts_words(mark: str) -> None:
    assert searchable(f"green{mark}tea") == "green tea"
    assert searchable(f"grün{mark}tee") == "grün tee"


@pytest.mark.parametrize("text", ["❤️", "´", "¨", "1\ufe0f\u20e3", "_\u0301", "茶\u0301", "\u0301\u0338"])
def test_a_mark_on_no_letter_is_no_word(text: str) -> None:
    assert all(any(c.isalnum() for c in term.word) for term in terms(searchable(text), TOKENIZE))
    assert stems(f"{text} tea") == stems(text) | {"tea"}


@pytest.mark.parametrize("url", ["https://example.org/a?b=c", "www.example.org/tea", "obsidian+x://open?vault=v"])
def test_a_query_is_without_addresses_and_a_note_keeps_them(url: str) -> None:
    assert searchable_query(f"tea {url} leaves").split() == ["tea", "leaves"]
    assert url in searchable(f"tea {url} leaves")


@given(text=anything)
def test_any_string_becomes_text_that_can_be_stored(text: str) -> None:
    for made in (searchable(text), searchable_query(text), clean(text)):
        assert b"\x00" not in made.encode()
    terms(searchable(text), TOKENIZE)


@given(text=anything)
def test_a_clean_text_is_in_normal_form_and_stays_so(text: str) -> None:
    once = clean(text)
    assert unicodedata.is_normalized("NFKC", once)
    assert clean(once) == once


@given(text=st.text("abcXYZ019_ .-/é茶", max_size=60))
def test_no_word_is_lost_by_adding_others(text: str) -> None:
    kept = {term.word for term in terms(searchable(text), TOKENIZE)}
    for word in re.findall(r"[^\W_]+", text):
        latin = [part for part in re.split(f"[{UNSPACED}]+", word) if part]
        assert all(any(part in whole for whole in kept) for part in latin)


@given(text=anything)
def test_only_a_run_of_unspaced_characters_is_unspaced(text: str) -> None:
    assert is_unspaced(text) == (text != "" and all(re.match(f"[{UNSPACED}]", c) for c in text))


@pytest.mark.parametrize(
    "text",
    [
        "A " + "a" * 30_000,
        "_" + "a" * 30_000,
        "a_" * 30_000,
        "aA" * 30_000,
        "A" * 30_000 + "b",
        "aA" * 30_000 + "é",
        "茶" * 30_000,
    ],
    ids=["lower", "after a bar", "bars", "humps", "upper", "humps and an accent", "tea"],
)
def test_a_very_long_text_is_read_at_once(text: str) -> None:
    started = time.process_time()
    searchable(text)
    searchable_query(text[:4096])
    assert time.process_time() - started < 1


@given(text=st.text(st.sampled_from("aB1_ é東."), max_size=30))
def test_identifiers_are_found_wherever_the_pattern_finds_one(text: str) -> None:
    """Texts without a hump or an underscore are not looked at: none of them holds an identifier."""
    identifier = r"(?<![^\W_])(?:[A-Za-z0-9]*[a-z0-9][A-Z][A-Za-z0-9]*|[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+)"
    if re.search(identifier, text):
        assert "_" in text or re.search("[a-z0-9][A-Z]", text)
    elif text.isascii():
        assert searchable(text) == text
