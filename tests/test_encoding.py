"""Whatever wrote a note, its bytes become text, or it is said why not."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoro.errors import NoteUnreadable
from memoro.vault.encoding import decode

TEXT = "café 茶\r\n🫖\n"


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
    ],
    ids=["plain", "UTF-8 with a mark", "UTF-16 LE", "UTF-16 BE"],
)
def test_a_mark_tells_the_encoding_and_is_no_part_of_the_text(data: bytes) -> None:
    assert decode(data) == (TEXT, None)


def test_an_empty_file_is_an_empty_text() -> None:
    assert decode(b"") == ("", None)
    assert decode(codecs.BOM_UTF8) == ("", None)
    assert decode(codecs.BOM_UTF16_LE) == ("", None)


def test_bytes_that_are_not_utf8_are_read_as_windows_1252_and_it_is_said() -> None:
    text, notice = decode("café “naïve” – 5 €".encode("cp1252"))
    assert text == "café “naïve” – 5 €"
    assert notice is not None
    assert "Windows-1252" in notice


def test_a_file_of_mixed_origin_keeps_what_is_right_in_it() -> None:
    text, notice = decode("茶 and ".encode() + "café".encode("latin-1") + " and naïve".encode())
    assert text == "茶 and café and naïve"
    assert notice is not None


def test_a_byte_that_means_nothing_becomes_a_replacement_character() -> None:
    assert decode(b"a\x81b")[0] == "a\ufffdb"


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF\x02\x01\x01\x00\x00\x00",
        b"\x00",
        b"text and then \x00 nothing",
        "tea".encode("utf-16-le"),
        "tea".encode("utf-32"),
        codecs.BOM_UTF32_BE + "tea".encode("utf-32-be"),
    ],
    ids=["program", "zero", "text with a zero", "UTF-16 without a mark", "UTF-32 LE", "UTF-32 BE"],
)
def test_a_binary_file_is_refused_and_it_is_said_what_to_do(data: bytes) -> None:
    with pytest.raises(NoteUnreadable, match="binary file; move it"):
        decode(data)


@pytest.mark.parametrize("data", [b"\xff\xfea", b"\xff\xfe\x00\xd8a\x00", b"\xfe\xff\xdc\x00"])
def test_half_a_utf16_character_is_refused(data: bytes) -> None:
    with pytest.raises(NoteUnreadable, match="save it as UTF-8"):
        decode(data)


def test_a_zero_far_down_a_text_is_replaced_and_the_rest_is_read() -> None:
    text, _ = decode(b"tea\n" * 4000 + b"\x00 leaves")
    assert text.endswith("tea\n\ufffd leaves")


@given(data=st.binary(max_size=300))
@example(codecs.BOM_UTF16_LE + b"a\x00\x00\x00")
@example(b"\xef\xbb\xbf\xef\xbb\xbf")
@example(b"\xed\xa0\x80")  # a surrogate, as UTF-8 must not have it
@example(b"\xf4\x90\x80\x80")  # beyond Unicode
@example(b"\xc3")
@example(b"tea " * 3000 + b"\x00")
def test_any_bytes_become_text_that_can_be_stored_or_are_refused(data: bytes) -> None:
    try:
        text, _ = decode(data)
    except NoteUnreadable:
        return
    assert b"\x00" not in text.encode()


@given(text=st.text())
def test_text_without_a_zero_survives_utf8_and_utf16(text: str) -> None:
    kept = text.replace("\x00", "").removeprefix("\ufeff")
    assert decode(kept.encode()) == (kept.removeprefix("\ufeff"), None)
    assert decode(kept.encode("utf-16")) == (kept, None)


@given(parts=st.lists(st.sampled_from(["tea", " ", "é ", "ü-", "Ñ.", "ß\n", "£5"])))
def test_text_of_western_europe_survives_latin_1(parts: list[str]) -> None:
    text = "".join(parts)
    read, notice = decode(text.encode("latin-1"))
    assert read == text
    assert (notice is None) == text.isascii()
