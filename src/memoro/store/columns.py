"""The text of a chunk for each column of the word index, the same for every store."""

from __future__ import annotations

from collections.abc import Sequence

from memoro.model import dates
from memoro.model.notes import Chunk, Indexed, indexed_kind
from memoro.model.vocabulary import MIRRORED_KINDS, IndexedKind
from memoro.model.words import searchable
from memoro.store.ports import COLUMNS


def columns(file: Indexed, chunk: Chunk) -> tuple[str, ...]:
    """Return the columns in the order of `ports.COLUMNS`."""
    kind = indexed_kind(file.entry.path)
    return _of_item(kind, file, chunk) if kind in MIRRORED_KINDS else _of_file(file, chunk)


def item_words(text: str, tags: Sequence[str]) -> str:
    """Return the text of a memory, an experience or a narrative for the column of its kind."""
    return f"{searchable(text)} \n {searchable(' '.join(tags))}"


def _of_item(kind: IndexedKind, file: Indexed, chunk: Chunk) -> tuple[str, ...]:
    """An item's text and its tags stand in the column of its kind."""
    own = {
        kind: item_words(chunk.text, file.note.tags),
        "date": dates.in_words(file.note.date) if file.note.date else "",
        "context": searchable(chunk.context),
    }
    return tuple(own.get(column, "") for column in COLUMNS)


def _of_file(file: Indexed, chunk: Chunk) -> tuple[str, ...]:
    note = file.note
    is_turn = chunk.speaker is not None
    heading = "" if is_turn else " \n ".join(dict.fromkeys((note.title, *note.aliases, *chunk.headings)))
    date = chunk.date if is_turn else note.date
    return (
        searchable(chunk.text),
        searchable(heading),
        searchable(" ".join(note.tags)),
        dates.in_words(date) if date else "",
        searchable(chunk.context),
        *("" for _ in MIRRORED_KINDS),
    )
