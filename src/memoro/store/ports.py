"""The interfaces of an index store. Every store passes the same contract suite (tests/test_index_contract.py)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memoro.model.answers import Held, Match, Passage, Statistics, Term, Where
from memoro.model.notes import FileEntry, Note, Problem
from memoro.model.vocabulary import MIRRORED_KINDS, MirroredKind, Tier

if TYPE_CHECKING:
    from memoro.model.figures import IndexedCount
    from memoro.providers.ports import Vectors
    from memoro.providers.records import ProviderRecords
    from memoro.store.changes import Change

ENDED_FACTS = (
    "ledger_ended_facts"  # a value of the index: set where a memory extracted from a conversation has an end
)
# A value of the index: whether its owner muted anything, when it last followed the ledger; None: nobody knows.
MUTES = "ledger_mutes"
# The columns of the word index, and the weight of a word in each. Headings and tags say more about the topic of a
# passage than a word in passing. All passages of a day share the words of its date. The text around a turn counts
# less than the turn itself. The words of memories, experiences and narratives stand in columns of their own, so that
# each of these kinds has document frequencies of its own.
COLUMNS = {
    "text": 1.0,
    "heading": 1.5,
    "tags": 1.0,
    "date": 0.5,
    "context": 0.4,
    "memory": 1.0,
    "experience": 1.0,
    "narrative": 1.0,
}
# The most words that a row may have in other columns than that of its kind: its date, and a solution.
MOST_OTHER_WORDS: dict[MirroredKind, int] = {"memory": 5, "experience": 10_000, "narrative": 5}


def shown_column(column: str) -> str:
    """Return the name of a column in results: the words of a memory or an experience are its text."""
    return "text" if column in MIRRORED_KINDS else column


# BM25's usual k1 and b: how soon repetition stops counting, and how much length costs. FTS5 has the same.
SATURATION, LENGTH = 1.2, 0.75


class Counts(NamedTuple):
    files: int
    chunks: int
    hidden: int
    transcripts: int  # included in `files`


class ChunkText(NamedTuple):
    chunk: int
    digest: str
    text: str
    path: str = ""  # of its file, with the file's tags: a setting may name either as private
    tags: tuple[str, ...] = ()
    is_private: bool = False  # by its own words, or as a part of a private note


class Neighbour(NamedTuple):
    chunk: int
    speaker: str | None
    asks: bool  # whether it contains a question


class MessageLocation(NamedTuple):
    """The place of a message."""

    id: int
    path: str
    line: int


class ItemMatch(NamedTuple):
    """A memory, an experience or a narrative that holds words of a query."""

    number: int
    counts: tuple[tuple[str, int], ...]  # (stem, count)
    length: float  # words of the item
    most: float  # neither this nor any later match fits better; between 0 and 1


class NoteEntry(NamedTuple):
    """One note as the index knows it."""

    file: FileEntry
    note: Note


class IndexedConversation(NamedTuple):
    """One conversation as the index knows it."""

    path: str
    note: Note
    messages: int
    last: str | None  # the day of the last message


class IndexedSession(NamedTuple):
    """The note of a session, or the log of a conversation, as the index knows it."""

    path: str
    tier: Tier  # "episodic": a note; "transcript": a log
    agent: str | None
    first: str  # the day on which it began, and the day of its last message, as YYYY-MM-DD
    last: str


class DatedFile(NamedTuple):
    """A note or a conversation, as a day lists it."""

    path: str
    tier: Tier
    title: str
    day: str  # its date, or else the day of its last write, as YYYY-MM-DD
    agent: str | None
    project: str | None
    session: str | None
    is_private: bool


class FilesOfDay(NamedTuple):
    files: tuple[DatedFile, ...]  # daily notes first, then by their paths
    total: int  # of all of that day


class WrittenBetween(NamedTuple):
    """A span of time in nanoseconds since 1970, as file systems count; the end is not part of it."""

    first: int
    end: int


class Index(Protocol):
    """The searchable shadow of the vault."""

    def apply(self, changes: Sequence["Change"]) -> list[int]:
        """Carry out all changes or none; return the numbers of the deleted chunks.

        A reader sees all changes or none. Chunk numbers only rise and are never reused. The meta value "gone" counts
        all deleted chunks, so that a reader that keeps data by chunk number knows whether it missed any.
        """

    def files(self) -> dict[str, FileEntry]:
        """Return the entry of every file, hidden ones included. Items of the ledger are no files."""

    def notes(self, paths: Sequence[str]) -> dict[str, NoteEntry]:
        """Return the metadata of those of these notes that are visible."""

    def titled(self, titles: Sequence[str]) -> dict[str, NoteEntry]:
        """Return those visible notes that have one of these titles; case does not count, in ASCII."""

    def projects(self) -> list[str]:
        """Return the projects of all conversations, session notes, lines of daily notes and items of the ledger."""

    def without_project(self) -> dict[str, str]:
        """Return the sessions of session notes and of items of the ledger that have no project, by path."""

    def projects_of_logs(self) -> dict[str, str]:
        """Return the projects of the conversations that have one, by path."""

    def counts(self) -> Counts: ...

    def inventory(self) -> "list[IndexedCount]":
        """Count what is visible by kind, tier, project and day. Items of the ledger that are unlisted count too."""

    def terms(self, text: str) -> list[Term]:
        """Return the words of a text as this index stores them, in order."""

    def stems(self, text: str) -> set[str]:
        """Return the distinct stems of `terms(text)`."""

    def statistics(self, terms: Sequence[Term]) -> Statistics: ...

    def count_beginning(self, stem: str, most: int) -> int:
        """Return how many passages hold each word that begins so, added up; above `most`, counting may end."""

    def match(
        self, terms: Sequence[Term], where: Where, limit: int, *, leading: Collection[Term] | None = None
    ) -> list[Match]:
        """Return passages that hold any of the terms: the `limit` best by BM25, and any that tie with the last.

        With `leading`, passages that hold one of these terms or two of any come first; the others follow only if
        there are fewer than `limit`.
        """

    def best(
        self, terms: Sequence[Term], where: Where, limit: int, *, leading: Collection[Term] | None = None
    ) -> list[tuple[int, float]]:
        """Return the chunks of `match` as (number, BM25): faster than `match`."""

    def item_statistics(self, kind: MirroredKind, terms: Sequence[Term]) -> Statistics:
        """Return statistics over all items of one kind of the ledger, unlisted ones included."""

    def item_matches(
        self, kind: MirroredKind, terms: Sequence[Term], shares: Mapping[str, float]
    ) -> AbstractContextManager[Iterator[ItemMatch]]:
        """Yield every item of the kind that holds any of the terms, unlisted ones included; lazily.

        `shares` says by stem how much each term counts; together they are at most 1. The `most` of the matches
        never rises, so that a reader may stop at one that is too low.
        """

    def unlisted(self, held: Held | None = None) -> list[int]:
        """Return the chunks that the default view leaves out, but for memories that held then."""

    def look_up(self, chunks: Sequence[int], terms: Sequence[Term]) -> list[Match]:
        """Return these passages in this order, with their counts of the terms; skip deleted ones."""

    def neighbours(self, chunks: Sequence[int]) -> dict[int, tuple[Neighbour | None, Neighbour | None]]:
        """Return the chunks before and after each of these chunks in its file."""

    def admitted(self, where: Where) -> list[int] | None:
        """Return the chunks that pass the filters, ascending; None: all pass, or all but `unlisted`."""

    def texts_after(self, chunk: int, limit: int) -> list[ChunkText]:
        """Return the next chunks by number."""

    def count_after(self, chunk: int) -> int:
        """Return how many chunks have higher numbers."""

    def ledger_paths(self) -> list[str]:
        """Return the paths of all memories, experiences and narratives."""

    def digests(self, path: str) -> list[str]:
        """Return the digests of a file's passages."""

    def chunks_of(self, paths: Sequence[str]) -> list[int]:
        """Return the chunks of these files, ascending."""

    def messages(self, ids: Sequence[int]) -> list[MessageLocation]:
        """Return the places of these messages in visible files."""

    def message_ids(self, path: str) -> list[int]:
        """Return the ids of a file's messages."""

    def conversations(self, prefix: str) -> list[IndexedConversation]:
        """Return the conversations whose paths begin with the prefix."""

    def sessions(self, where: Where, limit: int) -> list[IndexedSession]:
        """Return the last session notes and conversations of the projects that `where` binds to, the latest first.

        Bound to no project, those that belong to none. Of the other filters only days and bound agents count.
        """

    def files_of_day(self, day: str, written: WrittenBetween, limit: int) -> FilesOfDay:
        """Return the notes and conversations that have this day, or that were written last in this span."""

    def last_day_before(self, day: str) -> str | None:
        """Return the last day before this one that a note or a conversation has."""

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
        """Leave no trace of deleted text, neither in the file nor in its write-ahead log."""

    def erase_deleted_words(self, now: float, *, if_quick: bool) -> None:
        """Erase the words of deleted passages from the word index; their text is erased at once.

        In a large index this takes a moment, so it is done every ten minutes at most, and never `if_quick`. `now` is
        in seconds since 1970.
        """

    def passage(self, path: str, digest: str, number: int) -> Passage | None:
        """Return the passage whose digest begins so; `number` chooses among equal ones."""

    def get_meta(self, key: str) -> str | None: ...

    def put_meta(self, values: Mapping[str, str | None]) -> None:
        """Set these values together; None deletes one."""

    def problems(self) -> tuple[Problem, ...]: ...

    def put_problems(self, problems: Sequence[Problem]) -> None: ...

    def close(self) -> None: ...


class VectorIndex(Protocol):
    """The vectors of an index in one space."""

    @property
    def length(self) -> int:
        """Return how many rows there are, those of erased vectors included."""

    @property
    def count(self) -> int:
        """Return how many vectors there are."""

    @property
    def last(self) -> int:
        """Return the highest chunk number that has a vector; 0 if there is none."""

    def rows(self, chunks: Sequence[int]) -> "Vectors":
        """Return the vectors of these chunks; zeros for chunks without one."""

    def append(self, chunks: Sequence[int], vectors: "Vectors") -> None:
        """Add vectors of chunks whose numbers are above all present ones."""

    def erase(self, chunks: Sequence[int]) -> None:
        """Make the vectors of deleted chunks match nothing."""

    def keep(self, chunks: Sequence[int]) -> None:
        """Erase the vectors of all other chunks."""

    def check(self) -> None:
        """Raise `VectorsDamaged` unless all bytes are as written. The other methods check only what they use."""

    def scrub(self) -> None:
        """Leave no trace of erased vectors. Only for the holder of `IndexHome.syncing`."""

    def reclaim(self) -> None:
        """Give back the space of erased vectors. Only for the holder of `IndexHome.changing_vectors`."""

    def drop(self) -> None:
        """Delete all vectors."""

    def nearest(self, query: "Vectors", count: int, among: Sequence[int] | None = None) -> list[tuple[int, float]]:
        """Return (chunk, cosine), nearest first; with `among`, of these chunks alone."""


class VectorCache(Protocol):
    """Vectors by space and by the digest of their text."""

    def get(self, space: str, digests: Sequence[str]) -> "dict[str, Vectors]": ...

    def known(self, space: str, digests: Sequence[str]) -> set[str]:
        """Return those of these texts that have a vector, without reading it."""

    def put(self, space: str, vectors: "Mapping[str, Vectors]") -> None: ...

    def drop_space(self, space: str) -> int:
        """Delete all vectors of a space; return how many there were."""

    def drop(self, digests: Sequence[str]) -> None:
        """Delete the vectors of these texts in every space, without a trace."""

    def count(self) -> dict[str, int]: ...

    def prune(self, keep: int, wanted: str = "") -> int:
        """Delete vectors until `keep` are left, those of the wanted space last; return how many were deleted."""


class Lock(Protocol):
    def held(self) -> AbstractContextManager[None]: ...

    def tried(self, wait: float = 0.0) -> AbstractContextManager[bool]: ...

    def leave(self, text: str) -> None:
        """Leave a text for the next holders. Only for the holder."""

    def left(self) -> str: ...

    def is_held(self) -> bool:
        """Return whether anybody holds the lock now."""


class IndexHome(Protocol):
    """The indexes of a home: the current one, and the next while it is built."""

    @property
    def syncing(self) -> Lock:
        """The lock of whoever syncs: one process does, the others wait or continue without."""

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
        """Return the vectors of this index in a space; empty at first."""

    def spaces(self, index: Index) -> list[str]:
        """Return the names of the spaces in which this index has vectors."""

    def sweep(self, index: Index) -> None:
        """Delete leftover vector files of this index in any other space. Only for the holder of `syncing`."""

    def cache(self) -> VectorCache:
        """Return the cache of vectors, which outlives every index."""

    def records(self) -> "ProviderRecords":
        """Return what the home keeps about its providers; opened, and made where it is missing."""

    def current(self) -> Index | None:
        """Return the index to read from now; None before there is one."""

    def first(self) -> Index:
        """Return the current index, created empty if there is none. Only for the holder of `syncing`."""

    def next(self) -> AbstractContextManager[Index]:
        """Yield an empty index that becomes the current one if the block succeeds. For the holder of `syncing`."""

    def is_damaged(self) -> str | None:
        """Return why the current index cannot be used, checked once more while nobody writes; None if it can."""

    def set_aside(self) -> None:
        """Take a damaged index out of use, so that `first` makes a new one."""

    def close(self) -> None: ...
