"""JSON as text: every value with its place; with comments and trailing commas, where a host allows them."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from memoro.connect.edits import Refused, where

_space = re.compile(r"[ \t\r\n]*")
_scalar = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_decoder = json.JSONDecoder()
_DEPTH = 100  # nobody's settings are nested deeper


class Part(NamedTuple):
    """A member of an object, or an element of a list."""

    key: str | None
    start: int  # of the key, else of the value
    node: Node
    comma: int | None  # where the comma behind it stands


class Node(NamedTuple):
    start: int
    end: int
    value: object
    parts: tuple[Part, ...] | None = None  # of an object or a list

    def part(self, key: str) -> Part | None:
        """The member of that name; of several, the last one counts, as everywhere."""
        return next((part for part in reversed(self.parts or ()) if part.key == key), None)


def parse(text: str, *, comments: bool) -> Node | None:
    """The one value of a document; None for one that is empty. Anything else is refused, with the place."""
    reader = _Reader(text, comments)
    start = reader.skip(1 if text.startswith("\ufeff") else 0)
    if start == len(text):
        return None
    node = reader.value(start, 0)
    end = reader.skip(node.end)
    if end != len(text):
        raise reader.bad("something comes after the end", end)
    return node


class _Reader:
    def __init__(self, text: str, comments: bool) -> None:
        self.text = text
        self.comments = comments

    def bad(self, why: str, position: int) -> Refused:
        kind = "JSON with comments" if self.comments else "JSON"
        return Refused(f"it is not valid {kind}: {why} ({where(self.text, position)})")

    def skip(self, position: int) -> int:
        """Past white space and, where they may stand, comments."""
        while True:
            position = end_of_space(self.text, position)
            if not self.text.startswith(("//", "/*"), position):
                return position
            if not self.comments:
                raise self.bad("comments may not stand here", position)
            end = end_of_comment(self.text, position)
            if end is None:
                raise self.bad("a comment has no end", position)
            position = end

    def value(self, position: int, depth: int) -> Node:
        if depth > _DEPTH:
            raise self.bad("it is nested too deeply", position)
        first = self.text[position : position + 1]
        if first in ("{", "["):
            return self._container(position, depth, "}" if first == "{" else "]")
        if first == '"':
            value, end = self._string(position)
            return Node(position, end, value)
        found = _scalar.match(self.text, position)
        if not found:
            raise self.bad("a value is expected" if first else "it ends too early", position)
        return Node(position, found.end(), json.loads(found[0]))

    def _string(self, position: int) -> tuple[str, int]:
        try:
            value, end = _decoder.raw_decode(self.text, position)
            return str(value), end
        except ValueError as error:
            raise self.bad("a text is not right", position) from error

    def _container(self, start: int, depth: int, closing: str) -> Node:
        parts: list[Part] = []
        position = self.skip(start + 1)
        while not self.text.startswith(closing, position):
            if parts and parts[-1].comma is None:
                raise self.bad(f"a comma or {closing} is expected", position)
            part = self._part(position, depth, named=closing == "}")
            position = self.skip(part.node.end)
            if self.text.startswith(",", position):
                part, position = part._replace(comma=position), self.skip(position + 1)
            parts.append(part)
        if parts and parts[-1].comma is not None and not self.comments:
            raise self.bad("a comma stands before the end", parts[-1].comma)
        value: object = (
            {str(part.key): part.node.value for part in parts}
            if closing == "}"
            else [part.node.value for part in parts]
        )
        return Node(start, position + 1, value, tuple(parts))

    def _part(self, start: int, depth: int, *, named: bool) -> Part:
        if not named:
            return Part(None, start, self.value(start, depth + 1), None)
        if not self.text.startswith('"', start):
            raise self.bad("a name in quotation marks is expected", start)
        key, end = self._string(start)
        position = self.skip(end)
        if not self.text.startswith(":", position):
            raise self.bad("a colon is expected", position)
        return Part(key, start, self.value(self.skip(position + 1), depth + 1), None)


def end_of_space(text: str, position: int) -> int:
    found = _space.match(text, position)
    return found.end() if found else position


def end_of_comment(text: str, position: int) -> int | None:
    """Where a comment that begins here ends, before the end of its line; None where it has no end."""
    if text.startswith("//", position):
        ends = [end for end in (text.find("\r\n", position), text.find("\n", position)) if end >= 0]
        return min(ends, default=len(text))
    end = text.find("*/", position + 2)
    return end + 2 if end >= 0 else None
