"""Conversations in an index that lives as long as a test, written chunk by chunk."""

from __future__ import annotations

from collections.abc import Sequence

from memoro.model.notes import Chunk, FileEntry, Indexed, Note
from memoro.store.changes import Write
from memoro.store.plain.index import PlainIndex

PATH = "@claude/s1.jsonl"
SaidChunk = tuple[int, str, str]  # line, speaker, text


def talk(
    said: Sequence[SaidChunk], *, private: Sequence[int] = (), path: str = PATH, day: str = "2026-01-01"
) -> Indexed:
    """A conversation; chunks of one speaker on one line are parts of one turn."""
    seen: set[tuple[int, str]] = set()
    chunks = []
    for number, (line, speaker, text) in enumerate(said):
        begins = f"{speaker}: " if (line, speaker) not in seen else ""
        seen.add((line, speaker))
        chunks.append(
            Chunk(
                text=f"{begins}{text}",
                start_line=line,
                end_line=line,
                headings=(),
                digest=f"{path} {number}",
                speaker=speaker,
                date=day,
                private=line in private,
            )
        )
    entry = FileEntry(path, "transcript", digest=path, stamp=None)
    return Indexed(entry=entry, note=Note("Talk"), day=day, chunks=tuple(chunks))


def index_of(*talks: Indexed) -> PlainIndex:
    index = PlainIndex()
    index.apply([Write(one) for one in talks])
    return index
