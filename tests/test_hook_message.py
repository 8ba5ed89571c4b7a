"""The messages between a hook and `memoro serve`: whole or nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoro.model.hook_message import (
    MAX_BYTES,
    MAX_HEADER_BYTES,
    decode_answer,
    decode_header,
    encode_answer,
    encode_request,
    parse_request_line,
)

values = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
names = st.text(st.characters(exclude_characters="\0=$", exclude_categories=["Cs"]), min_size=1)


@given(fields=st.dictionaries(names, values), environment=st.dictionaries(names, values), event=st.binary())
def test_what_a_hook_sends_is_what_the_server_reads(
    fields: dict[str, str], environment: dict[str, str], event: bytes
) -> None:
    line, _, rest = encode_request("1.2", fields, environment, event).partition(b"\n")
    sizes = parse_request_line(line, "1.2")

    assert sizes is not None
    assert decode_header(rest[: sizes[0]]) == (fields, environment)
    assert rest[sizes[0] :] == event


def test_a_variable_that_is_no_text_passes_byte_for_byte() -> None:
    line, _, rest = encode_request("1.2", {}, {"NAME": "caf\udce9"}, b"").partition(b"\n")

    assert decode_header(rest) == ({}, {"NAME": "caf\udce9"})
    assert line.endswith(b" 10 0")


def test_a_request_of_another_version_is_not_understood() -> None:
    line = encode_request("1.2", {}, {}, b"").partition(b"\n")[0]

    assert parse_request_line(line, "1.2") == (0, 0)
    assert parse_request_line(line, "1.3") is None


@given(st.binary())
def test_any_other_line_is_no_request(line: bytes) -> None:
    assert parse_request_line(line, "1.2") is None


def test_a_request_that_is_too_large_is_refused_by_its_line() -> None:
    def parsed(header: int, event: int) -> tuple[int, int] | None:
        return parse_request_line(b"memoro-hook-1 1.2 %d %d" % (header, event), "1.2")

    assert parsed(MAX_HEADER_BYTES, MAX_BYTES) == (MAX_HEADER_BYTES, MAX_BYTES)
    assert parsed(MAX_HEADER_BYTES + 1, 0) is None
    assert parsed(0, MAX_BYTES + 1) is None


@given(st.binary(), st.binary(min_size=1))
def test_only_a_whole_answer_is_an_answer(text: bytes, more: bytes) -> None:
    message = encode_answer(text)

    assert decode_answer(message) == text
    assert all(decode_answer(message[:end]) is None for end in range(len(message)))
    assert decode_answer(message + more) is None
