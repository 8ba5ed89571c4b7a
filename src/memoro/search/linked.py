"""The signal `linked`: notes of good candidates that link to each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoro.model.answers import Passage

if TYPE_CHECKING:
    from memoro.model.notes import Note
    from memoro.store.ports import Index

LINKING = 10  # how many of the first candidates can help those that they link to


def linked(index: Index, passages: Sequence[Passage], order: Sequence[int]) -> list[float]:
    """Return 1 for each passage whose note is linked with the note of a top candidate; `order`: the best first."""
    first = [passages[i] for i in order[:LINKING]]
    notes = index.notes(list({p.path for p in first if p.speaker is None}))
    named = {path: _names(path, entry.note) for path, entry in notes.items()}
    targets = {path: {_target(link) for link in entry.note.links} for path, entry in notes.items()}
    joined = {
        path
        for path in named
        for other in named
        if path != other and (targets[other] & named[path] or targets[path] & named[other])
    }
    return [1.0 if passage.path in joined else 0.0 for passage in passages]


def _names(path: str, note: Note) -> set[str]:
    """Return the names by which links can refer to this note."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    return {name.casefold() for name in (note.title, *note.aliases, stem, path, path.rpartition(".")[0])}


def _target(link: str) -> str:
    return link.strip().casefold().removesuffix(".md")
