"""Appends tables to TOML text and removes them; no other line changes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memoro.connect.edits import EditedText, UneditableSettings, line_end
from memoro.hosts.settings import HookGroup, Member, SettingsItem

Table = dict[str, object]

_bare = re.compile(r"[A-Za-z0-9_-]+")
_line_end = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z)")
# The tokens that decide where a statement ends: strings, comments, brackets and line ends.
_token = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}(?!")|\'\'\'.*?\'{3,5}(?!\')|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[\[{]|[\]}]|\n|[^"\'#\[\]{}\n]+',
    re.DOTALL,
)


class TomlEditor(NamedTuple):
    """Edits TOML text."""

    def value(self, text: str) -> object:
        return _load(text)

    def holds(self, text: str, items: Sequence[SettingsItem], members: Sequence[tuple[str, ...]]) -> bool:
        """Return whether of Memoro's settings the text holds these items and no others."""
        table = _load(text)
        there = {path: value for path in members if (value := _get(table, path)) is not None}
        return there == {item.path: item.value for item in items if isinstance(item, Member)}

    def insert(self, text: str, items: Sequence[SettingsItem]) -> EditedText:
        """Insert the items."""
        pieces: list[str] = []
        for item in items:
            if isinstance(item, HookGroup):
                raise UneditableSettings("hooks are not written in TOML")
            piece = _table(text, item)
            before, text = _load(text), text + piece
            if _load_or_none(text) != _with(before, item.path, item.value):
                raise UneditableSettings(f"nothing can be added to it safely. Add this by hand:\n{piece.strip()}")
            pieces.append(piece)
        return EditedText(text, tuple(pieces))

    def remove(self, text: str, members: Sequence[tuple[str, ...]]) -> str:
        """Remove the tables and keys at `members`."""
        for path in members:
            before = _load(text)
            if _get(before, path) is None:
                continue
            for start, end, full in reversed(list(_statements(text))):
                if full[: len(path)] == path:
                    text = text[:start] + text[end:]
            if _without_empty(_load_or_none(text), path) != _without_empty(_without(before, path), path):
                raise UneditableSettings(f"it cannot be changed safely. Remove {'.'.join(path)} by hand")
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
    # TOML reads JSON's strings, numbers and booleans alike, except for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _statements(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Find every table header and every key with its value: first and last position, and whole path."""
    table: tuple[str, ...] = ()
    position = len(text) - len(text.removeprefix("\ufeff"))
    while position < len(text):
        if found := _line_end.match(text, position):  # empty, or a comment
            if found.end() == position:
                return
            position = found.end()
            continue
        end = _end_of_statement(text, position)
        statement = text[position:end]
        if statement.lstrip().startswith("["):
            table = _path(_load(statement))
            yield position, end, table
        else:
            yield position, end, table + _path(_load(statement))
        position = end


def _end_of_statement(text: str, position: int) -> int:
    """Return the end of the first line after which no bracket and no string is open."""
    depth = 0
    while position < len(text):
        found = _token.match(text, position)
        if not found:
            raise UneditableSettings("it is not valid TOML")
        position = found.end()
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if found[0] == "\n" and depth <= 0:
            return position
    return position


def _path(table: object) -> tuple[str, ...]:
    """Return the path of keys in the table that a single statement makes."""
    path: list[str] = []
    while True:
        if isinstance(table, list) and len(table) == 1:
            table = table[0]
        if not (isinstance(table, dict) and len(table) == 1):
            return tuple(path)
        ((key, table),) = table.items()
        path.append(key)


def _load(text: str) -> Table:
    import tomllib

    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise UneditableSettings(f"it is not valid TOML: {error}") from error


def _load_or_none(text: str) -> Table | None:
    try:
        return _load(text)
    except UneditableSettings:
        return None


def _get(table: object, path: Sequence[str]) -> object:
    for key in path:
        table = table.get(key) if isinstance(table, dict) else None
    return table


def _with(table: Table, path: Sequence[str], value: object) -> Table:
    key, *rest = path
    if not rest:
        return {**table, key: value}
    inner = table.get(key, {})
    return {**table, key: _with(inner, rest, value)} if isinstance(inner, dict) else {}


def _without(table: Table, path: Sequence[str]) -> Table:
    key, *rest = path
    kept = {name: value for name, value in table.items() if name != key}
    inner = table.get(key)
    return {**kept, key: _without(inner, rest)} if rest and isinstance(inner, dict) else kept


def _without_empty(table: Table | None, path: Sequence[str]) -> Table | None:
    """Drop the tables along the path that are empty: they existed only for their contents."""
    if table is None or len(path) < 2 or _get(table, path[:-1]) != {}:
        return table
    return _without_empty(_without(table, path[:-1]), path[:-1])
