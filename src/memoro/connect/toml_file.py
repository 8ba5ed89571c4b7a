"""Putting a table into a TOML file and taking it out: at its end, where no other line changes for it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from memoro.connect.edits import Edited, Hook, Item, Member, Refused, line_end

_bare = re.compile(r"[A-Za-z0-9_-]+")
_line_end = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z)")
# What a value is made of, as far as it matters where it ends: texts, and brackets of which some may be open.
_token = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}(?!")|\'\'\'.*?\'{3,5}(?!\')|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[\[{]|[\]}]|\n|[^"\'#\[\]{}\n]+',
    re.DOTALL,
)


class TomlFile(NamedTuple):
    def value(self, text: str) -> object:
        return _load(text)

    def holds(self, text: str, items: Sequence[Item], members: Sequence[tuple[str, ...]]) -> bool:
        """Whether exactly this of ours stands there: these items, and nothing else at `members`."""
        table = _load(text)
        there = {path: value for path in members if (value := _get(table, path)) is not None}
        return there == {item.path: item.value for item in items if isinstance(item, Member)}

    def put(self, text: str, items: Sequence[Item]) -> Edited:
        """The text with the items in it, and the pieces that this took."""
        pieces: list[str] = []
        for item in items:
            if isinstance(item, Hook):
                raise Refused("hooks are not written in TOML")
            piece = _table(text, item)
            before, text = _load(text), text + piece
            if _load_or_none(text) != _with(before, item.path, item.value):
                raise Refused(f"it is written in a way that cannot be added to. Put this into it:\n{piece.strip()}")
            pieces.append(piece)
        return Edited(text, tuple(pieces))

    def take(self, text: str, members: Sequence[tuple[str, ...]]) -> str:
        """The text without the tables and keys at `members`."""
        for path in members:
            before = _load(text)
            if _get(before, path) is None:
                continue
            for start, end, full in reversed(list(_statements(text))):
                if full[: len(path)] == path:
                    text = text[:start] + text[end:]
            if _without_empty(_load_or_none(text), path) != _without_empty(_without(before, path), path):
                raise Refused(f"it is written in a way that cannot be changed. Take {'.'.join(path)} out by hand")
        return text


def _table(text: str, item: Member) -> str:
    end = line_end(text)
    assert isinstance(item.value, dict)
    lines = [
        f"[{'.'.join(map(_key, item.path))}]",
        *(f"{_key(key)} = {_value(value)}" for key, value in item.value.items()),
    ]
    apart = "" if not text else end if text.endswith("\n") else end * 2
    return apart + "".join(f"{line}{end}" for line in lines)


def _key(key: str) -> str:
    return key if _bare.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _value(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    # What JSON writes of texts, numbers and truth values TOML reads as the same, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _statements(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Every heading and every key with its value: where its lines begin and end, and its whole path."""
    table: tuple[str, ...] = ()
    position = len(text) - len(text.removeprefix("\ufeff"))
    while position < len(text):
        if found := _line_end.match(text, position):  # empty, or a comment
            if found.end() == position:
                return
            position = found.end()
            continue
        end = _end_of_statement(text, position)
        said = text[position:end]
        if said.lstrip().startswith("["):
            table = _path(_load(said))
            yield position, end, table
        else:
            yield position, end, table + _path(_load(said))
        position = end


def _end_of_statement(text: str, position: int) -> int:
    """Past the end of the line on which no bracket and no text is open any more."""
    depth = 0
    while position < len(text):
        found = _token.match(text, position)
        if not found:
            raise Refused("it is not valid TOML")
        position = found.end()
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if found[0] == "\n" and depth <= 0:
            return position
    return position


def _path(table: object) -> tuple[str, ...]:
    """The one path of keys in what a single statement makes."""
    path: list[str] = []
    while True:
        if isinstance(table, list) and len(table) == 1:
            table = table[0]
        if not (isinstance(table, dict) and len(table) == 1):
            return tuple(path)
        ((key, table),) = table.items()
        path.append(key)


def _load(text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise Refused(f"it is not valid TOML: {error}") from error


def _load_or_none(text: str) -> dict[str, Any] | None:
    try:
        return _load(text)
    except Refused:
        return None


def _get(table: object, path: Sequence[str]) -> object:
    for key in path:
        table = table.get(key) if isinstance(table, dict) else None
    return table


def _with(table: dict[str, Any], path: Sequence[str], value: object) -> dict[str, Any]:
    key, *rest = path
    inner = table.get(key, {})
    if rest and not isinstance(inner, dict):
        return {}
    return {**table, key: _with(inner, rest, value) if rest else value}


def _without(table: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    key, *rest = path
    kept = {name: value for name, value in table.items() if name != key}
    return {**kept, key: _without(table[key], rest)} if rest else kept


def _without_empty(table: dict[str, Any] | None, path: Sequence[str]) -> dict[str, Any] | None:
    """A table that was only there for what was in it counts as none."""
    if table is None or len(path) < 2 or _get(table, path[:-1]) != {}:
        return table
    return _without_empty(_without(table, path[:-1]), path[:-1])
