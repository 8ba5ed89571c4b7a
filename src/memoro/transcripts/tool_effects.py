"""What tool calls in a log did: the files they changed, the commands they ran, and how these ended. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memoro.transcripts.clean import get, record, storable
from memoro.transcripts.ports import NumberedLine, Record

# One of these stands in every line with a call, or with the result of one.
MARKS = (b'"tool_use"', b'"tool_result"', b"tool_call", b"function_call", b"local_shell_call", b'"toolCall')
RESULT_MARKS = (b'"tool_use_id"', b"_call_output", b'"toolCallId"')
_RESULT_OF = re.compile(rb'"(?:tool_use_id|call_id|toolCallId|parentUuid)":\s*"([^"]{1,200})"')
_CALLS = ("tool_use", "function_call", "custom_tool_call", "local_shell_call", "toolCall")
_RESULTS = ("tool_result", "function_call_output", "custom_tool_call_output", "local_shell_call_output")
_ARGUMENTS = ("input", "arguments", "args", "action")
_PATHS = ("file_path", "filePath", "notebook_path", "path", "absolute_path", "target_file", "filename", "file")
_COMMANDS = ("command", "cmd", "script")
_SHELLS = {
    "bash", "shell", "sh", "exec", "execcommand", "runshellcommand", "localshell", "localshellcall",
    "terminal", "runterminalcmd", "runinterminal", "runcommand", "executecommand", "zsh", "powershell",
    "containerexec", "unifiedexec",
}  # fmt: skip
_EDITORS = {
    "write", "edit", "multiedit", "notebookedit", "writefile", "editfile", "replace", "createfile",
    "create", "strreplace", "strreplaceeditor", "strreplacebasededittool", "searchreplace",
    "inserteditintofile", "writetofile", "replaceinfile", "appendtofile", "update", "textedit",
    "editnotebook",
}  # fmt: skip
_PATCHES = frozenset(["applypatch", "patch"])
_LOOKS = ("view", "undo_edit", "read")  # commands of a text editor that change nothing
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+?)\s*$|^\*\*\* Move to: (.+?)\s*$", re.MULTILINE)
_EXITED = re.compile(r"(?:exit(?:ed with)? code:? |\"exit_code\":\s*)(-?\d+)", re.IGNORECASE)
_MAX_DEPTH = 8
_COMMAND_CHARACTERS = 2_000
_RESULT_CHARACTERS = 2_000  # of its beginning and of its end


class ToolEffect(NamedTuple):
    """One call of a tool that changed files or ran a command."""

    line: int  # of the log, from 1; 0 where it does not tell between which messages the call stands
    files: tuple[str, ...] = ()  # that it changed, as the agent named them
    command: str = ""
    result: str = ""  # the beginning and the end of what a command printed
    failed: bool = False


def tool_effects(lines: Iterable[NumberedLine]) -> list[ToolEffect]:
    """Return the calls in a log that changed files or ran commands, in their order, each once.

    Calls of subagents are left out. A call without a result counts as done.
    """
    found = EffectReader()
    for number, line in lines:
        if any(mark in line for mark in MARKS) and found.needs(line):
            one = record(line)
            if one is not None and not one.get("isSidechain"):
                found.add(one, number)
    return found.effects()


class EffectReader:
    """Collects the effects of calls from the records of a log, with the results that follow them."""

    def __init__(self) -> None:
        self._found: dict[str, ToolEffect] = {}  # by the id of the call
        self._calls: dict[str, str] = {}  # the record's id -> the id of its call

    def effects(self) -> list[ToolEffect]:
        return sorted(self._found.values(), key=lambda effect: effect.line)

    def needs(self, line: bytes) -> bool:
        """Return whether a line has a call, or a result that counts: parsing what was only read takes long."""
        if not any(mark in line for mark in RESULT_MARKS) or b'"tool_use"' in line or b'_call"' in line:
            return True
        names = [name.decode("utf-8", "replace") for name in _RESULT_OF.findall(line)]
        return any(name in self._found or name in self._calls for name in names)

    def add(self, one: Record, number: int) -> None:
        """Add the calls of a record, and the results of earlier ones.

        A result whose call is not known by its id belongs to the call of the record that it follows.
        """
        for position, part in enumerate(_parts(one, 0)):
            kind = part.get("type") or part.get("role")
            name = part.get("name") or part.get("tool")
            if kind in _RESULTS or kind == "toolResult":
                call = str(part.get("tool_use_id") or part.get("call_id") or part.get("toolCallId") or "")
                self._add_result(
                    call if call in self._found else self._calls.get(str(one.get("parentUuid")), ""), part
                )
            elif kind in _CALLS or isinstance(name, str):
                call = str(part.get("call_id") or part.get("callID") or part.get("id") or f"{number}.{position}")
                effect = _effect(str(name or kind), part, number)
                if effect and call not in self._found:
                    self._found[call] = effect
                    self._calls[str(one.get("uuid"))] = call
                    self._add_result(call, part)  # some hosts keep it with the call

    def _add_result(self, call: str, part: Record) -> None:
        effect = self._found.get(call)
        if effect is None:
            return
        text, failed = _result(part)
        if text or failed:
            self._found[call] = effect._replace(result=storable(text), failed=failed)


def _parts(value: object, depth: int) -> Iterator[Record]:
    """Yield the calls and the results in a record."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, list):
        for one in value:
            yield from _parts(one, depth + 1)
    elif isinstance(value, dict):
        if value.get("type") in (*_CALLS, *_RESULTS, "tool") or value.get("role") == "toolResult":
            yield value
            return
        calls = value.get("toolCalls")
        if isinstance(calls, list):
            yield from (one for one in calls if isinstance(one, dict))
        for key in ("message", "payload", "content", "messages", "$set"):
            yield from _parts(value.get(key), depth + 1)


def _effect(name: str, call: Record, number: int) -> ToolEffect | None:
    bare = re.sub(r"[\W_]+", "", name.rpartition("__")[2].rpartition(".")[2].lower())
    given = _arguments(call)
    if bare in _PATCHES:
        files = _patched(given) or _paths(given)
        return ToolEffect(line=number, files=files) if files else None
    if bare in _EDITORS:
        looks = isinstance(given, dict) and given.get("command") in _LOOKS
        files = _paths(given)
        return ToolEffect(line=number, files=files) if files and not looks else None
    if bare in _SHELLS:
        command = _command(given)
        if "*** Begin Patch" in command and (files := _patched(command)):
            return ToolEffect(line=number, files=files)
        return ToolEffect(line=number, command=storable(command)[:_COMMAND_CHARACTERS]) if command else None
    return None


def _arguments(call: Record) -> object:
    state = call.get("state")
    source = state if isinstance(state, dict) else call
    given = next((source[key] for key in _ARGUMENTS if key in source), None)
    if isinstance(given, str) and given.lstrip().startswith("{"):
        try:
            return json.loads(given)
        except (ValueError, RecursionError):
            return given
    return given


def _paths(given: object) -> tuple[str, ...]:
    path = next((get(given, key) for key in _PATHS if isinstance(get(given, key), str)), None)
    return (storable(str(path)),) if path else ()


def _patched(given: object) -> tuple[str, ...]:
    """Return the files that a patch names."""
    text = given if isinstance(given, str) else ""
    if isinstance(given, dict):
        texts = [value for value in given.values() if isinstance(value, str)]
        text = next((one for one in texts if "*** " in one), "")
    return tuple(dict.fromkeys(storable(one or other) for one, other in _PATCHED.findall(text)))


def _command(given: object) -> str:
    command = next((get(given, key) for key in _COMMANDS if get(given, key)), given)
    if isinstance(command, list):
        words = [one for one in command if isinstance(one, str)]
        is_wrapped = len(words) == 3 and words[1] in ("-c", "-lc", "-ic")
        return words[2] if is_wrapped else " ".join(words)
    return command if isinstance(command, str) else ""


def _result(part: Record) -> tuple[str, bool]:
    """Return what a call answered, its beginning and its end, and whether it failed."""
    state = part.get("state") if isinstance(part.get("state"), dict) else part
    texts = [get(state, key) for key in ("content", "output", "result", "error")]
    text = "\n".join(filter(None, (_text(one, 0) for one in texts)))
    status = str(get(state, "status") or "")
    code = _EXITED.search(text[-400:]) or _EXITED.search(text[:400])
    failed = bool(part.get("is_error") or part.get("isError") or status in ("error", "failed", "cancelled"))
    if len(text) > 2 * _RESULT_CHARACTERS:
        text = f"{text[:_RESULT_CHARACTERS]}\n{text[-_RESULT_CHARACTERS:]}"
    return text, failed or bool(code and code[1] != "0")


def _text(value: object, depth: int) -> str:
    """Return what a tool answered: a text, or the texts of parts."""
    if isinstance(value, str):
        if value.startswith("{") and '"output"' in value[:2_000]:
            inner = record(value)
            if inner is not None:
                code = get(inner, "metadata", "exit_code")
                said = _text(inner.get("output"), depth + 1)
                return f"{said}\nexit code {code}" if isinstance(code, int) and code else said
        return value
    if depth > _MAX_DEPTH:
        return ""
    if isinstance(value, list):
        return "\n".join(filter(None, (_text(one, depth + 1) for one in value)))
    if isinstance(value, dict):
        for key in ("text", "output", "content", "functionResponse", "response", "error"):
            if key in value:
                return _text(value[key], depth + 1)
    return ""
