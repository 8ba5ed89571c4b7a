"""What an index store must do. Every store passes the same contract suite (tests/test_index_contract.py)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from memoro.model.answers import Match, Passage, Statistics, Term, Where
from memoro.model.notes import FileEntry, Indexed, Note, Problem, Stamp

# What the words of a passage can stand in, with how much a word there weighs. Aboutness is told by
# headings and tags more than by a word in passing; a date's words are shared by a whole day.
COLUMNS = {"text": 1.0, "heading": 1.5, "tags": 1.0, "date": 0.5}


class Write(NamedTuple):
    """Make the index say exactly this about the file."""

    file: Indexed


class Move(NamedTuple):
    """The same bytes stand at another path now."""

    old: str
    file: Indexed


class Touch(NamedTuple):
    """The bytes are the same, what the file system says about them is not."""

    path: str
    stamp: Stamp | None
    day: str  # for a note that has no date of its own


class Hide(NamedTuple):
    """The file is gone: it is found no more, and kept for a while in case it returns."""

    path: str
    at: str


class Emptied(NamedTuple):
    """The file was found empty and is not yet believed."""

    path: str


class Purge(NamedTuple):
    """Drop files that have been hidden since before then."""

    before: str


Change = Write | Move | Touch | Hide | Emptied | Purge


class Counts(NamedTuple):
    files: int
    chunks: int
    hidden: int


class NoteEntry(NamedTuple):
    """One note as the index knows it."""

    file: FileEntry
    note: Note


class Index(Protocol):
    """The searchable shadow of the vault."""

    def apply(self, changes: Sequence[Change]) -> None:
        """Carry out all the changes, or none. A reader sees all of them or none."""

    def files(self) -> dict[str, FileEntry]:
        """What is known about every file, hidden ones included."""

    def note(self, path: str) -> NoteEntry | None:
        """What a visible note says about itself."""

    def counts(self) -> Counts: ...

    def terms(self, text: str) -> list[Term]:
        """The words of a text as this index keeps them, in their order."""

    def statistics(self, terms: Sequence[Term]) -> Statistics: ...

    def match(self, terms: Sequence[Term], where: Where, limit: int) -> list[Match]:
        """Passages that hold any of the terms: the `limit` best by BM25, and any that tie with the last."""

    def passage(self, path: str, digest: str, number: int) -> Passage | None:
        """The passage whose digest begins so; of several alike in the note, the given one."""

    def get_meta(self, key: str) -> str | None: ...

    def put_meta(self, values: dict[str, str]) -> None: ...

    def problems(self) -> tuple[Problem, ...]: ...

    def put_problems(self, problems: Sequence[Problem]) -> None: ...

    def close(self) -> None: ...


class Lock(Protocol):
    def held(self) -> AbstractContextManager[None]: ...

    def tried(self, wait: float = 0.0) -> AbstractContextManager[bool]: ...


class IndexHome(Protocol):
    """Where indexes are kept: the current one, and the next while it is being built."""

    @property
    def syncing(self) -> Lock:
        """Held by whoever brings the index up to date, so that one does and the others wait or go on."""

    @property
    def generation(self) -> int | None: ...

    def current(self) -> Index | None:
        """The index to read from now; None before there is one."""

    def first(self) -> Index:
        """The current index, made empty where there is none. For the holder of `syncing`."""

    def next(self) -> AbstractContextManager[Index]:
        """An empty index that becomes the current one when the block ends well. For the holder of `syncing`."""

    def is_damaged(self) -> str | None:
        """Why the current index cannot be used, looked at once more with nobody writing."""

    def set_aside(self) -> None:
        """Take a damaged index out of use, so that `first` makes a new one."""

    def close(self) -> None: ...
