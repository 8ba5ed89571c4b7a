"""A private message and the answers to it: no later session is told them, by the log or by the session's note."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

import memoro
from memoro import hooks
from memoro.conversation.log_digest import digest_of_log
from memoro.transcripts.ports import Turn as LoggedTurn
from memoro.transcripts.private_turns import private_turns, would_answer_private
from memoro.unasked.log_end import digest_of_end, last_answers
from memoro.vault.files import VaultFiles
from memoro.vault.patterns import LogFolder
from tests.test_continuity import NOW, Life, Turn, context_of, left_off, life
from tests.test_log_digest import claude, lines
from tests.test_readers import add_message, opencode_database

__all__ = ["life"]

PRIVATE = "Keep this between us: we decided to replace Anna in March, because she missed every date."
ANSWER = "Understood. Still open: the letter to Anna has to be written."
OPENLY: list[Turn] = [
    ("User", "We decided to run the gate at 12 volts, because the relay gets hot."),
    ("Tool", "firmware/gate.c"),
    ("Assistant", "The gate runs. Still open: Marta has to order two spare sensors."),
    ("User", "fine"),
]
PRIVATELY: list[Turn] = [
    ("User", PRIVATE),
    ("Assistant", "Let me look at the contract of Anna."),
    ("Tool", "letters/anna.md"),
    ("Assistant", ANSWER),
]
SESSIONS = {"first": [*PRIVATELY, *OPENLY], "last": [*OPENLY, *PRIVATELY], "alone": PRIVATELY}
KINDS = ["log", "note", "note and log"]


def remember(life: Life, kind: str, turns: Sequence[Turn]) -> None:
    if kind != "note":
        life.searches_logs()
    if kind == "log":
        life.log("bridge", "x", turns, NOW - timedelta(days=1))
    else:
        life.live("bridge", turns, NOW - timedelta(days=1))
    with life.opened() as m:
        hooks.write_captures(m)
        m.sync()


def prompted(life: Life, message: str) -> str:
    with life.opened() as m:
        return context_of(hooks.answer("claude", life.event("UserPromptSubmit", "bridge", "new", prompt=message), m))


@pytest.mark.parametrize("place", SESSIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_start_of_a_session_tells_nothing_private_of_the_last_one(life: Life, kind: str, place: str) -> None:
    remember(life, kind, SESSIONS[place])

    told = life.starts("bridge")

    assert "anna" not in told.casefold()
    if place != "alone":
        assert "two spare sensors" in left_off(told) and "12 volts" in told and "firmware/gate.c" in told


@pytest.mark.parametrize("message", ["Where did we leave off?", "What is still open?", "What did we do yesterday?"])
@pytest.mark.parametrize("place", SESSIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_who_asks_is_told_nothing_private(life: Life, kind: str, place: str, message: str) -> None:
    remember(life, kind, SESSIONS[place])

    told = prompted(life, message)

    assert "anna" not in told.casefold()
    if place != "alone":
        assert "two spare sensors" in told


@pytest.mark.parametrize("place", SESSIONS)
def test_neither_the_note_of_a_session_nor_its_day_hold_what_was_private(life: Life, place: str) -> None:
    remember(life, "note", SESSIONS[place])

    written = "\n".join(file.read_text() for file in life.vault.rglob("*.md"))

    assert "anna" not in written.casefold() and "between us" not in written
    assert ("two spare sensors" in written) is (place != "alone")


def test_the_owner_is_told_what_was_private(tmp_path: Path) -> None:
    vault = logged(tmp_path, claude(1, "user", PRIVATE), said(2, ANSWER), title("A letter to Anna"))

    told = digest_of_end(vault, "@host/a.jsonl", private=True)

    assert told and told.title == "A letter to Anna" and told.open == ("The letter to Anna has to be written",)


@pytest.mark.parametrize("parts", [1, 2, 3, 4, 6, 8])
def test_a_search_finds_no_answer_and_no_title_of_a_private_message(life: Life, parts: int) -> None:
    """However many turns are there when the log is read first."""
    life.searches_logs()
    turns = SESSIONS["first"]
    for end in dict.fromkeys([*range(parts, len(turns), parts), len(turns)]):
        life.log("bridge", "x", turns[:end], NOW - timedelta(days=1))
        with life.opened() as m:
            m.sync()
    with life.opened() as m:
        found = m.search("Anna contract letter gate spare sensors", kind="transcript").results

    shown = " ".join(f"{hit.title} {hit.snippet}" for hit in found)
    assert "spare sensors" in shown and "anna" not in shown.casefold()


@pytest.mark.parametrize("place", SESSIONS)
def test_an_agent_that_reads_a_conversation_sees_that_a_message_is_private_and_nothing_of_it(
    life: Life, place: str
) -> None:
    """By its file, by its lines, by the id of a result, and around another message."""
    life.searches_logs()
    life.log("bridge", "x", SESSIONS[place], NOW - timedelta(days=1))
    path = "@claude/-bridge/x.jsonl"
    said = [number for number, (who, _) in enumerate(SESSIONS[place], 1) if who != "Tool"]
    with life.opened() as m:
        m.sync()
        whole = m.get(path).text
        read = [m.get(f"{path}:{number}", around=3) for number in said]
    with memoro.open(life.home, life.vault) as m:
        assert PRIVATE in m.get(path).text
    shown = "\n".join([whole, *(one.text for one in read), *(turn.text for one in read for turn in one.around)])
    assert "anna" not in shown.casefold() and shown.count("(a private message)") >= 6
    assert ("the relay gets hot" in whole) is (place != "alone")


def said(number: int, text: str) -> dict[str, object]:
    return claude(number, "assistant", [{"type": "text", "text": text}])


def title(text: str) -> dict[str, object]:
    return {"type": "ai-title", "aiTitle": text}


def logged(tmp_path: Path, *records: object) -> VaultFiles:
    (tmp_path / "a.jsonl").write_text(lines(*records))
    return VaultFiles(str(tmp_path), transcripts=[LogFolder(str(tmp_path), name="host")])


def test_a_title_does_not_tell_the_private_message(tmp_path: Path) -> None:
    commit = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": 'git commit -m "Replace Anna"'}}
    vault = logged(
        tmp_path,
        claude(1, "user", PRIVATE),
        claude(2, "assistant", [commit]),
        said(3, ANSWER),
        claude(4, "user", "We decided to paint the shed green, because the fence is green."),
        said(5, "Done."),
        title("Replacing Anna"),
    )

    for told in (digest_of_end(vault, "@host/a.jsonl"), digest_of_log(vault, "@host/a.jsonl")):
        assert told and told.decisions and "green" in told.title
        assert "Anna" not in str(told)


def test_agreement_after_a_private_exchange_agrees_to_nothing_before_it(tmp_path: Path) -> None:
    vault = logged(
        tmp_path,
        claude(1, "user", "Which colour for the shed?"),
        said(2, "I'd take green, because the fence is green."),
        claude(3, "user", "Between you and me: what about Anna?"),
        said(4, "I'd write the letter in March."),
        claude(5, "user", "yes, do that"),
    )

    told = digest_of_log(vault, "@host/a.jsonl")

    assert told is not None and not told.decisions


@pytest.mark.parametrize("bytes_between", [20_000, 300_000, 4_000_000])
def test_an_answer_is_private_however_far_away_its_message_stands(tmp_path: Path, bytes_between: int) -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": "x" * 10_000}
    between = [claude(10 + n, "user", [result]) for n in range(bytes_between // 10_000)]
    vault = logged(
        tmp_path,
        claude(1, "user", PRIVATE),
        *between,
        said(5000, f"{'The contract is long. ' * 400}\n\n{ANSWER}"),
        said(5001, ANSWER),
        title("Replacing Anna"),
    )

    assert "Anna" not in str(digest_of_end(vault, "@host/a.jsonl"))
    assert last_answers(vault, "@host/a.jsonl") == ()


def test_an_open_answer_far_from_its_message_is_told(tmp_path: Path) -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": "x" * 10_000}
    edit = {"type": "tool_use", "id": "e", "name": "Edit", "input": {"file_path": "/w/shed/plan.md"}}
    vault = logged(
        tmp_path,
        claude(1, "user", "Paint the shed."),
        *(claude(10 + n, "user", [result]) for n in range(30)),
        claude(100, "assistant", [edit]),
        said(101, "Done. Still open: the door has to be painted."),
        claude(102, "user", PRIVATE),
        claude(103, "assistant", [{**edit, "id": "f", "input": {"file_path": "/w/shed/anna.md"}}]),
        said(104, ANSWER),
    )

    told = digest_of_end(vault, "@host/a.jsonl")

    assert told and told.open == ("The door has to be painted",) and told.files == ("plan.md",)


def test_where_a_log_does_not_place_its_calls_none_of_a_session_with_private_messages_is_told(tmp_path: Path) -> None:
    db = opencode_database(tmp_path / "opencode.db")
    edit = {"type": "tool", "tool": "edit", "callID": "c", "state": {"input": {"filePath": "/w/parser/anna.md"}}}
    add_message(db, "msg_1", "user", {"type": "text", "text": PRIVATE})
    add_message(db, "msg_2", "assistant", edit, {"type": "text", "text": ANSWER})
    add_message(db, "msg_3", "user", {"type": "text", "text": "We decided to keep the old parser, as it is fast."})
    vault = VaultFiles(str(tmp_path), transcripts=[LogFolder(str(tmp_path), name="host")])

    told = digest_of_log(vault, "@host/opencode.db//ses_1")

    assert told and told.decisions and not told.files and "nna" not in str(told)


def test_answers_are_private_until_the_person_speaks_again() -> None:
    spoken = [("User", "hello"), ("Assistant", "hi"), ("User", PRIVATE), ("Assistant", "a"), ("Assistant", "b")]
    spoken += [("User", "ok"), ("Assistant", "c"), ("Assistant", "I tell nobody. Keep it between us too.")]

    assert private_turns([LoggedTurn(who, text, n) for n, (who, text) in enumerate(spoken)]) == {2, 3, 4, 7}


def test_what_follows_turns_answers_the_last_message_of_the_person() -> None:
    asked, answered = LoggedTurn("User", PRIVATE, 1), LoggedTurn("Assistant", "Between you and me, no.", 2)

    assert would_answer_private([asked, answered]) and not would_answer_private([answered])
    assert would_answer_private([answered], answers_private=True)
    assert not would_answer_private([LoggedTurn("User", "ok", 1)], answers_private=True)
