"""Every text of the page, by language: one TOML file for each part of the page, so that it can be translated.

A text may have places for values ("{count} items"), and a form for one and for several:
`given = { one = "1 item", other = "{count} items" }`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TypeAlias

Table: TypeAlias = Mapping[str, object]


class Texts:
    """The texts of one language. A name such as "today.title" is the file and the key in it."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self._tables = tables

    def __call__(self, name: str, /, **values: object) -> str:
        """The text of that name, with the values filled in. Raises KeyError if there is none."""
        found: object = self._tables
        for part in name.split("."):
            if not isinstance(found, Mapping) or part not in found:
                raise KeyError(f"the page has no text {name!r}")
            found = found[part]
        if isinstance(found, Mapping):
            found = found["one" if values.get("count") == 1 else "other"]
        return str(found).format_map(values) if values else str(found)

    def names(self) -> set[str]:
        """The names of all texts."""
        return {f"{file}.{key}" for file, table in self._tables.items() for key in table}


@cache
def texts(language: str = "en") -> Texts:
    """The texts of a language."""
    folder = files(__package__) / language
    return Texts(
        {
            file.name.removesuffix(".toml"): tomllib.loads(file.read_text("utf-8"))
            for file in folder.iterdir()
            if file.name.endswith(".toml")
        }
    )
