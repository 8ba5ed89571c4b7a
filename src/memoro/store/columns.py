"""What the word index is given for a chunk, column by column; the same for every store."""

from __future__ import annotations

from memoro.model import dates
from memoro.model.notes import Chunk, Indexed
from memoro.model.words import searchable


def columns(file: Indexed, chunk: Chunk) -> tuple[str, str, str, str]:
    """In the order of `ports.COLUMNS`."""
    note = file.note
    heading = " \n ".join(dict.fromkeys((note.title, *note.aliases, *chunk.headings)))
    return (
        searchable(chunk.text),
        searchable(heading),
        searchable(" ".join(note.tags)),
        dates.in_words(note.date) if note.date else "",
    )
