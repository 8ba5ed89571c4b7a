"""From the bytes of a note to what the index is to say about it."""

from __future__ import annotations

from memoro.index.chunk import chunk
from memoro.model.notes import FileEntry, Indexed, Rules
from memoro.vault.encoding import decode
from memoro.vault.markdown import parse


def read_note(entry: FileEntry, data: bytes, *, written_on: str, rules: Rules) -> tuple[Indexed, tuple[str, ...]]:
    """The note, taken apart, and a sentence for everything in it that had to be left or guessed."""
    text, notice = decode(data)
    parsed = parse(text, entry.path)
    chunks = chunk(parsed.lines, parsed.outline, body=parsed.body, limit=rules.tokens, overlap=rules.overlap)
    warnings = (notice, *parsed.warnings) if notice else parsed.warnings
    return Indexed(entry, parsed.note, parsed.note.date or written_on, chunks), warnings
