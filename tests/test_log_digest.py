"""The digest of a session from its log, for each host."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memoro.conversation.log_digest import digest_of_log
from memoro.model.notes import Hidden
from memoro.model.session_digest import SessionDigest
from memoro.vault.files import VaultFiles
from memoro.vault.patterns import LogFolder
from tests.test_readers import add_message, opencode_database

ASKED = "Which colour for the shed?"
ANSWERED = "I'd take green, because the fence is green."
AGREED = "yes, do that"
DECIDED = "Take green, because the fence is green"


def digest(tmp_path: Path, name: str, data: str | bytes, hidden: Hidden | None = None) -> SessionDigest | None:
    folder = tmp_path / "logs"
    folder.mkdir(exist_ok=True)
    if data:
        (folder / name.partition("//")[0]).write_bytes(data.encode() if isinstance(data, str) else data)
    vault = VaultFiles(str(folder), transcripts=[LogFolder(str(folder), name="host")])
    return digest_of_log(vault, f"@host/{name}", hidden)


def lines(*records: object) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


def claude(number: int, role: str, content: object, **more: object) -> dict[str, object]:
    return {
        "type": role, "uuid": f"u{number}", "cwd": "/w/shed", "timestamp": "2026-11-01T10:00:00Z",
        "message": {"role": role, "content": content}, **more,
    }  # fmt: skip


CLAUDE = [
    claude(1, "user", ASKED),
    claude(2, "assistant", [{"type": "text", "text": ANSWERED}]),
    claude(3, "user", f'{AGREED}\n<memoro-context id="x">\nWe always take red.\nx</memoro-context>'),
    claude(4, "assistant", [
        {"type": "tool_use", "id": "t1", "name": "Write", "input": {"file_path": "/w/shed/plan.md"}}
    ]),
    claude(5, "assistant", [
        {"type": "tool_use", "id": "t2", "name": "Write", "input": {"file_path": "/w/shed/secret.md"}}
    ], isSidechain=True),
    {"type": "ai-title", "aiTitle": "Painting the shed"},
]  # fmt: skip


def test_a_log_of_claude_code_with_its_title_and_without_what_others_said(tmp_path: Path) -> None:
    assert digest(tmp_path, "a.jsonl", lines(*CLAUDE)) == SessionDigest(
        title="Painting the shed", decisions=(DECIDED,), files=("plan.md",)
    )


def test_what_its_owner_has_forgotten_is_left_out(tmp_path: Path) -> None:
    hidden = Hidden(1, lambda said: "green" in said)
    found = digest(tmp_path, "a.jsonl", lines(*CLAUDE), hidden)
    assert found is not None and "green" not in repr(found) and "Painting" not in found.title


def test_a_rollout_of_codex(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Add File: plan.md\n+x\n*** End Patch"

    def item(**payload: object) -> dict[str, object]:
        return {"timestamp": "2026-11-01T10:00:00Z", "type": "response_item", "payload": payload}

    def message(role: str, text: str) -> dict[str, object]:
        return item(type="message", role=role, content=[{"type": "input_text", "text": text}])

    found = digest(tmp_path, "rollout-a.jsonl", lines(
        {"type": "session_meta", "payload": {"id": "T", "cwd": "/w/shed"}},
        message("user", ASKED), message("assistant", ANSWERED), message("user", AGREED),
        item(type="custom_tool_call", call_id="1", name="apply_patch", input=patch),
        item(type="function_call", call_id="2", name="exec_command", arguments='{"cmd": "make test"}'),
        item(type="function_call_output", call_id="2", output="3 passed"),
        message("assistant", "Painted."),
        {"type": "event_msg", "payload": {"type": "thread_name_updated", "thread_name": "Shed"}},
    ))  # fmt: skip
    assert found == SessionDigest(
        title="Shed", decisions=(DECIDED,), files=("plan.md",), commands=("`make test` → 3 passed",)
    )


@pytest.mark.parametrize("name", ["session-a.jsonl", "session-a.json"])
def test_a_chat_of_gemini(tmp_path: Path, name: str) -> None:
    call = {"id": "1", "name": "write_file", "args": {"file_path": "/w/shed/plan.md"}, "status": "success"}
    messages = [
        {"id": "1", "type": "user", "content": ASKED}, {"id": "2", "type": "gemini", "content": ANSWERED},
        {"id": "3", "type": "user", "content": AGREED},
        {"id": "4", "type": "gemini", "content": "Painted.", "toolCalls": [call]},
    ]  # fmt: skip
    about = {"sessionId": "s", "startTime": "2026-11-01T10:00:00Z", "directories": ["/w/shed"], "summary": "The shed"}
    text = lines(about, *messages) if name.endswith("l") else json.dumps({**about, "messages": messages})
    found = digest(tmp_path, name if name.endswith("l") else f"{name}//s", text)
    assert found == SessionDigest(title="The shed", decisions=(DECIDED,), files=("plan.md",))


def test_a_session_of_opencode(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    db = opencode_database(folder / "opencode.db")
    state = {"status": "completed", "input": {"filePath": "/w/parser/plan.md"}, "output": "ok"}
    add_message(db, "m1", "user", {"type": "text", "text": ASKED})
    add_message(db, "m2", "assistant", {"type": "text", "text": ANSWERED})
    add_message(db, "m3", "user", {"type": "text", "text": AGREED})
    add_message(db, "m4", "assistant", {"type": "tool", "callID": "c", "tool": "write", "state": state})
    db.close()
    found = digest(tmp_path, "opencode.db//ses_1", b"")
    assert found == SessionDigest(title="Parser work", decisions=(DECIDED,), files=("plan.md",))


def test_what_is_no_conversation_has_no_digest(tmp_path: Path) -> None:
    assert digest(tmp_path, "none.jsonl", b"") is None
    assert digest(tmp_path, "a.jsonl", "not a log\n") is None
