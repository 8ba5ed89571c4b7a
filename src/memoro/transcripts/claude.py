"""Claude Code: `projects/<folder>/<session>.jsonl`, one record for each part of a message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from memoro.transcripts.clean import day, get, identity, parts, record, text_of
from memoro.transcripts.ports import LogFacts, NumberedLine, Record, Turn

_SIDES = {"user": "User", "assistant": "Assistant"}
_LEFT_OUT = (
    "isMeta",
    "isSidechain",
    "isCompactSummary",
    "isVisibleInTranscriptOnly",
    "isApiErrorMessage",
    "teamName",
)
_TITLES = {"customTitle": "custom", "aiTitle": "ai", "lastPrompt": "last", "summary": "summary"}
# Text that the program itself put in the place of a prompt.
_INJECTED = (
    "<local-command-", "<command-name>", "<command-message>", "<session-start-hook>", "<tick>", "<goal>",
    "[Request interrupted by user", "<ide_opened_file>", "<ide_selection>", "<system-reminder>", "<bash-input>",
    "<bash-stdout>", "<bash-stderr>", "<task-notification>", "<user-prompt-submit-hook>",
)  # fmt: skip
_PERSONS = {"user", "human", "typed", "keyboard", "external", "cli", "ide"}  # sources of prompts that a person typed

# Nine tenths of a log are input and output of tools. These patterns find such lines without parsing them: inside a
# JSON string a quotation mark is always escaped, so a match is a real key. `"file"` follows in results of Read.
_of_a_side = re.compile(rb'"type":\s*"(?:user|assistant)"')
_text_part = re.compile(rb'"type":\s*"text"(?!,\s*"file")')
_text_content = re.compile(rb'"content":\s*"')
_title = re.compile(rb'"(?:customTitle|aiTitle|lastPrompt|leafUuid)":')


class ClaudeReader:
    name = "claude"
    agent: str | None = "claude"
    titles: tuple[str, ...] = ("custom", "ai", "last", "summary", "first")
    continues = True

    def recognises(self, records: Sequence[Record]) -> bool:
        return any(
            (
                "uuid" in found
                and found.get("type") in ("user", "assistant")
                and isinstance(found.get("message"), dict)
            )
            or (found.get("type") == "summary" and "leafUuid" in found)
            for found in records
        )

    def turns(self, lines: Iterable[NumberedLine], about: LogFacts) -> Iterator[Turn]:
        for number, line in lines:
            if _has_words(line):
                found = record(line)
                turn = _turn(found, number, about) if found else None
                if turn:
                    yield turn
            elif len(line) < 10_000 and _title.search(line):
                _note_titles(record(line) or {}, about)


def _has_words(line: bytes) -> bool:
    if not _of_a_side.search(line):
        return False
    if b'"tool_use_id"' in line or b'"tool_use"' in line:
        return bool(_text_part.search(line))
    return bool(_text_part.search(line) or _text_content.search(line))


def _note_titles(found: Record, about: LogFacts) -> None:
    for key, kept in _TITLES.items():
        about.note(kept, found.get(key))


def _turn(found: Record, number: int, about: LogFacts) -> Turn | None:
    side = found.get("type")
    if (
        side not in ("user", "assistant")
        or any(found.get(flag) for flag in _LEFT_OUT)
        or get(found, "message", "role") != side
    ):
        return None
    about.folder(found.get("cwd"))
    text = parts(get(found, "message", "content"))
    if not text or get(found, "message", "model") == "<synthetic>":
        return None
    if side == "user":
        raw = _beginning(get(found, "message", "content"))
        if raw.startswith(_INJECTED) or text.startswith(_INJECTED) or _is_by_program(found):
            return None
        about.note("first", text, first=True)
    return Turn(
        speaker=_SIDES[str(side)],
        text=text,
        line=number,
        date=day(found.get("timestamp")),
        id=identity("claude", found.get("uuid")),
    )


def _beginning(content: object) -> str:
    """Return the beginning of the uncleaned text, by which a mere reminder is recognised."""
    if isinstance(content, list):
        content = next((get(part, "text") for part in content if get(part, "type") == "text"), "")
    text = text_of(content) or ""
    # A person's prompt may come with a reminder before or after it.
    return "" if "</system-reminder>" in text else text.lstrip()


def _is_by_program(found: Record) -> bool:
    """Return whether a program wrote the prompt."""
    for key in ("promptSource", "origin"):
        source = found.get(key)
        kind = get(source, "kind") or get(source, "type") if isinstance(source, dict) else source
        if isinstance(kind, str) and kind and kind.lower() not in _PERSONS:
            return True
    return False
