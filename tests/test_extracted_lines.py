"""An `[extracted]` line says what was stated, by whom and where, and is read back from the note."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.model.extracted_lines import (
    ExtractedLine,
    agent_name,
    conversation_name,
    is_extracted,
    is_from,
    line_text,
    parse_line,
    session_name,
    without_extracted,
)
from memoro.model.vocabulary import FACT_KINDS
from memoro.vault.daily_lines import project_of_line, tagged
from memoro.vault.entries import plain

words = st.text(min_size=1, max_size=200).map(plain).filter(bool)
paths = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
lines = st.builds(
    ExtractedLine,
    text=words,
    kind=st.sampled_from(FACT_KINDS),
    agent=paths.map(lambda path: agent_name(f"@{path}")),
    conversation=paths.map(conversation_name),
    line=st.integers(0, 999_999_999),
)


@given(lines, st.sampled_from([None, "shop", "github.com/acme/shop", "~/src/Ω x"]))
def test_a_written_line_is_read_back(said: ExtractedLine, project: str | None) -> None:
    written = f"- 14:30 {tagged(plain(line_text(said)), project)}"
    if project_of_line(said.text) is None:
        assert parse_line(written) == said._replace(at="14:30", project=project_of_line(written))
    assert is_extracted(written)


@given(st.text())
def test_any_line_is_read_or_is_none(line: str) -> None:
    found = parse_line(line)
    assert found is None or is_extracted(line)


def test_a_line_names_its_conversation() -> None:
    path = "@claude/-home-ada-shop/7d3c1a52-3a1e-4a7b-9a51-1e2f3a4b5c6d.jsonl"
    said = ExtractedLine("I moved to Porto in May.", "fact", agent_name(path), conversation_name(path), 214)

    assert line_text(said) == "[extracted] I moved to Porto in May. (fact, claude 1e2f3a4b5c6d:214)"
    assert is_from(said, [path])
    assert not is_from(said, ["@codex/x-1e2f3a4b5c6d.jsonl", "@claude/-home-ada-shop/other.jsonl"])


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("@codex/2026/11/rollout-2026-11-01T10-00-00-0199c1a5-2b3c-7d4e-8f50-AABBCCDDEEFF.jsonl", "aabbccddeeff"),
        ("@opencode/opencode.db//ses_4f2a", "ses_4f2a"),
        ("@logs/talk about tea.jsonl.zst", "talk-about-tea"),
        ("", "log"),
        ("@gemini/…", "log"),
    ],
)
def test_a_conversation_has_a_short_name(path: str, name: str) -> None:
    assert conversation_name(path) == name


@pytest.mark.parametrize(
    "line",
    [
        "- 14:30 I wrote [extracted] by hand",
        "- 14:30 [extracted] without its origin",
        "- 14:30 [extracted] of another kind (opinion, claude s1:3)",
        "[extracted]",
        "",
    ],
)
def test_other_lines_are_not_read(line: str) -> None:
    assert parse_line(line) is None


def test_what_was_extracted_is_taken_out_of_a_passage() -> None:
    text = (
        "- 09:00 ran\n- 14:30 [extracted] I always use uv. (rule, claude s1:3) #project/x\n- 15:00 [extracted] mine"
    )

    assert without_extracted(text) == "- 09:00 ran"
    assert without_extracted("- 09:00 ran") == "- 09:00 ran"


@pytest.mark.parametrize("kind", FACT_KINDS)
def test_the_kind_that_a_line_names_is_read_back(kind: str) -> None:
    found = parse_line(f"- 14:30 [extracted] I moved to Porto. ({kind}, claude 1e2f3a4b5c6d:214)")
    assert found is not None and found.kind == kind


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("- 14:30 [extracted] I moved to Porto. (fact, claude s1:3)", True),
        ("- 14:30 [Extracted] I moved to Porto, and its end was changed", True),
        ("- 14:30 I moved to Porto", False),
        ("- 14:30 I wrote [extracted] by hand", False),
    ],
)
def test_an_extracted_line_is_known_by_its_beginning(line: str, is_one: bool) -> None:
    assert is_extracted(line) is is_one


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("@claude/-w/x.jsonl", "claude"),
        ("@my agent/x.jsonl", "my-agent"),
        ("@claude", "claude"),
        ("claude/x.jsonl", "log"),
        ("@/x.jsonl", "log"),
        ("", "log"),
        ("@--/x", "log"),
    ],
)
def test_the_agent_of_a_log_is_named_by_its_folder(path: str, name: str) -> None:
    assert agent_name(path) == name


ID = "7d3c1a52-3a1e-4a7b-9a51-1e2f3a4b5c6d"


@pytest.mark.parametrize(
    ("path", "session"),
    [
        (f"@claude/-w/{ID}.jsonl", ID),
        (f"@codex/2026/rollout-2026-11-01-{ID}.jsonl.zst", ID),
        ("@opencode/opencode.db//ses_4f2a", "ses_4f2a"),
        ("@logs/talk about tea.txt", "talk about tea"),
        ("@logs/talk/", "talk"),
        ("@logs/talk.md", "talk.md"),
        ("", ""),
    ],
)
def test_the_session_of_a_log_is_named_by_its_file(path: str, session: str) -> None:
    assert session_name(path) == session


def test_a_long_name_of_a_conversation_keeps_its_end() -> None:
    assert conversation_name(f"@logs/{'a' * 30}{'b' * 30}.jsonl") == "a" * 10 + "b" * 30
    assert conversation_name(f"@logs/{'a' * 30}-{'b' * 39}.jsonl") == "b" * 39  # no sign stands first


def test_a_line_is_from_a_log_of_its_agent_and_conversation() -> None:
    said = ExtractedLine("I moved.", "fact", "claude", "1e2f3a4b5c6d", 7)
    assert is_from(said, ["@codex/x.jsonl", f"@claude/-w/{ID}.jsonl"])
    assert not is_from(said, [f"@codex/-w/{ID}.jsonl"])
    assert not is_from(said, ["@claude/-w/other.jsonl"])
    assert not is_from(said, [])


def test_a_line_is_read_with_all_its_parts() -> None:
    line = "  * 09:05 [Extracted] I moved (to Porto).  (Person, claude s1:12) #project/a/b ^x1y2"
    assert parse_line(line) == ExtractedLine(
        "I moved (to Porto).", "person", "claude", "s1", 12, at="09:05", project="a/b"
    )
    assert parse_line("[extracted] I moved. (fact, claude s1:3)") == ExtractedLine(
        "I moved.", "fact", "claude", "s1", 3
    )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\n- [extracted] b (fact, claude s1:3)\nc", "a\nc"),
        ("a\n- I wrote [extracted] by hand", "a\n- I wrote [extracted] by hand"),
        ("- [Extracted] b", "- [Extracted] b"),  # only what Memoro writes is looked for
        ("", ""),
    ],
)
def test_a_passage_is_left_without_its_extracted_lines(text: str, left: str) -> None:
    assert without_extracted(text) == left
