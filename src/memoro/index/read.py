"""From the bytes of a file to what the index is to say about it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from memoro.index.chunk import chunk, cut
from memoro.model.notes import Chunk, FileEntry, Indexed, Note, Rules, kind_of
from memoro.transcripts import readers
from memoro.transcripts.ports import Turn
from memoro.vault.encoding import decode
from memoro.vault.markdown import parse, split_lines

# Neighbours help a short turn to be found, and drown a long one; a long neighbour drowns anything.
SHORT_TURN = 600  # characters
NEIGHBOUR_WORDS = 40


def read_file(entry: FileEntry, data: bytes, *, written_on: str, rules: Rules) -> tuple[Indexed, tuple[str, ...]]:
    """The file, taken apart, and a sentence for everything in it that had to be left or guessed."""
    if kind_of(entry.path) == "transcript":
        return read_transcript(entry, data, written_on=written_on, rules=rules)
    return read_note(entry, data, written_on=written_on, rules=rules)


def read_note(entry: FileEntry, data: bytes, *, written_on: str, rules: Rules) -> tuple[Indexed, tuple[str, ...]]:
    text, notice = decode(data)
    parsed = parse(text, entry.path)
    chunks = chunk(parsed.lines, parsed.outline, body=parsed.body, limit=rules.tokens, overlap=rules.overlap)
    warnings = (notice, *parsed.warnings) if notice else parsed.warnings
    return Indexed(entry, parsed.note, parsed.note.date or written_on, chunks), warnings


def read_transcript(
    entry: FileEntry, data: bytes, *, written_on: str, rules: Rules
) -> tuple[Indexed, tuple[str, ...]]:
    """One chunk a turn, long ones cut; a last line that has no end yet is read when it has one."""
    text, notice = decode(data[: data.rfind(b"\n") + 1])
    lines = split_lines(text)
    reader = readers.recognise(lines)
    warnings = (notice,) if notice else ()
    if reader is None and lines:
        warnings = (
            *warnings,
            "It is not a conversation log of a format that Memoro knows; nothing of it is indexed.",
        )
    turns = list(reader.turns(lines)) if reader else []
    first = next((turn.date for turn in turns if turn.date), None)
    title = entry.path.rpartition("/")[2].rpartition(".")[0]
    chunks = tuple(c for number, turn in enumerate(turns) for c in _turn_chunks(turns, number, turn, rules))
    return Indexed(entry, Note(title=title, date=first), first or written_on, chunks), warnings


def _turn_chunks(turns: Sequence[Turn], number: int, turn: Turn, rules: Rules) -> list[Chunk]:
    said = f"{turn.speaker}: {turn.text}"
    context = _context(turns, number) if len(turn.text) < SHORT_TURN else ""
    parts = [part.strip() for part in cut(said, rules.tokens) if part.strip()]
    return [
        Chunk(
            text=part,
            start_line=turn.line,
            end_line=turn.line,
            headings=(),
            digest=hashlib.sha256(part.encode()).hexdigest(),
            partial=len(parts) > 1,
            speaker=turn.speaker,
            date=turn.date,
            context=context,
        )
        for part in parts
    ]


def _context(turns: Sequence[Turn], number: int) -> str:
    near = [turns[i] for i in (number - 1, number + 1) if 0 <= i < len(turns)]
    return "\n".join(f"{turn.speaker}: {' '.join(turn.text.split()[:NEIGHBOUR_WORDS])}" for turn in near)
