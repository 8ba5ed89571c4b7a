"""The turns of a conversation around a place in it, put together from the passages of the index."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from memoro.model.answers import Passage
from memoro.store.ports import Index

_PASSAGES = 16  # that are read on from a place


class SpokenTurn(NamedTuple):
    """All that one side said in a row."""

    speaker: str
    text: str
    passages: tuple[Passage, ...]


def said(passage: Passage) -> str:
    """Return the text of a passage without the name of who said it."""
    return passage.text.removeprefix(f"{passage.speaker}: ") if passage.speaker else passage.text


def turns_from(index: Index, path: str, chunk: int) -> list[SpokenTurn]:
    """Return the turn of a passage and those that follow it in its conversation."""
    chunks = index.chunks_of([path])
    return _read(index, chunks, bisect_left(chunks, chunk))


def turns_after(index: Index, path: str, line: int) -> list[SpokenTurn]:
    """Return the turns from a line of a log on."""
    chunks = index.chunks_of([path])
    return _read(index, chunks, bisect_left(chunks, line, key=lambda chunk: _line_of(index, chunk)))


def last_passage(index: Index, path: str) -> Passage | None:
    return next((one.passage for one in index.look_up(index.chunks_of([path])[-1:], [])), None)


def _line_of(index: Index, chunk: int) -> int:
    return next((one.passage.start_line for one in index.look_up([chunk], [])), 0)


def _read(index: Index, chunks: Sequence[int], begin: int) -> list[SpokenTurn]:
    """Put turns together. An agent speaks several times between calls of tools."""
    parts = [one.passage for one in index.look_up(chunks[begin : begin + _PASSAGES], [])]
    turns: list[SpokenTurn] = []
    for part in sorted(parts, key=lambda part: part.start_line):
        last = turns[-1] if turns else None
        if last and last.speaker == part.speaker:
            turns[-1] = last._replace(text=f"{last.text}\n{said(part)}", passages=(*last.passages, part))
        else:
            turns.append(SpokenTurn(part.speaker or "", said(part), (part,)))
    return turns
