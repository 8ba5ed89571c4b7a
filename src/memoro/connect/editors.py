"""The editor for each syntax of settings files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from memoro.connect.edits import EditedText
from memoro.connect.json_editor import JsonEditor
from memoro.connect.toml_editor import TomlEditor
from memoro.hosts.settings import SettingsItem, Syntax


class Editor(Protocol):
    """Edits settings as text, so that comments and formatting survive."""

    def value(self, text: str) -> object: ...

    def holds(self, text: str, items: Sequence[SettingsItem], members: Sequence[tuple[str, ...]]) -> bool: ...

    def insert(self, text: str, items: Sequence[SettingsItem]) -> EditedText: ...

    def remove(self, text: str, members: Sequence[tuple[str, ...]]) -> str: ...


EDITORS: Mapping[Syntax, Editor] = {
    "json": JsonEditor(),
    "jsonc": JsonEditor(comments=True),
    "toml": TomlEditor(),
}
