"""Summarise the folders of conversation logs from the index."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from memoro.model.notes import Problem
from memoro.store.ports import Index
from memoro.vault.patterns import LogFolder


class TranscriptSource(NamedTuple):
    """One source of transcripts."""

    source: str  # as it was added: a folder, or the name of an agent
    folder: str
    since: str | None
    conversations: int
    messages: int
    first: str | None  # first and last day
    last: str | None
    problems: tuple[Problem, ...]


def transcript_sources(index: Index | None, folders: Sequence[tuple[str, LogFolder]]) -> list[TranscriptSource]:
    return [_source(index, source, folder) for source, folder in folders]


def _source(index: Index | None, source: str, folder: LogFolder) -> TranscriptSource:
    real = os.path.realpath(os.path.expanduser(folder.folder))
    prefix = f"@{folder.name or os.path.basename(real)}/"
    talks = [talk for talk in index.conversations(prefix) if talk.messages] if index else []
    problems = tuple(p for p in index.problems() if p.path.startswith(prefix)) if index else ()
    return TranscriptSource(
        source=source,
        folder=real,
        since=folder.since,
        conversations=len(talks),
        messages=sum(talk.messages for talk in talks),
        first=min((talk.note.date for talk in talks if talk.note.date), default=None),
        last=max((talk.last for talk in talks if talk.last), default=None),
        problems=problems,
    )
