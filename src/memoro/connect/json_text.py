"""Parses JSON and keeps the position of every value; optionally with comments and trailing commas."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from memoro.connect.edits import UneditableSettings, line_and_column

_space = re.compile(r"[ \t\r\n]*")
_scalar = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_decoder = json.JSONDecoder()
_DEPTH = 100  # no real settings are nested deeper


class JsonPart(NamedTuple):
    """A member of an object, or an element of a list."""

    key: str | None
    start: int  # of the key, else of the value
    node: JsonNode
    comma: int | None  # the position of the comma after it


class JsonNode(NamedTuple):
    """A value between two positions of the text."""

    start: int
    end: int
    value: object
    parts: tuple[JsonPart, ...] | None = None  # of an object or a list

    def part(self, key: str) -> JsonPart | None:
        """Return the member of that name; of several, the last, as all parsers do."""
        return next((part for part in reversed(self.parts or ()) if part.key == key), None)


def parse(text: str, *, comments: bool) -> JsonNode | None:
    """Return the value of a document; None if it is empty. Raises UneditableSettings, with line and column."""
    reader = _JsonParser(text, comments)
    start = reader.skip(1 if text.startswith("\ufeff") else 0)
    if start == len(text):
        return None
    node = reader.value(start, 0)
    end = reader.skip(node.end)
    if end != len(text):
        raise reader.bad("text follows the end of the value", end)
    return node


class _JsonParser:
    def __init__(self, text: str, comments: bool) -> None:
        self.text = text
        self.comments = comments

    def bad(self, why: str, position: int) -> UneditableSettings:
        kind = "JSON with comments" if self.comments else "JSON"
        return UneditableSettings(f"it is not valid {kind}: {why} ({line_and_column(self.text, position)})")

    def skip(self, position: int) -> int:
        """Return the position after white space and, where the syntax allows them, comments."""
        while True:
            position = end_of_space(self.text, position)
            if not self.text.startswith(("//", "/*"), position):
                return position
            if not self.comments:
                raise self.bad("comments are not allowed", position)
            end = end_of_comment(self.text, position)
            if end is None:
                raise self.bad("a comment does not end", position)
            position = end

    def value(self, position: int, depth: int) -> JsonNode:
        if depth > _DEPTH:
            raise self.bad("it is nested too deeply", position)
        first = self.text[position : position + 1]
        if first in ("{", "["):
            return self._container(position, depth, "}" if first == "{" else "]")
        if first == '"':
            value, end = self._string(position)
            return JsonNode(position, end, value)
        found = _scalar.match(self.text, position)
        if not found:
            raise self.bad("a value is expected" if first else "it ends too early", position)
        return JsonNode(position, found.end(), json.loads(found[0]))

    def _string(self, position: int) -> tuple[str, int]:
        try:
            value, end = _decoder.raw_decode(self.text, position)
            return str(value), end
        except ValueError as error:
            raise self.bad("a string is not valid", position) from error

    def _container(self, start: int, depth: int, closing: str) -> JsonNode:
        parts: list[JsonPart] = []
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
            raise self.bad("the last element is followed by a comma", parts[-1].comma)
        value: object = (
            {str(part.key): part.node.value for part in parts}
            if closing == "}"
            else [part.node.value for part in parts]
        )
        return JsonNode(start=start, end=position + 1, value=value, parts=tuple(parts))

    def _part(self, start: int, depth: int, *, named: bool) -> JsonPart:
        if not named:
            return JsonPart(key=None, start=start, node=self.value(start, depth + 1), comma=None)
        if not self.text.startswith('"', start):
            raise self.bad("a key in quotation marks is expected", start)
        key, end = self._string(start)
        position = self.skip(end)
        if not self.text.startswith(":", position):
            raise self.bad("a colon is expected", position)
        node = self.value(self.skip(position + 1), depth + 1)
        return JsonPart(key=key, start=start, node=node, comma=None)


def end_of_space(text: str, position: int) -> int:
    found = _space.match(text, position)
    return found.end() if found else position


def end_of_comment(text: str, position: int) -> int | None:
    """Return the end of the comment that begins here, before its line end; None if it does not end."""
    if text.startswith("//", position):
        ends = [end for end in (text.find("\r\n", position), text.find("\n", position)) if end >= 0]
        return min(ends, default=len(text))
    end = text.find("*/", position + 2)
    return end + 2 if end >= 0 else None
