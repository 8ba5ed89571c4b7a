"""Inserts items into JSON text and removes them. Each becomes the first in its container: no other line changes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memoro.connect.edits import EditedText, UneditableSettings, is_our_hook, line_end
from memoro.connect.json_text import JsonNode, JsonPart, end_of_comment, parse
from memoro.hosts.settings import HookGroup, Member, SettingsItem

_indented = re.compile(r"^([ \t]+)\S", re.MULTILINE)


class JsonEditor(NamedTuple):
    """Edits JSON text."""

    comments: bool = False  # and trailing commas

    def value(self, text: str) -> object:
        node = parse(text, comments=self.comments)
        return node.value if node else {}

    def holds(self, text: str, items: Sequence[SettingsItem], members: Sequence[tuple[str, ...]]) -> bool:
        """Return whether of Memoro's settings the text holds these items and no others."""
        root = parse(text, comments=self.comments)
        wanted = {item.path: item.value for item in items if isinstance(item, Member)}
        there = {path: part.node.value for path in members if (part := _at(root, path))}
        groups = [(item.event, item.group) for item in items if isinstance(item, HookGroup)]
        found = [(event, trail[-3].node.value) for event, trail in _our_handlers(root)]
        return there == wanted and len(found) == len(groups) and all(group in found for group in groups)

    def insert(self, text: str, items: Sequence[SettingsItem]) -> EditedText:
        """Insert the items."""
        pieces: list[str] = []
        for item in reversed(items):  # each becomes the first of its container
            position, piece = self._insertion(text, item)
            text = text[:position] + piece + text[position:]
            pieces.append(piece)
        return EditedText(text, tuple(pieces))

    def remove(self, text: str, members: Sequence[tuple[str, ...]]) -> str:
        """Remove `members`, our hooks, and the containers that this leaves empty."""
        while True:
            root = parse(text, comments=self.comments)
            trail = next(_trails_to_ours(root, members), None)
            if root is None or trail is None:
                return text
            while len(trail) > 1 and len(trail[-2].node.parts or ()) == 1 and not self._has_comments(text, trail[-2]):
                trail = trail[:-1]
            container = trail[-2].node if len(trail) > 1 else root
            text = _without(text, container, trail[-1])

    def _has_comments(self, text: str, part: JsonPart) -> bool:
        """Return whether a container holds more than its one member, such as a comment."""
        (only,) = part.node.parts or ()
        before, after = text[part.node.start + 1 : only.start], text[only.node.end : part.node.end - 1]
        return bool((before + after).replace(",", "").strip())

    def _insertion(self, text: str, item: SettingsItem) -> tuple[int, str]:
        root = parse(text, comments=self.comments)
        value: object = item.value if isinstance(item, Member) else [item.group]
        if root is None:
            return len(text), _format(_nested(item.path, value), "", "  ", line_end(text)) + line_end(text)
        node = root
        for depth, key in enumerate(item.path):
            if not isinstance(node.value, dict):
                raise UneditableSettings(f"{'.'.join(item.path[:depth]) or 'its top level'} is not an object in it")
            part = node.part(key)
            if part is None:
                return _as_first(text, node, key, _nested(item.path[depth + 1 :], value), root)
            node = part.node
        if not isinstance(node.value, list) or isinstance(item, Member):
            raise UneditableSettings(f"{'.'.join(item.path)} is not a list in it")
        return _as_first(text, node, None, item.group, root)


def _nested(path: Sequence[str], value: object) -> object:
    for key in reversed(path):
        value = {key: value}
    return value


def _format(value: object, indent: str, unit: str, end: str) -> str:
    """Format the value, one member a line; a list of plain values stays on one line."""
    deeper = f"{end}{indent}{unit}"
    if isinstance(value, dict) and value:
        inner = f",{deeper}".join(
            f"{json.dumps(key, ensure_ascii=False)}: {_format(one, indent + unit, unit, end)}"
            for key, one in value.items()
        )
        return f"{{{deeper}{inner}{end}{indent}}}"
    if isinstance(value, list) and any(isinstance(one, dict | list) for one in value):
        inner = f",{deeper}".join(_format(one, indent + unit, unit, end) for one in value)
        return f"[{deeper}{inner}{end}{indent}]"
    return json.dumps(value, ensure_ascii=False)


def _as_first(text: str, node: JsonNode, key: str | None, value: object, root: JsonNode) -> tuple[int, str]:
    """Return the position and the text that make the value the first in a container."""
    end, parts = line_end(text), node.parts or ()
    named = f"{json.dumps(key, ensure_ascii=False)}: " if key is not None else ""
    comma = "," if parts else ""
    if "\n" not in text[root.start : root.end] and root.parts:  # the whole file is on one line, and stays so
        position = node.start + 1 + len(_blank(text, node.start + 1))
        return position, f"{named}{json.dumps(value, ensure_ascii=False)}{comma}{' ' if parts else ''}"
    unit = found[1] if (found := _indented.search(text, root.start)) else "  "
    outer = _indent_at(text, node.start)
    inner = _indent_at(text, parts[0].start) if parts and _starts_line(text, parts[0].start) else outer + unit
    shown = f"{named}{_format(value, inner, unit, end)}{comma}"
    line = _after_line(text, node.start + 1)
    if line is not None:
        return line, f"{inner}{shown}{end}"
    position = node.start + 1
    return position, f"{end}{inner}{shown}{end}{inner if parts else outer}"


def _blank(text: str, position: int) -> str:
    found = re.compile(r"[ \t]*").match(text, position)
    return found[0] if found else ""


def _indent_at(text: str, position: int) -> str:
    return _blank(text, text.rfind("\n", 0, position) + 1)


def _starts_line(text: str, position: int) -> bool:
    return not text[text.rfind("\n", 0, position) + 1 : position].strip(" \t")


def _after_line(text: str, position: int) -> int | None:
    """Return the start of the next line if only comments remain on this one."""
    while True:
        position += len(_blank(text, position))
        if text.startswith(("//", "/*"), position):
            position = end_of_comment(text, position) or len(text)
        elif text.startswith(("\n", "\r\n"), position):
            return position + (2 if text[position] == "\r" else 1)
        else:
            return None


Trail = tuple[JsonPart, ...]  # the parts from the top level down to one part, which is the last


def _at(root: JsonNode | None, path: tuple[str, ...]) -> JsonPart | None:
    trail = _trail(root, path)
    return trail[-1] if trail else None


def _trail(root: JsonNode | None, path: tuple[str, ...]) -> Trail | None:
    trail: Trail = ()
    node = root
    for key in path:
        part = node.part(key) if node else None
        if part is None:
            return None
        trail, node = (*trail, part), part.node
    return trail


def _trails_to_ours(root: JsonNode | None, members: Iterable[tuple[str, ...]]) -> Iterator[Trail]:
    yield from (trail for path in members if (trail := _trail(root, path)))
    for _, trail in _our_handlers(root):
        alone = len(trail[-2].node.parts or ()) == 1
        yield trail[:-2] if alone else trail  # a group without hooks is removed too


def _our_handlers(root: JsonNode | None) -> Iterator[tuple[str, Trail]]:
    """Find our hooks, each with its event; the group that holds a hook is the third from the end of its trail."""
    hooks = _trail(root, ("hooks",))
    for event in (hooks[-1].node.parts or ()) if hooks else ():
        for group in event.node.parts or ():
            listed = group.node.part("hooks")
            for handler in (listed.node.parts or ()) if listed else ():
                if hooks and listed and is_our_hook(handler.node.value):
                    yield event.key or "", (*hooks, event, group, listed, handler)


def _without(text: str, container: JsonNode, part: JsonPart) -> str:
    """Remove one part of a container, its comma, and its lines where it has them to itself."""
    parts = container.parts or ()
    before = parts[parts.index(part) - 1] if parts.index(part) else None
    start, end = part.start, part.node.end if part.comma is None else part.comma + 1
    rest = end + len(_blank(text, end))
    if _starts_line(text, start) and text.startswith(("\n", "\r\n"), rest):
        start = text.rfind("\n", 0, start) + 1
        end = rest + (2 if text[rest] == "\r" else 1)
    elif part.comma is not None:
        end = rest
    text = text[:start] + text[end:]
    was_last = part.comma is None
    if was_last and before is not None and before.comma is not None:
        text = text[: before.comma] + text[before.comma + 1 :]
    return text
