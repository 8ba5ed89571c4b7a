"""What an index store must do. Every store passes the same contract suite (tests/test_index_contract.py)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memoro.model.answers import Match, Passage, Statistics, Term, Where
from memoro.model.notes import FileEntry, Indexed, Note, Problem, Stamp

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

# What the words of a passage can stand in, with how much a word there weighs. Aboutness is told by
# headings and tags more than by a word in passing; a date's words are shared by a whole day.
# What is said beside a turn counts less than the turn itself.
COLUMNS = {"text": 1.0, "heading": 1.5, "tags": 1.0, "date": 0.5, "context": 0.4}


class Write(NamedTuple):
    """Make the index say exactly this about the file."""

    file: Indexed


class Extend(NamedTuple):
    """A log has grown: what is known of it up to this line stays, and then comes what the file has here.

    All else that is said about the file is as given; its messages are added to those that are known.
    """

    file: Indexed
    after: int


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


class Drop(NamedTuple):
    """Know nothing of it any more, at once."""

    path: str


class Purge(NamedTuple):
    """Drop files that have been hidden since before then."""

    before: str


Change = Write | Extend | Move | Touch | Hide | Drop | Emptied | Purge


class Counts(NamedTuple):
    files: int
    chunks: int
    hidden: int
    transcripts: int  # of the files


class ChunkText(NamedTuple):
    chunk: int
    digest: str
    text: str


class Neighbour(NamedTuple):
    chunk: int
    speaker: str | None
    asks: bool  # whether it holds a question


class Heard(NamedTuple):
    """Where a message stands."""

    id: int
    path: str
    line: int


class NoteEntry(NamedTuple):
    """One note as the index knows it."""

    file: FileEntry
    note: Note


class Talk(NamedTuple):
    """One conversation as the index knows it."""

    path: str
    note: Note
    messages: int
    last: str | None  # the day of the last message


class Index(Protocol):
    """The searchable shadow of the vault."""

    def apply(self, changes: Sequence[Change]) -> list[int]:
        """Carry out all the changes, or none; the numbers of the chunks that are gone.

        A reader sees all of them or none. Numbers of chunks only rise, and none is given twice. The meta
        value "gone" counts all that have ever gone, so that whoever keeps something by number can tell
        whether it missed any.
        """

    def files(self) -> dict[str, FileEntry]:
        """What is known about every file, hidden ones included. Memories and experiences are none."""

    def notes(self, paths: Sequence[str]) -> dict[str, NoteEntry]:
        """What those of these notes that are visible say about themselves."""

    def counts(self) -> Counts: ...

    def terms(self, text: str) -> list[Term]:
        """The words of a text as this index keeps them, in their order."""

    def stems(self, text: str) -> set[str]:
        """The same as `terms`, of each word only its stem, and each once."""

    def statistics(self, terms: Sequence[Term]) -> Statistics: ...

    def match(
        self, terms: Sequence[Term], where: Where, limit: int, *, leading: Collection[Term] | None = None
    ) -> list[Match]:
        """Passages that hold any of the terms: the `limit` best by BM25, and any that tie with the last.

        With `leading`, those that hold one of these terms, or two of any; where they are fewer than `limit`,
        the others too.
        """

    def best(
        self, terms: Sequence[Term], where: Where, limit: int, *, leading: Collection[Term] | None = None
    ) -> list[tuple[int, float]]:
        """The chunks that `match` would give, by their numbers, each with its BM25: quick to have."""

    def look_up(self, chunks: Sequence[int], terms: Sequence[Term]) -> list[Match]:
        """These passages, in this order, with what they hold of the terms; those that are gone are left out."""

    def beside(self, chunks: Sequence[int]) -> dict[int, tuple[Neighbour | None, Neighbour | None]]:
        """For each of these chunks, what stands before and after it in its file."""

    def admitted(self, where: Where) -> list[int] | None:
        """The numbers of all chunks that may answer, rising; None: all may."""

    def texts_after(self, chunk: int, limit: int) -> list[ChunkText]:
        """The next chunks by their numbers."""

    def count_after(self, chunk: int) -> int:
        """How many chunks have higher numbers."""

    def kept(self) -> list[str]:
        """The paths of all memories and experiences."""

    def digests(self, path: str) -> list[str]:
        """The digests of a file's passages."""

    def heard(self, ids: Sequence[int]) -> list[Heard]:
        """Where these messages stand, in files that are visible."""

    def said(self, path: str) -> list[int]:
        """The messages of a file."""

    def conversations(self, prefix: str) -> list[Talk]:
        """The conversations whose paths begin so, each with how many messages of it are in the index."""

    def check(self) -> list[str]:
        """Read everything; return what is wrong with it."""

    def probe(self) -> None:
        """Write a value and read it back; raise where that fails."""

    def journal_mode(self) -> str:
        """How its changes are logged; "none" where they are not."""

    @property
    def file(self) -> str:
        """Where it is kept, for people."""

    def scrub(self) -> None:
        """Leave no trace of what was dropped, neither in the file nor in its log."""

    def passage(self, path: str, digest: str, number: int) -> Passage | None:
        """The passage whose digest begins so; of several alike in the note, the given one."""

    def get_meta(self, key: str) -> str | None: ...

    def put_meta(self, values: Mapping[str, str | None]) -> None:
        """Set these values together; None removes one."""

    def problems(self) -> tuple[Problem, ...]: ...

    def put_problems(self, problems: Sequence[Problem]) -> None: ...

    def close(self) -> None: ...


class VectorIndex(Protocol):
    """The vectors of an index in one space."""

    @property
    def length(self) -> int: ...

    @property
    def last(self) -> int:
        """The highest chunk number that has a vector; 0 where none has."""

    def rows(self, chunks: Sequence[int]) -> Vectors:
        """The vectors of these chunks; zeros for those that have none."""

    def append(self, chunks: Sequence[int], vectors: Vectors) -> None:
        """Add the vectors of chunks whose numbers are above all that are there."""

    def erase(self, chunks: Sequence[int]) -> None:
        """Make the vectors of chunks that are gone match nothing."""

    def keep(self, chunks: Sequence[int]) -> None:
        """Erase the vectors of all other chunks."""

    def check(self) -> None:
        """Raise `VectorsDamaged` unless all are what was written. The other methods look at what they use."""

    def scrub(self) -> None:
        """Leave no trace of what was erased. For the holder of `IndexHome.syncing`."""

    def drop(self) -> None:
        """Forget them all."""

    def nearest(self, query: Vectors, count: int, among: Sequence[int] | None = None) -> list[tuple[int, float]]:
        """Chunks by how near they are to one vector, best first, each with the cosine; only of these, if told."""


class VectorCache(Protocol):
    """Vectors by space and by the digest of what they are vectors of."""

    def get(self, space: str, digests: Sequence[str]) -> dict[str, Vectors]: ...

    def put(self, space: str, vectors: Mapping[str, Vectors]) -> None: ...

    def drop(self, digests: Sequence[str]) -> None:
        """Forget the vectors of these texts in every space, without a trace."""

    def count(self) -> dict[str, int]: ...

    def prune(self, keep: int, wanted: str = "") -> int:
        """Drop vectors until `keep` are left, those of the wanted space last; how many were dropped."""


class Lock(Protocol):
    def held(self) -> AbstractContextManager[None]: ...

    def tried(self, wait: float = 0.0) -> AbstractContextManager[bool]: ...

    def leave(self, text: str) -> None:
        """Leave word for those who hold it next. For the holder."""

    def left(self) -> str: ...


class IndexHome(Protocol):
    """Where indexes are kept: the current one, and the next while it is being built."""

    @property
    def syncing(self) -> Lock:
        """Held by whoever brings the index up to date, so that one does and the others wait or go on."""

    @property
    def changing_vectors(self) -> Lock:
        """Held for a moment by whoever changes vectors or forgets them; never while a text is being embedded.

        It may be taken by the holder of `syncing` or `filling`, and not the other way round.
        """

    def filling(self, space: str) -> Lock:
        """Return the lock of a space's queue. Its holder embeds the texts, so that nobody else pays for them too."""

    @property
    def generation(self) -> int | None: ...

    def vectors(self, index: Index, space: str, dimensions: int) -> VectorIndex:
        """The vectors of this index in a space; empty at first."""

    def spaces(self, index: Index) -> list[str]:
        """The names of the spaces that this index has vectors in."""

    def sweep(self, index: Index) -> None:
        """Remove what is left of vectors beside it in any other space. For the holder of `syncing`."""

    def cache(self) -> VectorCache:
        """Vectors that outlive every index."""

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
