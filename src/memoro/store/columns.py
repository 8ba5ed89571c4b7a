"""The text of a chunk for each column of the word index, the same for every store."""

from __future__ import annotations

from memoro.model import dates
from memoro.model.notes import Chunk, Indexed
from memoro.model.words import searchable


def columns(file: Indexed, chunk: Chunk) -> tuple[str, str, str, str, str]:
    """Return the columns in the order of `ports.COLUMNS`."""
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
    )
