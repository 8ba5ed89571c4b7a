"""The logs of sessions as hosts write them: Claude Code and Codex."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from benchmarks.days.people import HostName, Session, Speaker, Step, ToolCall, read_tool_call

_PAUSES: dict[Speaker, timedelta] = {
    "U": timedelta(minutes=3),
    "A": timedelta(minutes=1),
    "T": timedelta(seconds=20),
}
_ARGUMENT_NAMES = {"Bash": "command", "Grep": "pattern", "Glob": "pattern", "WebFetch": "url", "WebSearch": "query"}
_CHANGES = {"Write": "Add", "Edit": "Update"}


class SessionLog(NamedTuple):
    """A log in its host's format. `folder` is the working directory of the session."""

    host: HostName
    id: str
    folder: Path
    session: Session

    def path(self, home: Path) -> Path:
        if self.host == "codex":
            start = self.session.start
            name = f"rollout-{start:%Y-%m-%dT%H-%M-%S}-{self.id}.jsonl"
            return home / ".codex" / "sessions" / f"{start:%Y}" / f"{start:%m}" / f"{start:%d}" / name
        project = re.sub(r"[^A-Za-z0-9]", "-", os.path.realpath(self.folder))
        return home / ".claude" / "projects" / project / f"{self.id}.jsonl"

    def lines(self) -> list[str]:
        records = _codex(self) if self.host == "codex" else _claude(self)
        return [json.dumps(record, ensure_ascii=False) for record in records]

    def end(self) -> datetime:
        return self.session.start + sum((_PAUSES[step.speaker] for step in self.session.steps), timedelta())

    def timed(self) -> Iterator[tuple[datetime, Step]]:
        moment = self.session.start
        for step in self.session.steps:
            moment += _PAUSES[step.speaker]
            yield moment, step


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds") + "Z"


def _claude(log: SessionLog) -> Iterator[dict[str, object]]:
    yield {"type": "file-history-snapshot", "messageId": "first", "snapshot": {}}
    parent: str | None = None
    for number, (moment, message) in enumerate(_claude_messages(log), 1):
        name = f"{log.id[:8]}-{number:04}"
        yield {
            "type": message["role"],
            "uuid": name,
            "parentUuid": parent,
            "sessionId": log.id,
            "timestamp": _stamp(moment),
            "cwd": str(log.folder),
            "gitBranch": "main",
            "version": "2.1.300",
            "isSidechain": False,
            "userType": "external",
            "message": message,
        }
        parent = name
    if log.session.title:
        yield {"type": "ai-title", "aiTitle": log.session.title, "sessionId": log.id}


def _claude_messages(log: SessionLog) -> Iterator[tuple[datetime, dict[str, object]]]:
    for number, (moment, step) in enumerate(log.timed()):
        if step.speaker == "U":
            yield moment, {"role": "user", "content": step.text}
            continue
        answer: dict[str, object] = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "claude"}
        if step.speaker == "A":
            yield moment, {**answer, "content": [{"type": "text", "text": step.text}], "stop_reason": "end_turn"}
            continue
        call, name = read_tool_call(step.text), f"toolu_{log.id[:4]}{number}"
        used = {"type": "tool_use", "id": name, "name": call.tool, "input": _claude_input(call, log.folder)}
        yield moment, {**answer, "content": [used]}
        result = {"type": "tool_result", "tool_use_id": name, "content": call.result, "is_error": call.failed}
        yield moment, {"role": "user", "content": [result]}


def _claude_input(call: ToolCall, folder: Path) -> dict[str, str]:
    if call.tool in _ARGUMENT_NAMES:
        return {_ARGUMENT_NAMES[call.tool]: call.argument}
    return {"file_path": str(folder / call.argument)}


def _codex(log: SessionLog) -> Iterator[dict[str, object]]:
    start = _stamp(log.session.start)
    facts = {"id": log.id, "timestamp": start, "cwd": str(log.folder), "originator": "codex_cli_rs"}
    facts |= {"cli_version": "0.160.0", "source": "cli", "model_provider": "openai"}
    yield {"timestamp": start, "type": "session_meta", "payload": facts}
    if log.session.title:
        yield _codex_event(start, {"type": "thread_name_updated", "thread_name": log.session.title})
    for number, (moment, step) in enumerate(log.timed()):
        when = _stamp(moment)
        match step.speaker:
            case "U":
                yield _codex_item(when, _codex_message("user", "input_text", step.text))
                yield _codex_event(when, {"type": "user_message", "message": step.text, "images": []})
            case "A":
                yield _codex_item(when, _codex_message("assistant", "output_text", step.text))
                yield _codex_event(when, {"type": "agent_message", "message": step.text})
            case "T":
                call = read_tool_call(step.text)
                used = _codex_call(call, f"call_{number}")
                yield _codex_item(when, used)
                output = {"type": f"{used['type']}_output", "call_id": used["call_id"], "output": call.result}
                yield _codex_item(when, output)


def _codex_call(call: ToolCall, name: str) -> dict[str, object]:
    if call.tool in _CHANGES:
        patch = f"*** Begin Patch\n*** {_CHANGES[call.tool]} File: {call.argument}\n*** End Patch"
        return {"type": "custom_tool_call", "name": "apply_patch", "input": patch, "call_id": name}
    command = call.argument if call.tool == "Bash" else f"cat {call.argument}"
    return {
        "type": "function_call",
        "name": "exec_command",
        "arguments": json.dumps({"cmd": command}),
        "call_id": name,
    }


def _codex_message(role: str, kind: str, text: str) -> dict[str, object]:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _codex_item(when: str, payload: dict[str, object]) -> dict[str, object]:
    return {"timestamp": when, "type": "response_item", "payload": payload}


def _codex_event(when: str, payload: dict[str, object]) -> dict[str, object]:
    return {"timestamp": when, "type": "event_msg", "payload": payload}
