"""Homes and vaults for the benchmarks of faults: their settings, their notes, and the vectors in their index."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy

import memoro
from benchmarks.corpus import Language
from memoro import config
from memoro.store import space_progress

MODEL = "loopback-embed"
_PASSAGES_A_NOTE = 10


class Place(NamedTuple):
    """A home and its vault."""

    home: Path
    vault: Path


def make_place(folder: Path, settings: Mapping[str, object]) -> Place:
    """Make a home with these settings of `embedding`, and an empty vault."""
    place = Place(folder / "home", folder / "vault")
    place.home.mkdir(parents=True)
    place.vault.mkdir(parents=True)
    write_settings(place.home, settings)
    return place


def write_settings(home: Path, settings: Mapping[str, object]) -> None:
    """Write the settings file of a home. A key `batch.wait` stands for `embedding.batch.wait`."""
    lines = [f"embedding.{name} = {_toml(value)}" for name, value in settings.items()]
    (home / config.FILE_NAME).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool | int | float) else f'"{value}"'


class Notes:
    """Writes notes whose passages are all different."""

    def __init__(self, seed: int) -> None:
        self._language = Language(seed)
        self._count = 0
        self.titles: list[str] = []  # of all passages

    def write(self, vault: Path, passages: int) -> None:
        """Add about so many passages to a vault."""
        for _ in range(-(-passages // _PASSAGES_A_NOTE)):
            self._count += 1
            parts = [self._passage(place) for place in range(_PASSAGES_A_NOTE)]
            (vault / f"note{self._count:05}.md").write_text("\n".join(parts), encoding="utf-8")

    def _passage(self, place: int) -> str:
        title = " ".join(self._language.words(3))
        self.titles.append(title)
        return f"## {title} {self._count} {place}\n\n{self._language.paragraph(2)}\n"


def vectors_by_text(home: Path, vault: Path) -> dict[str, bytes | None]:
    """Return the vector of every passage of an index in the wanted space, by its text; None where it has none.

    A home without an index has no passages.
    """
    with memoro.open(home, vault) as m:
        found = m.indexes()
        index = found.current() if found else None
        if found is None or index is None:
            return {}
        space = wanted_space(m)
        items = index.texts_after(0, 1_000_000)
        if space not in found.spaces(index):
            return {item.text: None for item in items}
        dimensions = int(space.rsplit("/", 2)[1])
        rows = found.vectors(index, space, dimensions).rows([item.chunk for item in items])
        has_vector = numpy.count_nonzero(rows, axis=1) > 0
        return {
            item.text: row.tobytes() if has else None for item, row, has in zip(items, rows, has_vector, strict=True)
        }


def is_complete(m: memoro.Workspace) -> bool:
    """Return whether every passage has been settled in the wanted space."""
    found = m.indexes()
    index = found.current() if found else None
    return index is not None and space_progress.is_complete(index, wanted_space(m))


def wanted_space(m: memoro.Workspace) -> str:
    """Return the name of the space that the settings want, and not the built-in one."""
    found = m.indexes()
    index = found.current() if found else None
    assert found is not None and index is not None
    names = [name for name in found.spaces(index) if not name.startswith("builtin/")]
    return names[0] if names else ""
