"""The steps of moving a home's ledger to a server and back. Each can be repeated; nothing is lost between two."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import NamedTuple

import apsw

from memoro.errors import StoreUnavailable
from memoro.store.file_record import FileRecord
from memoro.store.files import remove_tree
from memoro.store.moved import mark_moved, moved_to, unmark_moved
from memoro.store.opening import SharedLedger
from memoro.store.postgres import private_marks
from memoro.store.postgres.comparing import PartContents, TableContents, contents_of_file, contents_on_server
from memoro.store.postgres.ledger import Place
from memoro.store.postgres.moving import (
    PARTS,
    Progress,
    Sources,
    Target,
    check_target,
    compare_with_server,
    other_people,
    put_on_server,
)
from memoro.store.postgres.opening import open_shared, place_of
from memoro.store.postgres.tables import Part
from memoro.store.sqlite.database_file import TAILS
from memoro.store.sqlite.engine import connect, engine
from memoro.store.sqlite.ledger.files import ARCHIVE_FILE, SPARE_FILE, SqliteArchive, SqliteLedger
from memoro.store.sqlite.ledger_files import BACKUPS_FOLDER, LEDGER_FILE, record_name

_FILES: Mapping[Part, str] = {"ledger": LEDGER_FILE, "archive": ARCHIVE_FILE}
FILE_NAME = "a file of this home"
_BUILDING = "moving"  # the folder in which a file is made that takes its place when it is verified


class Verified(NamedTuple):
    """What both the old ledger and the new one hold."""

    contents: Mapping[Part, PartContents]

    @property
    def tables(self) -> dict[str, TableContents]:
        """By name; those of the archive begin with `archive `."""
        return {
            (name if part == "ledger" else f"archive {name}"): table
            for part, contents in self.contents.items()
            for name, table in contents.tables.items()
        }

    @property
    def digest(self) -> str:
        return hashlib.sha256("".join(table.digest for table in self.tables.values()).encode()).hexdigest()


class LocalStores(NamedTuple):
    """The files of a home, also where its settings name a server."""

    ledger: SqliteLedger
    archive: SqliteArchive


def local_stores(home: str) -> LocalStores:
    chosen = engine(home)
    return LocalStores(
        SqliteLedger(home, chosen, record=FileRecord(home, "ledger")),
        SqliteArchive(home, chosen, record=FileRecord(home, "archive")),
    )


def formerly_private(local: LocalStores) -> int:
    """Count what was private on the server from which the files came."""
    with local.ledger.database.read() as db, local.archive.database.read() as archive:
        return private_marks.formerly_private(db, archive)


class MoveToServer:
    """Moves the files of a home to a tenant."""

    def __init__(self, home: str, local: LocalStores, shared: SharedLedger, target: str) -> None:
        """`target` is the id of the move, with ` private` behind it if nobody else is to see the memories."""
        self._home, self._local = home, local
        self._place = place_of(home, shared)
        id, _, private = target.partition(" ")
        self._target = Target(self._place.server, self._place.seat, id, is_private=private == "private")
        self._sources: Sources = {}

    def check(self) -> None:
        check_target(self._target)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Nobody writes to the old ledger during the block; all can read it."""
        ledger, archive = self._local
        with ExitStack() as stack:
            stack.enter_context(ledger.exclusively())
            stack.enter_context(archive.exclusively())
            found = stack.enter_context(ledger.database.read()), stack.enter_context(archive.database.read())
            self._sources = dict(zip(PARTS, found, strict=True))
            yield

    def copy(self, progress: Progress) -> None:
        put_on_server(self._target, self._sources, progress)

    def verify(self) -> Verified:
        """Read everything back from the server, and compare. Raises where anything differs."""
        wanted, wrong = compare_with_server(self._target, self._sources)
        return _verified(wanted, wrong)

    def mark(self) -> None:
        """From now on nobody writes to the files, and the tenant may be written to."""
        unmark_moved(self._place.records)
        mark_moved(self._home, _name(self._place))


class MergeIntoServer:
    """Adds the files of a home to a tenant that holds a ledger."""

    def __init__(self, home: str, local: LocalStores, shared: SharedLedger) -> None:
        self._home, self._local = home, local
        self._place = place_of(home, shared)
        self.remote = open_shared(home, shared, engine(home), lambda _lineage: None)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Nobody writes to the files during the block; this home may write to the tenant."""
        with self._local.ledger.exclusively(), self._local.archive.exclusively():
            unmark_moved(self._place.records)
            yield

    def mark(self) -> None:
        """From now on nobody writes to the files."""
        mark_moved(self._home, _name(self._place))

    def close(self) -> None:
        for store in self.remote:
            store.close()


class MoveToFile:
    """Moves what one person sees of a tenant to files of their home."""

    def __init__(
        self,
        home: str,
        local: LocalStores,
        shared: SharedLedger,
    ) -> None:
        self._home, self._local = home, local
        self._remote = open_shared(home, shared, engine(home), lambda _lineage: None)
        self._place = place_of(home, shared)
        self._folder = os.path.join(home, _BUILDING)

    def check(self, *, is_resumed: bool) -> None:
        """Raise where the home has a ledger of its own that nobody moved away."""
        if is_resumed or moved_to(self._home) or not os.path.exists(os.path.join(self._home, LEDGER_FILE)):
            return
        with self._local[0].reading() as tx:
            if not tx.is_empty():
                raise StoreUnavailable(
                    "This home has a ledger of its own beside the shared one, and it holds memories. Nothing was "
                    "changed. Join them first: `memoro move-ledger --merge`, and then `memoro move-ledger --finish`."
                )

    @contextmanager
    def held(self) -> Iterator[None]:
        """No node writes to the tenant during the block."""
        ledger, archive = self._remote
        with ledger.exclusively(), archive.exclusively():
            yield

    def copy(self, progress: Progress) -> None:
        """Make files that hold what this person sees, beside those of the home."""
        remove_tree(self._folder)
        os.makedirs(self._folder, mode=0o700)
        for done, store in enumerate(self._remote):
            progress(done, len(self._remote))
            store.copy_to(self._folder)
        progress(len(self._remote), len(self._remote))

    def verify(self) -> Verified:
        """Compare the files with what the server holds. Raises where anything differs."""
        with self._files() as dbs:
            wanted = {part: contents_of_file(db, part) for part, db in dbs.items()}
        wrong = []
        with self._place.server.reading(self._place.seat) as cursor:
            for part in PARTS:
                there = contents_on_server(cursor, self._place.seat, part)
                wrong += [f"{part}: {one}" for one in wanted[part].differences(there)]
        return _verified(wanted, wrong)

    @contextmanager
    def _files(self) -> Iterator[Sources]:
        with ExitStack() as stack:
            dbs: dict[Part, apsw.Connection] = {}
            for part in PARTS:
                db = connect(os.path.join(self._folder, _FILES[part]), engine(self._home), read_only=True)
                stack.callback(db.close)
                dbs[part] = db
            yield dbs

    def put_in_place(self) -> None:
        """Give the files the names of the home's ledger and archive."""
        for store in self._local:
            store.become_copy(self._folder)
        remove_tree(self._folder)

    def mark(self) -> None:
        """From now on this home does not write to the tenant, and may write to its files."""
        unmark_moved(self._home)
        mark_moved(self._place.records, FILE_NAME)

    def close(self) -> None:
        for store in self._remote:
            store.close()

    def stays_behind(self) -> list[str]:
        """Return who may have rows on the server that this person cannot see, and that are not moved."""
        return other_people(self._place.server, self._place.seat)


def _verified(wanted: Mapping[Part, PartContents], wrong: list[str]) -> Verified:
    if wrong:
        raise StoreUnavailable(
            f"The new ledger does not hold what the old one holds ({wrong[0]}). The old one stays in use, and is "
            "unchanged. Run the command again."
        )
    return Verified(wanted)


def place_name(home: str, shared: SharedLedger) -> str:
    """A tenant, for people."""
    return _name(place_of(home, shared))


def _name(place: Place) -> str:
    return f"{place.server.name} (tenant {place.seat.tenant})"


def is_switched(home: str, shared: SharedLedger, direction: str) -> bool:
    """Return whether the old ledger of a move is closed to writers."""
    return moved_to(home if direction == "server" else place_of(home, shared).records) is not None


def delete_files(home: str) -> None:
    """Delete the ledger and the archive of a home that were moved to a server. Their backups stay."""
    for part, name in _FILES.items():
        records = [os.path.join(folder, record_name(part)) for folder in (home, os.path.join(home, BACKUPS_FOLDER))]
        for file in (*(os.path.join(home, name) + tail for tail in TAILS), *records):
            _delete(file)
    _delete(os.path.join(home, SPARE_FILE))
    unmark_moved(home)


def delete_copy(home: str, shared: SharedLedger) -> None:
    """Delete the local copy of a shared ledger, and what the home knows about it."""
    remove_tree(place_of(home, shared).records)


def _delete(file: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(file)
