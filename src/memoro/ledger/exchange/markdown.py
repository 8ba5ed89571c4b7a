"""An export as Markdown: memories and narratives for people to read, the rest as JSON Lines in a fence.

What a memory says stands as a quotation. Every line of it begins with `>`, so that no heading, fence or rule in it
can be taken for one of the document; whatever it says comes back byte for byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, get_args, get_origin

from memoro.ledger.exchange import jsonl
from memoro.ledger.exchange.records import ExportedMemory, Header, ImportProblem, Record, build, held, hints_of
from memoro.model.memories import Memory, Narrative

FIRST_LINES = ("---", "memoro: ledger")
_MEMORIES, _ARCHIVE, _REST = "# Memories", "# Archive", "# Everything else"
_INTRO = (
    *FIRST_LINES,
    "---",
    "",
    _MEMORIES,
    "",
    "All that this ledger holds. `memoro import` restores it into an empty home, exactly as it was.",
)
_MACHINE = (
    "",
    "What was changed, links, what sessions were given, and what must not come back: for Memoro to read.",
    "",
    "```jsonl",
)
_item = re.compile(r"## (?:\[id:(\d{1,18})\]|Narrative (\d{1,18}))")
_field = re.compile(r"- ([a-z ]{1,30}): (.*)", re.DOTALL)


def render(records: Iterable[Record]) -> Iterator[str]:
    yield from _INTRO
    part, header = _MEMORIES, ""
    for record in records:
        if isinstance(record, Header):
            header = jsonl.line(record)
            continue
        heading, lines = _shown(record)
        if heading != part:
            yield from ("", heading)
            yield from (*_MACHINE, header) if heading == _REST else ()
            part = heading
        yield from lines
    yield "```"


def _shown(record: Record) -> tuple[str, Iterable[str]]:
    """Below which heading a record stands, and its lines."""
    match record:
        case ExportedMemory(memory, archived):
            return _ARCHIVE if archived else _MEMORIES, _memory(memory)
        case Narrative():
            return "# Narratives", _narrative(record)
        case _:
            return _REST, (jsonl.line(record),)


def _memory(memory: Memory) -> Iterator[str]:
    yield from ("", f"## [id:{memory.id}]", "")
    yield from _quoted(memory.content)
    yield ""
    yield from _fields(memory, ("id", "content"))


def _narrative(narrative: Narrative) -> Iterator[str]:
    yield from ("", f"## Narrative {narrative.id}", "")
    yield from _quoted(narrative.summary)
    yield ""
    yield from _fields(narrative, ("id", "summary", "next"))


def _quoted(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        yield f"> {line}" if line else ">"


def _fields(item: Memory | Narrative, elsewhere: tuple[str, ...]) -> Iterator[str]:
    for name, value in item._asdict().items():
        if name not in elsewhere and value != item._field_defaults.get(name):
            yield f"- {name.replace('_', ' ')}: {_written(value)}"


def _written(value: Any) -> str:
    """As people write it, or as JSON where that could be misread."""
    if isinstance(value, tuple):
        texts = [str(one) for one in value]
        if all(_is_plain(text) and ", " not in text for text in texts):
            return ", ".join(texts)
    elif not isinstance(value, str) or _is_plain(value):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def _is_plain(text: str) -> bool:
    return bool(text) and text == text.strip() and text[0] not in '["' and "\n" not in text and "\r" not in text


def read(lines: Iterable[str]) -> Iterator[Record | ImportProblem]:
    """The records of the document. What stands outside of memories, narratives and the fence is prose."""
    item: _MarkdownItem | None = None
    archived = fenced = windows = False
    for number, line in enumerate(lines, 1):
        windows = windows or (number == 1 and line.endswith("\r"))
        line = line.removesuffix("\r") if windows else line
        found = None if fenced else _item.fullmatch(line)
        if fenced and line != "```":
            yield jsonl.record(line, number)
        elif found or line == "```jsonl" or line.startswith("# "):
            yield from item.made() if item else ()
            item = _MarkdownItem(line=number, heading=found, said=[], fields={}, archived=archived) if found else None
            fenced = line == "```jsonl"
            archived = line == _ARCHIVE if line.startswith("# ") else archived
        elif fenced:
            fenced = False
        elif item and not item.take(line):
            yield ImportProblem(f"line {number}", "not understood")
    yield from item.made() if item else ()


class _MarkdownItem(NamedTuple):
    """One memory or narrative while it is read."""

    line: int
    heading: re.Match[str]
    said: list[str]
    fields: dict[str, str]
    archived: bool

    def take(self, line: str) -> bool:
        if line == ">" or line.startswith("> "):
            self.said.append(line[2:])
        elif field := _field.fullmatch(line):
            self.fields[field[1].replace(" ", "_")] = field[2]
        else:
            return not line
        return True

    def made(self) -> Iterator[Record | ImportProblem]:
        kind: Any = Memory if self.heading[1] else Narrative
        try:
            hints = hints_of(kind)
            fields = {name: _read(text, hints.get(name)) for name, text in self.fields.items()}
            fields["id"] = int(self.heading[1] or self.heading[2])
            fields["content" if kind is Memory else "summary"] = "\n".join(self.said)
            yield held(fields, archived=self.archived) if kind is Memory else build(kind, fields)
        except (ValueError, RecursionError) as error:
            yield ImportProblem(f"line {self.line}", str(error))


def _read(text: str, hint: Any) -> Any:
    inner = [one for one in get_args(hint) if one is not type(None)]
    if get_origin(hint) is tuple:
        if text.startswith("["):
            return json.loads(text)
        return [inner[0](one) for one in text.split(", ")]
    if int in (hint, *inner):
        return int(text)
    return json.loads(text) if text.startswith('"') else text
