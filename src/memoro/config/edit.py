"""Set or remove one key in a settings file and leave every other byte as it is."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memoro.config.reading import load_toml, read_text
from memoro.errors import ConfigError
from memoro.store import files

KeyPath = tuple[str, ...]  # the tables that lead to a key, and its name
_FRESH = "# Settings of Memoro; `memoro config show` lists every key, its value and its origin.\n"


def write(file: str, key: str | KeyPath, value: object) -> None:
    """Set one key in a settings file; create the file if it is missing.

    Raises ConfigError, and leaves the file alone, where a change would touch more than this key.
    """
    text = read(file)
    replace_file(file, with_value(text, key_path(key), value, file))


def read(file: str) -> str:
    """The text of a settings file; a first comment for one that is not there yet."""
    text = read_text(file)
    return _FRESH if text is None else text


def key_path(key: str | KeyPath) -> KeyPath:
    return tuple(key.split(".")) if isinstance(key, str) else key


def value_at(text: str, key: KeyPath, file: str) -> object:
    """The value that a settings file gives a key; None where it gives none."""
    table: object = load_toml(text, file)
    for name in key:
        table = table.get(name) if isinstance(table, dict) else None
    return table


def with_value(text: str, key: KeyPath, value: object, file: str) -> str:
    """Return the text of a settings file with one key set; a comment behind its old value stays."""
    written = toml_value(value)
    if any("\ud800" <= character <= "\udfff" for character in written):
        raise ConfigError(f"The name of {value!r} is not valid UTF-8, and {file} cannot hold it; rename the folder.")
    before = load_toml(text, file)
    changed = _with_value(text, key, written)
    wanted = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
    if not _is_table(changed, _with_key(before, key, wanted)):
        where = f"under [{_dotted(key[:-1])}]" if key[1:] else "before its first table"
        raise _unchangeable(file, f"Put this {where}: {_dotted(key[-1:])} = {written}")
    return changed


def without_value(text: str, key: KeyPath, file: str) -> str:
    """Return the text of a settings file without one key; a comment on a line of its own stays."""
    before = load_toml(text, file)
    found = next((one for one in _statements(text) if one.key == key), None)
    lines = text.split("\n")
    changed = text if found is None else "\n".join([*lines[: found.first], *lines[found.last + 1 :]])
    if not _is_table(changed, _without_key(before, key)):
        raise _unchangeable(file, f"Take {_dotted(key)} out of it by hand.")
    return changed


def replace_file(file: str, text: str) -> None:
    """Replace a settings file in one step; a link to it stays a link."""
    files.replace_file(os.path.realpath(file), text)


def toml_value(value: object) -> str:
    """A value as TOML writes it."""
    import json

    written = json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
    return written.replace("\x7f", "\\u007f")  # JSON may hold this character as it is, TOML may not


class _Statement(NamedTuple):
    """A key with its value, or the header of a table, and the lines that it stands on."""

    key: KeyPath
    first: int  # line numbers, from 0, both included
    last: int
    is_header: bool = False


def _statements(text: str) -> list[_Statement]:
    """The headers and keys of a settings file that is valid TOML, in order."""
    lines = text.split("\n")
    found: list[_Statement] = []
    table: KeyPath = ()
    position = 0
    while position < len(lines):
        last, read = _read_statement(lines, position)
        if read is not None:
            is_header = lines[position].lstrip().startswith("[")
            path = _first_path(read)
            table = path if is_header else table
            key = path if is_header else (*table, *path)
            found.append(_Statement(key=key, first=position, last=last, is_header=is_header))
        position = last + 1
    return found


def _read_statement(lines: Sequence[str], first: int) -> tuple[int, Mapping[str, object] | None]:
    """The last line of the statement that begins there, and what it says; None for an empty line or a comment."""
    if not lines[first].strip() or lines[first].lstrip().startswith("#"):
        return first, None
    for last in range(first, min(len(lines), first + 1000)):
        try:
            return last, load_toml("\n".join(lines[first : last + 1]) + "\n", "")
        except ConfigError:
            continue
    return first, None


def _first_path(table: object) -> KeyPath:
    """The path to the only key of a statement. A value that is a table itself ends it, unless it has one key."""
    path: list[str] = []
    while isinstance(table, dict) and len(table) == 1:
        name, table = next(iter(table.items()))
        path.append(name)
    return tuple(path)


def _with_value(text: str, key: KeyPath, written: str) -> str:
    lines = text.removesuffix("\n").split("\n")
    end = "\r" if lines and lines[0].endswith("\r") else ""
    statements = _statements(text)
    line = f"{_dotted(key[-1:])} = {written}"
    if there := next((one for one in statements if one.key == key and not one.is_header), None):
        start = lines[there.first].partition("=")[0].rstrip()
        comment = _comment("\n".join(lines[there.first : there.last + 1]).removesuffix("\r"))
        new = [f"{start} = {written}{comment}{end}"]
        return "\n".join([*lines[: there.first], *new, *lines[there.last + 1 :]]) + "\n"
    if not key[1:]:
        return "\n".join(_with_first_key(lines, statements, line + end)) + "\n"
    header = next((one for one in statements if one.is_header and one.key == key[:-1]), None)
    if header is None:
        return "\n".join([*lines, end, f"[{_dotted(key[:-1])}]{end}", line + end]) + "\n"
    following = [one for one in statements if one.first > header.first]
    inside = following[: next((i for i, one in enumerate(following) if one.is_header), len(following))]
    at = inside[-1].last + 1 if inside else header.first + 1
    return "\n".join([*lines[:at], line + end, *lines[at:]]) + "\n"


def _with_first_key(lines: Sequence[str], statements: Sequence[_Statement], line: str) -> list[str]:
    """The lines with a key that belongs to no table: behind the others of its kind, before the first table."""
    outside = statements[: next((i for i, one in enumerate(statements) if one.is_header), len(statements))]
    if outside:
        return [*lines[: outside[-1].last + 1], line, *lines[outside[-1].last + 1 :]]
    first = statements[0].first if statements else len(lines)
    while first and lines[first - 1].lstrip().startswith("#"):  # a comment above a table is about the table
        first -= 1
    if not statements or not first:
        return [*lines[:first], line, *lines[first:]]
    return [*lines[:first], line, "\r" if line.endswith("\r") else "", *lines[first:]]


def _comment(statement: str) -> str:
    """The comment behind a value, with the spaces before it."""
    value = load_toml(statement, "")
    for position, character in enumerate(statement):
        if character == "#":
            try:
                if load_toml(statement[:position], "") == value:
                    return statement[len(statement[:position].rstrip(" \t")) :].rpartition("\n")[2]
            except ConfigError:
                continue
    return ""


def _dotted(key: KeyPath) -> str:
    return ".".join(name if _is_bare(name) else toml_value(name) for name in key)


def _is_bare(name: str) -> bool:
    return bool(name) and name.isascii() and name.replace("-", "").replace("_", "").isalnum()


def _with_key(table: Mapping[str, object], key: KeyPath, value: object) -> object:
    """The table with one key set; None where something else than a table stands on the way."""
    if len(key) == 1:
        return {**table, key[0]: value}
    inner = table.get(key[0], {})
    return {**table, key[0]: _with_key(inner, key[1:], value)} if isinstance(inner, dict) else None


def _without_key(table: Mapping[str, object], key: KeyPath) -> object:
    if len(key) == 1:
        return {name: value for name, value in table.items() if name != key[0]}
    inner = table.get(key[0])
    return {**table, key[0]: _without_key(inner, key[1:])} if isinstance(inner, dict) else table


def _is_table(text: str, wanted: object) -> bool:
    """Return whether a text is TOML that says exactly this; a table without keys says nothing."""
    try:
        return _pruned(load_toml(text, "")) == _pruned(wanted)
    except ConfigError:
        return False


def _pruned(table: object) -> object:
    if not isinstance(table, dict):
        return table
    inner = {name: _pruned(value) for name, value in table.items()}
    return {name: value for name, value in inner.items() if value != {} or not isinstance(table[name], dict)}


def _unchangeable(file: str, remedy: str) -> ConfigError:
    return ConfigError(f"{file} is written in a way that Memoro cannot change. {remedy}")
