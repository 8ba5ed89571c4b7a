"""Logs that are one JSON document are read whole, wherever their lines break; what is left out is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.transcripts.readers import HEAD, is_document, recognise_document, recognise_lines
from tests.logs import Logs, indexed

META = {"sessionId": "s1", "projectHash": "p", "startTime": "2026-03-01T10:00:00.000Z"}
SAID = [
    {"id": f"m{number}", "type": ("user", "gemini")[number % 2], "content": f"message number {number} about herons"}
    for number in range(6)
]
PLAIN = [{"role": ("user", "assistant")[n % 2], "content": f"message number {n} about herons"} for n in range(6)]


def one_a_line(messages: list[Any]) -> str:
    listed = ",\n".join(json.dumps(one) for one in messages)
    return f'{json.dumps(META)[:-1]}, "messages": [\n{listed}\n]}}\n'


SHAPES = {
    "one line": lambda: json.dumps({**META, "messages": SAID}),
    "one line and its end": lambda: json.dumps({**META, "messages": SAID}) + "\n",
    "one message a line": lambda: one_a_line(SAID),
    "indented": lambda: json.dumps({**META, "messages": SAID}, indent=2),
    "with a mark before it": lambda: "\ufeff" + one_a_line(SAID),
    "Windows": lambda: one_a_line(SAID).replace("\n", "\r\n"),
}


def texts(name: str, text: str | bytes) -> tuple[list[str], list[str]]:
    """The messages that are indexed of a log, and what had to be said about it."""
    found, problems = indexed({name: text})
    return [chunk.text for chunks in found.values() for chunk in chunks], problems


@pytest.mark.parametrize("name", SHAPES)
def test_a_chat_of_gemini_is_read_whole_wherever_its_lines_break(name: str) -> None:
    said, problems = texts("session-1.json", SHAPES[name]())
    assert [text.partition(": ")[2] for text in said] == [str(one["content"]) for one in SAID]
    assert problems == []


@pytest.mark.parametrize("indent", [None, 0, 2])
@pytest.mark.parametrize("name", ["chat.json", "chat.jsonl"])
def test_a_plain_list_of_messages_is_a_conversation(name: str, indent: int | None) -> None:
    for listed in (PLAIN, {"model": "m", "messages": PLAIN}):
        said, problems = texts(name, json.dumps(listed, indent=indent))
        assert [text.partition(": ")[2] for text in said] == [one["content"] for one in PLAIN]
        assert problems == []


def test_a_record_a_line_is_no_document() -> None:
    lines = "".join(json.dumps(one) + "\n" for one in PLAIN)
    assert recognise_lines(lines.encode()) is not None
    torn = '{"role": "user", "content": "cut off in the mid\n' + lines
    assert recognise_lines(torn.encode()) is not None
    said, problems = texts("chat.jsonl", torn)
    assert len(said) == len(PLAIN)
    assert problems == ["Lines left out because they are no JSON records: 1. The others are indexed."]


def test_a_document_that_is_longer_than_what_is_looked_at_is_one() -> None:
    long = [{**one, "content": "x" * 3000 + str(number)} for number, one in enumerate(SAID * 40)]
    text = one_a_line([{**one, "id": f"m{n}"} for n, one in enumerate(long)])
    assert len(text) > HEAD
    assert len(texts("session-1.json", text)[0]) >= 240


@given(cut=st.integers(2, len(one_a_line(SAID)) - 1))
def test_a_document_that_is_cut_off_is_never_taken_for_lines_in_silence(cut: int) -> None:
    said, problems = texts("session-1.json", one_a_line(SAID)[:cut])
    assert problems or cut < 120 or len(said) == len(SAID)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=9),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
        max_leaves=9,
    ),
    st.sampled_from([0, 1, None]),
)
def test_whether_a_value_is_a_document_does_not_depend_on_where_its_lines_break(
    value: Any, indent: int | None
) -> None:
    document = {"messages": [value], "sessionId": "s"}
    head = json.dumps(document, indent=indent).encode()
    for shown in (head, head + b"\n", b"\xef\xbb\xbf" + head):
        assert is_document(shown)
        assert recognise_lines(shown) is None
        assert recognise_document(shown) is not None


def test_whatever_is_left_out_is_counted() -> None:
    broken = json.dumps([*PLAIN, "a text", 5, {"content": "nobody says it"}])
    said, problems = texts("chat.json", broken)
    assert len(said) == len(PLAIN)
    assert problems == ["Elements left out because they are no messages with `role` and `content`: 3."]
    said, problems = texts("chat.json", json.dumps(PLAIN)[:-30])
    assert len(said) == len(PLAIN) - 1
    assert problems[0].startswith("After its first 5 elements it is no JSON: the last ")
    said, problems = texts("session-1.json", json.dumps({**META, "messages": [*SAID, 7]}))
    assert (len(said), problems) == (len(SAID), ["Messages left out because they are no objects: 1."])
    assert texts("session-1.json", one_a_line(SAID)[:-4])[1] == ["It is not whole, or no JSON: none of it was read."]
    said, problems = texts("x.json", json.dumps({"nothing": "known"}))
    assert said == [] and "not a conversation log" in problems[0]


def test_the_count_of_lines_left_out_stays_when_a_log_grows(tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    file = logs.folder / "chat.jsonl"
    lines = [json.dumps(one) + "\n" for one in PLAIN]
    file.write_text("".join([lines[0], "no record\n", *lines[1:3]]))
    assert "records: 1." in logs.sync()[0]
    with file.open("a") as log:
        log.write("".join(["another\n", *lines[3:]]))
    assert "records: 2." in logs.sync()[0]
    with file.open("a") as log:
        log.write(lines[0])
    assert "records: 2." in logs.sync()[0]
