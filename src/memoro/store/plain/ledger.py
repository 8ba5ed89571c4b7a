"""A ledger in dictionaries, without a database: the oracle of the contract suite.

A transaction works on a copy of the dictionaries, which takes their place when it ends well. With a folder,
every commit is also written to a file there.
"""

from __future__ import annotations

import os
import pickle
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from memoro.errors import StoreUnavailable
from memoro.model.guard import write_transaction
from memoro.model.ledger import LedgerMarks, LedgerSizes
from memoro.store.files import sync_folder
from memoro.store.plain.figures import PlainFigures
from memoro.store.plain.items import PlainItems
from memoro.store.plain.journal import PlainJournal
from memoro.store.plain.memories import PlainExperiences, PlainMemories
from memoro.store.plain.registers import PlainForgotten, PlainKeys, PlainMeta, PlainNumbers
from memoro.store.plain.relations import PlainGiven, PlainLinks, PlainNarratives
from memoro.store.plain.sessions import PlainSessions
from memoro.store.plain.tables import Tables, empty_tables
from memoro.store.plain.words import PlainWords
from memoro.store.plain.writes import PlainContents, PlainLines, PlainPending, PlainProposals
from memoro.store.unshared import UnsharedVisibility

# An export holds these; notes, sessions and proposals stay with their home.
_EXPORTED = ("memories", "journal", "keys", "given", "links", "narratives", "forgotten", "experiences", "items")


class PlainTransaction:
    """Serves the archive too, of which only memories and meta are used."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.memories = PlainMemories(tables)
        self.experiences = PlainExperiences(tables)
        self.narratives = PlainNarratives(tables)
        self.words = PlainWords(tables)
        self.journal = PlainJournal(tables)
        self.links = PlainLinks(tables)
        self.given = PlainGiven(tables)
        self.contents = PlainContents(tables)
        self.pending = PlainPending(tables)
        self.lines = PlainLines(tables)
        self.proposals = PlainProposals(tables)
        self.items = PlainItems(tables)
        self.sessions = PlainSessions(tables)
        self.keys = PlainKeys(tables)
        self.forgotten = PlainForgotten(tables)
        self.meta = PlainMeta(tables)
        self.numbers = PlainNumbers(tables)
        self.figures = PlainFigures(tables)
        self.visibility = UnsharedVisibility()

    def sizes(self) -> LedgerSizes:
        taken = self._tables.bytes()
        return LedgerSizes(taken["memories"], taken)

    def marks(self, now: str) -> LedgerMarks:
        waiting = [one for one in self._tables.proposals.values() if one.state == "open"]
        return LedgerMarks(
            changes=max(self._tables.journal, default=0),
            recalls=max(self._tables.recalls, default=0),
            proposals=sum(one.expires_at is None or one.expires_at > now for one in waiting),
        )

    def is_empty(self) -> bool:
        return not any(getattr(self._tables, name) for name in _EXPORTED)


class PlainLedger:
    """Also an archive: both have the same upkeep, and the archive uses fewer of the tables."""

    person: str | None = None  # nobody shares it

    def __init__(self, folder: str | None = None, name: str = "ledger") -> None:
        self._name = name
        self._file = self._copy_in(folder) if folder else None
        is_there = self._file is not None and os.path.exists(self._file)
        self._tables = _read(self._file) if self._file and is_there else _new_tables()
        self._writing = threading.RLock()
        self._here = threading.local()  # the tables of the transaction that this thread is in
        self._commits = 0
        self._written_at = 0.0

    @contextmanager
    def reading(self) -> Iterator[PlainTransaction]:
        outer: Tables | None = getattr(self._here, "tables", None)
        self._here.tables = outer or self._tables
        try:
            yield PlainTransaction(self._here.tables)
        finally:
            self._here.tables = outer

    @contextmanager
    def writing(self) -> Iterator[PlainTransaction]:
        with self._writing, write_transaction():
            if getattr(self._here, "tables", None) is not None:
                raise RuntimeError("A write transaction is opened inside another transaction of the same thread.")
            self._here.tables = working = self._tables.copied()
            try:
                yield PlainTransaction(working)
            finally:
                self._here.tables = None
            self._commit(working)

    def _commit(self, tables: Tables) -> None:
        if self._file:
            _write(self._file, tables)
        self._tables = tables
        self._commits += 1
        self._written_at = time.time()

    @contextmanager
    def exclusively(self) -> Iterator[None]:
        with self._writing:
            yield

    def lineage(self) -> None:
        return None

    def present_lineage(self) -> None:
        return None

    def change_token(self) -> str | None:
        return f"{id(self)}:{self._commits}"

    def size(self) -> int:
        return sum(self._tables.bytes().values())

    def written_at(self) -> float:
        return self._written_at

    def check(self) -> list[str]:
        return []

    def refuse_damaged(self) -> None:
        """Dictionaries are not damaged."""

    def scrub(self) -> None:
        """Deleted rows leave no trace in dictionaries."""

    def trim(self) -> None:
        """Dictionaries have no other machines."""

    def out_of_reach(self) -> list[str]:
        return []

    def compact(self) -> None:
        """Deleted rows take no space in dictionaries."""

    def copy_to(self, folder: str) -> Mapping[str, int]:
        with self.reading():
            tables: Tables = self._here.tables
        _write(self._copy_in(folder), tables)
        return tables.counts()

    def check_copy(self, folder: str, rows: Mapping[str, int]) -> list[str]:
        try:
            counts = _read(self._copy_in(folder)).counts()
        except StoreUnavailable as error:
            return [str(error)]
        return [] if counts == rows else [f"{self._name}: it does not hold as many rows as were counted"]

    def become_copy(self, folder: str) -> None:
        with self._writing:
            self._commit(_read(self._copy_in(folder)))

    def adopt(self) -> None:
        """A store in memory, or in one file of JSON, has no record to differ from."""

    def known_damage(self) -> None:
        """It is never damaged."""

    def damaged_remains(self) -> list[str]:
        return []

    def staleness(self) -> None:
        """What is read is the store itself."""

    @contextmanager
    def reading_copy(self, folder: str) -> Iterator[PlainTransaction]:
        yield PlainTransaction(_read(self._copy_in(folder)))

    def open_copy(self, folder: str) -> PlainLedger:
        return PlainLedger(folder, self._name)

    def forgotten_elsewhere(self) -> list[tuple[str, str]]:
        return []

    def note_erased(self) -> None:
        """There are no other machines."""

    def keep_spare_room(self) -> None:
        """Memory needs no room on a disk."""

    def free_spare_room(self) -> bool:
        return False

    def close(self) -> None:
        """Nothing is held open."""

    def _copy_in(self, folder: str) -> str:
        return os.path.join(folder, f"{self._name}.pickle")


def _new_tables() -> Tables:
    tables = empty_tables()
    tables.meta.update(identity=os.urandom(16).hex(), salt=os.urandom(16).hex())
    return tables


def _read(file: str) -> Tables:
    try:
        with open(file, "rb") as opened:
            return Tables._make(pickle.load(opened))
    except (OSError, pickle.UnpicklingError, EOFError, TypeError) as error:
        raise StoreUnavailable(f"{file} cannot be read: {error}.") from error


def _write(file: str, tables: Tables) -> None:
    unfinished = f"{file}.making"
    with open(unfinished, "wb") as opened:
        pickle.dump(tuple(tables), opened)
        opened.flush()
        os.fsync(opened.fileno())
    os.replace(unfinished, file)
    sync_folder(os.path.dirname(file))
