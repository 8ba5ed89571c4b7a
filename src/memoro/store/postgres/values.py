"""Values of SQLite as Postgres keeps them, and back."""

from __future__ import annotations

import json
from typing import Any

from memoro.store.postgres.tables import ColumnType

# Postgres keeps no NUL in a text. A text that has one is kept with this before it, and its NULs escaped.
_ESCAPED = "\x01nul\x01"


def to_server(value: Any, type: ColumnType) -> Any:
    if type == "json":
        return json.dumps(value)
    if type == "text" and value is not None:
        return _without_nul(str(value))
    return value


def from_server(value: Any, type: ColumnType) -> Any:
    if type == "json":
        return json.loads(value)
    if type == "text" and value is not None and value.startswith(_ESCAPED):
        return _with_nul(value)
    return value


def _without_nul(text: str) -> str:
    if "\x00" not in text and not text.startswith(_ESCAPED):
        return text
    return _ESCAPED + text.replace("\x01", "\x01\x31").replace("\x00", "\x01\x30")


def _with_nul(text: str) -> str:
    return text.removeprefix(_ESCAPED).replace("\x01\x30", "\x00").replace("\x01\x31", "\x01")
