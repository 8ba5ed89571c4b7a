"""Nothing inside a block can end it, look like another speaker, or hide from its reader."""

from __future__ import annotations

import base64
import json
import random
import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.model.fence import FENCE_CLOSE, FENCE_OPEN, without_fenced
from memoro.model.output_filter import OutputFilter
from memoro.model.recall import RecalledItem, Section
from memoro.model.tokens import quarters, tokens, whole
from memoro.model.visible import visible
from memoro.recall import fence
from memoro.recall.assemble import LEFT_OFF, fill_left_off
from tests.conftest import times

BOUNDARY = "0123456789abcdefABCD-_"
# What an attacker would write.
HOSTILE = [
    FENCE_CLOSE, f"{BOUNDARY}{FENCE_CLOSE}", FENCE_OPEN, BOUNDARY, "memoro-context", "<", "/", ">", "＜", "﹤",
    "\n", "\r\n", "\r", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1e", "\x00", "\x1b[2J",
    '"', '"}}', '"}}\n', "\\", '\\"', "\\u003c", "\\n", "{", "}", "[procedural]", "\n[pinned]\n",
    "\n\nHuman: ", "\n\nAssistant: ", "system:", "<|im_end|>", "</system>", "]]>", "-->", "\ud800", "\udfff",
    "\u202e", "\u200b", "\ufeff", "\U000e0041", "\ufe0f\ufe0f\ufe0f", "a", " ",
]  # fmt: skip
hostile = st.lists(st.sampled_from(HOSTILE) | st.text(max_size=5), max_size=12).map("".join)


def make(text: str, **fields: object) -> RecalledItem:
    usual = RecalledItem("note:a.md#12345678.1", "note", "note", "a.md", 1, 2, (), None, None, 0.5, 0, text)
    return usual._replace(**fields)  # type: ignore[arg-type]


def assert_closed(block: str, boundary: str, records: int, labels: int = 0) -> list[dict[str, object]]:
    """The block has the lines that it should have and no others, and its records are what they were."""
    lines = block.split("\n")
    assert block.splitlines() == lines[:-1], "something else ends a line"
    assert len(lines) == 2 + records + labels + 2
    assert lines[0] == f'{FENCE_OPEN} boundary="{boundary}">'
    assert lines[-2:] == [f"{boundary}{FENCE_CLOSE}", ""]
    assert block.count("<") == 2
    assert block.count(boundary) == 2
    return [json.loads(line) for line in lines[2:-2] if line.startswith("{")]


def clean(text: str) -> str:
    return OutputFilter().text(text)


@given(texts=st.lists(hostile, min_size=1, max_size=4), heading=hostile, path=hostile, speaker=hostile)
def test_no_content_can_close_the_fence(texts: list[str], heading: str, path: str, speaker: str) -> None:
    items = [
        make(clean(text), path=f"{path}{n}.md", heading=(clean(heading),), speaker=clean(speaker))
        for n, text in enumerate(texts)
    ]
    boundary = fence.fresh_boundary(fence.body(items))
    found = assert_closed(fence.block(items, boundary), boundary, len(items))
    assert [one["1-2"] for one in found] == [item.text for item in items]
    assert [next(iter(one)) for one in found] == [OutputFilter().name(item.path) for item in items]


@pytest.mark.campaign
def test_no_hostile_content_escapes_wherever_it_is_cut() -> None:
    seed = random.randrange(2**32)
    rng = random.Random(seed)
    tail = re.compile(r"[<\r\u2028\u2029\x85\x0b\x0c\x1c-\x1e]")
    for number in range(times(5_000, 1_000_000)):
        text = "".join(rng.choices(HOSTILE, k=rng.randrange(1, 9)))
        text = text[: rng.randrange(len(text) + 1)] if number % 2 else text
        record = fence.record([make(clean(text))])
        assert record.endswith("\n") and record.count("\n") == 1, f"seed {seed}, {text!r}"
        assert not tail.search(record), f"seed {seed}, {text!r}"
        assert json.loads(record)["1-2"] == clean(text), f"seed {seed}, {text!r}"


@given(text=hostile)
def test_a_boundary_that_stands_in_the_content_is_drawn_again(text: str) -> None:
    drawn = iter([BOUNDARY, "f" * 22])
    items = [make(clean(text + BOUNDARY))]
    assert fence.fresh_boundary(fence.body(items), lambda: next(drawn)) == "f" * 22


def test_every_boundary_is_of_128_bits_and_another_one() -> None:
    drawn = {fence.draw() for _ in range(100)}
    assert len(drawn) == 100
    assert all(len(base64.urlsafe_b64decode(one + "==")) == 16 for one in drawn)


@given(text=hostile, before=st.text(max_size=20), after=st.text(max_size=20))
def test_our_own_block_is_known_again_in_a_log(text: str, before: str, after: str) -> None:
    items = [make(clean(text))]
    block = fence.block(items, fence.fresh_boundary(fence.body(items)))
    if FENCE_OPEN not in before + after:
        assert without_fenced(before + block + after) == f"{before}\n{after}"


@given(texts=st.lists(hostile, min_size=1, max_size=4))
def test_what_items_take_adds_up_to_what_the_block_takes(texts: list[str]) -> None:
    items = fence.weighed([make(clean(text), path=f"{n % 2}.md") for n, text in enumerate(texts)])
    block = fence.block(items, BOUNDARY)
    assert quarters(block) == fence.fence_quarters() + quarters(fence.body(items))
    assert (
        0 <= sum(item.tokens for item in items) + (fence.fence_quarters() + 3) // 4 - tokens(block) <= len(items) + 1
    )


def test_a_label_stands_before_the_content_and_content_cannot_be_one() -> None:
    items = [make("[pinned]\nrules"), make("x", path="memory:7", kind="memory", trust="tool_or_web")]
    block = fence.block(items, BOUNDARY, (Section("semantic", 9, 9, 1), Section("relevant", 9, 9, 1)))
    found = assert_closed(block, BOUNDARY, 2, labels=2)
    assert [line for line in block.split("\n") if line.startswith("[")] == ["[semantic]", "[relevant]"]
    assert list(found[1]) == ["memory:7", "trust", "text"]
    assert found[1]["trust"] == "low (tool_or_web)"


# --- what cannot be seen ------------------------------------------------------------------------------------

FORMAT = [chr(c) for c in range(sys.maxunicode + 1) if unicodedata.category(chr(c)) == "Cf"]
IGNORED = ["\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u3164", "\uffa0", *map(chr, range(0xE0000, 0xE1000))]
FAMILY = "👨\u200d👩\u200d👧"


@pytest.mark.parametrize("around", ["{}", "a{}b", "中{}文", "a {} b", "{}\n", "é{}é"])
def test_no_invisible_character_is_shown(around: str) -> None:
    for character in [*FORMAT, *IGNORED]:
        if unicodedata.category(character) == "Cf" and unicodedata.bidirectional(character) in ("AN", "AL", "L"):
            continue  # the marks that enclose numbers are seen
        if "\U000e0100" <= character <= "\U000e01ef" and around == "中{}文":
            continue  # chooses among the forms of the ideograph before it
        assert character not in visible(around.format(character)), hex(ord(character))


@given(run=st.text("\ufe00\ufe0e\ufe0f\U000e0100\U000e01ef", min_size=2), base=st.sampled_from(["a", "中", "😀", ""]))
def test_no_run_of_variation_selectors_is_shown(run: str, base: str) -> None:
    assert visible(base + run + "b") == base + "b"


@pytest.mark.parametrize(
    "text",
    [
        FAMILY,
        "❤\ufe0f",
        "1\ufe0f\u20e3",
        "❤\ufe0f\u200d🔥",
        "می\u200cخواهم",
        "ක්\u200dෂ",
        "क्\u200dष",
        "葛\U000e0100",
        "a\tb\nc",
        "e\u0301",
    ],
)
def test_what_changes_what_is_seen_stays(text: str) -> None:
    assert visible(text) == text


@given(text=st.text(FORMAT + IGNORED + ["a", "中", "ක", "😀", "\n", "\r", "\u2028", "\x1b", "\ud800"]))
def test_showing_twice_is_showing_once_and_lines_stay(text: str) -> None:
    shown = visible(text)
    assert visible(shown) == shown
    assert shown.count("\n") == text.count("\n")
    shown.encode()


@given(text=st.text(st.characters(categories=["L", "N", "P", "Zs", "Mn"], max_codepoint=0x24F)))
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert visible(text) == text


def test_of_where_the_work_was_left_as_many_sessions_are_told_as_there_is_room_for() -> None:
    sessions = [make("a" * 80, id=f"note:{n}") for n in range(4)]
    each = fence.weighed(sessions)[0].tokens
    label = whole(quarters(fence.label(LEFT_OFF)))

    filled = fill_left_off(sessions, label + 2 * each, clean)

    assert [one.id for one in filled.items] == ["note:0", "note:1"]
    assert [one.id for one in filled.left_out] == ["note:2", "note:3"]
    assert fill_left_off(sessions, label + each, clean).items == filled.items[:1]
