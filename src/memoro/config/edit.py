"""Set one key in a settings file and leave every other byte as it is."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from memoro.config.reading import load_toml
from memoro.errors import ConfigError


def write(file: str, key: str, value: str | Sequence[str]) -> None:
    """Set one key in a settings file; create the file if it is missing.

    Raises ConfigError, and leaves the file alone, where a change would touch more than this key.
    """
    group, _, name = key.partition(".")
    line = f"{name} = {_toml(value)}"
    if any("\ud800" <= character <= "\udfff" for character in line):
        raise ConfigError(f"The name of {value!r} is not valid UTF-8, and {file} cannot hold it; rename the folder.")
    try:
        with open(file, encoding="utf-8", newline="") as handle:
            text = handle.read()
    except FileNotFoundError:
        text = f"# Settings of Memoro; `memoro config show` lists every key, its value and its origin.\n\n[{group}]\n"
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}.") from error
    changed = _with_line(text, group, name, line)
    wanted = value if isinstance(value, str) else list(value)
    if not _differs_by_key_alone(load_toml(text, file), changed, (group, name), wanted):
        raise ConfigError(f"{file} is written in a way that Memoro cannot change. Put this under [{group}]: {line}")
    _replace_file(file, changed)


def _with_line(text: str, group: str, name: str, line: str) -> str:
    lines = text.removesuffix("\n").split("\n")
    bare = [old.partition("#")[0].replace(" ", "").strip() for old in lines]
    if f"[{group}]" not in bare:
        return "\n".join([*lines, "", f"[{group}]", line]) + "\n"
    table = bare.index(f"[{group}]")
    ends = next((i for i in range(table + 1, len(lines)) if bare[i].startswith("[")), len(lines))
    inside = next((i for i in range(table + 1, ends) if bare[i].startswith(f"{name}=")), None)
    if inside is None:
        lines.insert(table + 1, line)
    else:
        lines[inside] = line
    return "\n".join(lines) + "\n"


def _differs_by_key_alone(before: Mapping[str, object], changed: str, key: tuple[str, str], value: object) -> bool:
    try:
        after = load_toml(changed, "")
    except ConfigError:
        return False
    group, name = key
    old = before.get(group, {})
    return isinstance(old, dict) and after == {**before, group: {**old, name: value}}


def _replace_file(file: str, text: str) -> None:
    temporary = f"{file}.{os.getpid()}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as handle:
        handle.write(text)
        handle.flush()
        os.fsync(handle.fileno())
    os.replace(temporary, file)


def _toml(value: str | Sequence[str]) -> str:
    import json

    written = json.dumps(value if isinstance(value, str) else list(value), ensure_ascii=False)
    return written.replace("\x7f", "\\u007f")  # JSON may hold this character as it is, TOML may not
