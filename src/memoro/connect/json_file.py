"""Putting items into a JSON file and taking them out. What is put in comes first: no other line changes for it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memoro.connect.edits import Edited, Hook, Item, Member, Refused, is_our_hook, line_end
from memoro.connect.json_text import Node, Part, end_of_comment, parse

_indented = re.compile(r"^([ \t]+)\S", re.MULTILINE)


class JsonFile(NamedTuple):
    """One way to write JSON. `comments` also stands for trailing commas."""

    comments: bool = False

    def value(self, text: str) -> object:
        node = parse(text, comments=self.comments)
        return node.value if node else {}

    def holds(self, text: str, items: Sequence[Item], members: Sequence[tuple[str, ...]]) -> bool:
        """Whether exactly this of ours stands there: these items, and no other at `members` or among hooks."""
        root = parse(text, comments=self.comments)
        wanted = {item.path: item.value for item in items if isinstance(item, Member)}
        there = {path: part.node.value for path in members if (part := _at(root, path))}
        groups = [(item.event, item.group) for item in items if isinstance(item, Hook)]
        found = [(event, trail[-3].node.value) for event, trail in _our_handlers(root)]
        return there == wanted and len(found) == len(groups) and all(group in found for group in groups)

    def put(self, text: str, items: Sequence[Item]) -> Edited:
        """The text with the items in it, and the pieces that this took."""
        pieces: list[str] = []
        for item in reversed(items):  # each becomes the first of its container
            position, piece = self._insertion(text, item)
            text = text[:position] + piece + text[position:]
            pieces.append(piece)
        return Edited(text, tuple(pieces))

    def take(self, text: str, members: Sequence[tuple[str, ...]]) -> str:
        """The text without what stands at `members`, without our hooks, and without what is empty by that."""
        while True:
            root = parse(text, comments=self.comments)
            trail = next(_ours(root, members), None)
            if root is None or trail is None:
                return text
            while len(trail) > 1 and len(trail[-2].node.parts or ()) == 1 and not self._has_comments(text, trail[-2]):
                trail = trail[:-1]
            container = trail[-2].node if len(trail) > 1 else root
            text = _without(text, container, trail[-1])

    def _has_comments(self, text: str, part: Part) -> bool:
        """Whether somebody has written more into a container than its one member."""
        (only,) = part.node.parts or ()
        before, after = text[part.node.start + 1 : only.start], text[only.node.end : part.node.end - 1]
        return bool((before + after).replace(",", "").strip())

    def _insertion(self, text: str, item: Item) -> tuple[int, str]:
        root = parse(text, comments=self.comments)
        value: object = item.value if isinstance(item, Member) else [item.group]
        if root is None:
            return len(text), _rendered(_nested(item.path, value), "", "  ", line_end(text)) + line_end(text)
        node = root
        for depth, key in enumerate(item.path):
            if not isinstance(node.value, dict):
                raise Refused(f"{'.'.join(item.path[:depth]) or 'the whole of it'} is no object in it")
            part = node.part(key)
            if part is None:
                return _first(text, node, key, _nested(item.path[depth + 1 :], value), root)
            node = part.node
        if not isinstance(node.value, list) or isinstance(item, Member):
            raise Refused(f"{'.'.join(item.path)} is no list in it")
        return _first(text, node, None, item.group, root)


def _nested(path: Sequence[str], value: object) -> object:
    for key in reversed(path):
        value = {key: value}
    return value


def _rendered(value: object, indent: str, unit: str, end: str) -> str:
    """The value on lines of its own, all but the first indented; a list of plain values on one."""
    deeper = f"{end}{indent}{unit}"
    if isinstance(value, dict) and value:
        inner = f",{deeper}".join(
            f"{json.dumps(key, ensure_ascii=False)}: {_rendered(one, indent + unit, unit, end)}"
            for key, one in value.items()
        )
        return f"{{{deeper}{inner}{end}{indent}}}"
    if isinstance(value, list) and any(isinstance(one, dict | list) for one in value):
        inner = f",{deeper}".join(_rendered(one, indent + unit, unit, end) for one in value)
        return f"[{deeper}{inner}{end}{indent}]"
    return json.dumps(value, ensure_ascii=False)


def _first(text: str, node: Node, key: str | None, value: object, root: Node) -> tuple[int, str]:
    """Where and what to insert so that the value becomes the first in a container."""
    end, parts = line_end(text), node.parts or ()
    named = f"{json.dumps(key, ensure_ascii=False)}: " if key is not None else ""
    comma = "," if parts else ""
    if "\n" not in text[root.start : root.end] and root.parts:  # all on one line, and stays so
        position = node.start + 1 + len(_blank(text, node.start + 1))
        return position, f"{named}{json.dumps(value, ensure_ascii=False)}{comma}{' ' if parts else ''}"
    unit = found[1] if (found := _indented.search(text, root.start)) else "  "
    outer = _indent_at(text, node.start)
    inner = _indent_at(text, parts[0].start) if parts and _starts_line(text, parts[0].start) else outer + unit
    shown = f"{named}{_rendered(value, inner, unit, end)}{comma}"
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
    """The start of the next line, where nothing but comments stands on this one."""
    while True:
        position += len(_blank(text, position))
        if text.startswith(("//", "/*"), position):
            position = end_of_comment(text, position) or len(text)
        elif text.startswith(("\n", "\r\n"), position):
            return position + (2 if text[position] == "\r" else 1)
        else:
            return None


Trail = tuple[Part, ...]  # from a member of the whole down to a part, which stands last


def _at(root: Node | None, path: tuple[str, ...]) -> Part | None:
    trail = _trail(root, path)
    return trail[-1] if trail else None


def _trail(root: Node | None, path: tuple[str, ...]) -> Trail | None:
    trail: Trail = ()
    node = root
    for key in path:
        part = node.part(key) if node else None
        if part is None:
            return None
        trail, node = (*trail, part), part.node
    return trail


def _ours(root: Node | None, members: Iterable[tuple[str, ...]]) -> Iterator[Trail]:
    yield from (trail for path in members if (trail := _trail(root, path)))
    for _, trail in _our_handlers(root):
        alone = len(trail[-2].node.parts or ()) == 1
        yield trail[:-2] if alone else trail  # a group is there for its hooks


def _our_handlers(root: Node | None) -> Iterator[tuple[str, Trail]]:
    """Each of our hooks, with its event; the group it stands in is the third from the end of its trail."""
    hooks = _trail(root, ("hooks",))
    for event in (hooks[-1].node.parts or ()) if hooks else ():
        for group in event.node.parts or ():
            listed = group.node.part("hooks")
            for handler in (listed.node.parts or ()) if listed else ():
                if hooks and listed and is_our_hook(handler.node.value):
                    yield event.key or "", (*hooks, event, group, listed, handler)


def _without(text: str, container: Node, part: Part) -> str:
    """The text without one part of a container: with its comma, and with its lines where it has them to itself."""
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
    if (
        part.comma is None and before is not None and before.comma is not None
    ):  # it was the last, and needs it no more
        text = text[: before.comma] + text[before.comma + 1 :]
    return text
