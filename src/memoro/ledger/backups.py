"""Backups of ledger and archive: made while they are used, verified when they are made, restored whole."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

import apsw

from memoro.errors import IndexDamaged, LedgerDamaged, MemoryNotFound, StorageFull, StoreError, StoreUnavailable
from memoro.ledger.access import LedgerAccess
from memoro.model.experiences import identity
from memoro.model.memories import stamp
from memoro.store.lock import KernelLock
from memoro.store.sqlite.durable import IN_MEMORY, copy, sync_folder
from memoro.store.sqlite.engine import connect, translated
from memoro.store.sqlite.ledger import Archive, Ledger, Transaction

KEEP = 7
FILES = ("ledger", "archive")
_MANIFEST = "manifest.json"


class Backup(NamedTuple):
    name: str
    created_at: str
    why: str  # "daily", "asked for", "before a restore", "before a new format"
    rows: dict[str, dict[str, int]]
    bytes: int
    problems: tuple[str, ...] = ()  # what is wrong with it, where that was looked at


class Backups:
    """`m.backups`: folders in the home. Of those made unasked, the last seven of each reason are kept."""

    def __init__(self, home: str, access: LedgerAccess) -> None:
        self._home = home
        self._folder = os.path.join(home, "backups")
        self._access = access
        self._making = KernelLock(os.path.join(home, "backups.lock"))

    def create(self, why: str = "asked for") -> Backup:
        """Copy ledger and archive as of one moment, check the copies, and keep them."""
        for kind in FILES:  # opened, and brought to their format, before others are made to wait
            with self._of(kind).reading():
                pass
        return self._make(why, self._copy_all)

    def before_migration(self, db: apsw.Connection) -> Backup:
        """Keep the ledger as it is before its tables are changed; it is open already, and nobody else is."""

        def copy_ledger(folder: str) -> dict[str, dict[str, int]]:
            copy(db, os.path.join(folder, "ledger.db"), self._access.ledger.database.engine)
            return {"ledger": Transaction(db).rows()}

        return self._make("before a new format", copy_ledger)

    def _make(self, why: str, copies: Callable[[str], dict[str, dict[str, int]]]) -> Backup:
        with self._building() as building:
            now = self._access.now()
            name = self._free_name(now)
            made = Backup(name, stamp(now), why, copies(building), _bytes(building))
            _write_manifest(building, made)
            if problems := self._problems(building, made.rows):
                raise StoreUnavailable(f"The backup was not kept, for its copy is not right: {problems[0]}.")
            os.rename(building, os.path.join(self._folder, name))
            sync_folder(self._folder)
            self._sweep(why)
        return made

    @contextmanager
    def _building(self) -> Iterator[str]:
        """A folder that no list shows, gone after the block unless it was given another name."""
        if self._home == IN_MEMORY:
            raise StoreUnavailable("What is kept in no home has no backups. Open a home to have some.")
        with self._making.held():  # two at once would take each other for what a crash has left
            self._sweep_unfinished()
            building = os.path.join(self._folder, f".{os.getpid()}")
            try:
                os.makedirs(self._folder, mode=0o700, exist_ok=True)
                os.mkdir(building, mode=0o700)
                yield building
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EDQUOT):
                    raise StorageFull(self._folder) from error
                raise StoreUnavailable(
                    f"The backup cannot be written: {(error.strerror or str(error)).lower()}."
                ) from error
            finally:
                shutil.rmtree(building, ignore_errors=True)

    def _sweep_unfinished(self) -> None:
        with suppress(FileNotFoundError):
            for name in os.listdir(self._folder):
                if name.startswith("."):
                    shutil.rmtree(os.path.join(self._folder, name), ignore_errors=True)

    def sweep_unfinished(self) -> None:
        """Leave nothing of a backup that a crash has broken off."""
        if os.path.isdir(self._folder):
            with self._making.held():
                self._sweep_unfinished()

    def _copy_all(self, folder: str) -> dict[str, dict[str, int]]:
        ledger = self._access.ledger.database
        with ExitStack() as moment:
            with ledger.alone():  # no memory is on its way from one file to the other
                opened = {kind: moment.enter_context(self._of(kind).database.read()) for kind in FILES}
            counted = {}
            for kind, db in opened.items():
                with self._of(kind).database.watched():  # what is wrong is wrong with this one
                    copy(db, os.path.join(folder, f"{kind}.db"), ledger.engine)
                    counted[kind] = Transaction(db).rows()
            return counted

    def _of(self, kind: str) -> Ledger:
        return self._access.ledger if kind == "ledger" else self._access.archive

    def all(self) -> list[Backup]:
        """The backups, newest first."""
        try:
            names = sorted((n for n in os.listdir(self._folder) if not n.startswith(".")), reverse=True)
        except FileNotFoundError:
            return []
        return [self._read(name) for name in names]

    def _read(self, name: str) -> Backup:
        folder = os.path.join(self._folder, name)
        try:
            with open(os.path.join(folder, _MANIFEST), encoding="utf-8") as file:
                found: dict[str, Any] = json.load(file)
            return Backup(name, found["created_at"], found["why"], found["rows"], _bytes(folder))
        except (OSError, ValueError, KeyError, TypeError):
            return Backup(name, "", "unknown", {}, _bytes(folder), ("its manifest cannot be read",))

    def verify(self, name: str) -> Backup:
        """Read a backup from end to end, and say what is wrong with it, if anything."""
        found = self._get(name)
        if found.problems:
            return found
        return found._replace(problems=tuple(self._problems(os.path.join(self._folder, name), found.rows)))

    def _get(self, name: str) -> Backup:
        found = next((backup for backup in self.all() if backup.name == name), None)
        if found is None:
            raise MemoryNotFound(f"There is no backup {name!r}. `memoro backup list` shows them.")
        return found

    def _problems(self, folder: str, rows: dict[str, dict[str, int]]) -> list[str]:
        problems = []
        for kind in rows:
            file = os.path.join(folder, f"{kind}.db")
            try:
                with translated(file):
                    db = connect(file, self._access.ledger.database.engine, read_only=True)
                    try:
                        wrong = [str(row[0]) for row in db.execute("PRAGMA integrity_check(5)")]
                        counted, version = Transaction(db).rows(), int(db.pragma("user_version") or 0)
                    finally:
                        db.close()
            except (IndexDamaged, StoreError) as error:
                problems.append(f"{kind}.db: {getattr(error, 'why', error)}")
                continue
            problems += [f"{kind}.db: {line}" for line in wrong if line != "ok"]
            if version > self._of(kind).database.format:
                problems.append(f"{kind}.db: a later version of Memoro made it (format {version})")
            if counted != rows[kind]:
                problems.append(f"{kind}.db: it does not hold as many rows as were counted when it was made")
        return problems

    def restore(self, name: str) -> Backup:
        """Put a backup in the place of the present state, which is itself backed up before.

        What was forgotten since stays forgotten.
        """
        found = self.verify(name)
        if found.problems:
            raise StoreUnavailable(f"The backup {name} cannot be restored: {found.problems[0]}. Choose another.")
        with suppress(LedgerDamaged):  # of a damaged ledger its bytes are kept instead
            self.create("before a restore")
        forgotten, highest, lived = self._forgotten()
        with self._building() as folder:
            for kind in found.rows:
                shutil.copyfile(os.path.join(self._folder, name, f"{kind}.db"), os.path.join(folder, f"{kind}.db"))
            self._forget_again(folder, tuple(found.rows), forgotten, highest, lived)
            for kind in found.rows:
                self._of(kind).database.become(os.path.join(folder, f"{kind}.db"))
        return found

    def _forgotten(self) -> tuple[dict[bytes, str], int, int]:
        """What was forgotten up to now, and the last numbers given to memories and to experiences.

        If the ledger cannot tell, as backups know it.
        """
        try:
            with self._access.ledger.reading() as tx:
                return tx.forgotten(), tx.memories.highest(), tx.experiences.highest()
        except LedgerDamaged:
            known: dict[bytes, str] = {}
            highest = lived = 0
            for backup in self.all():
                with suppress(StoreError), self._opened(backup.name, "ledger") as tx:
                    known |= tx.forgotten()
                    highest = max(highest, tx.memories.highest())
                    lived = max(lived, tx.experiences.highest())
            return known, highest, lived

    def _forget_again(
        self, folder: str, kinds: tuple[str, ...], forgotten: dict[bytes, str], highest: int, lived: int
    ) -> None:
        """Before a copy of a backup takes the place of the ledger: a crash must not bring back what was forgotten."""
        engine = self._access.ledger.database.engine
        for kind in kinds:
            restored = Ledger(folder, engine) if kind == "ledger" else Archive(folder, engine)
            try:
                with restored.writing() as tx:
                    if kind == "ledger":
                        tx.put_meta("identity", os.urandom(16).hex())  # so that the index starts anew
                        self._access.unsay(tx, forgotten)
                        tx.memories.reserve(highest)  # [id:N] never comes to mean something else
                        tx.experiences.reserve(lived)
                    for digest, at in forgotten.items():
                        if kind == "ledger":
                            tx.forget_digest(digest, at)
                        self._delete(tx, digest, in_ledger=kind == "ledger")
                    tx.settle_words()
                restored.database.shrink()
            finally:
                restored.close()

    def _delete(self, tx: Transaction, digest: bytes, *, in_ledger: bool) -> None:
        for memory in tx.memories.by_digest(digest):
            tx.memories.delete(memory.id)
            if in_ledger:
                tx.forget_traces(memory.id)
                tx.journal.unsay("memory", memory.id)
        for experience in tx.experiences.by_digest(digest) if in_ledger else ():
            tx.experiences.delete(experience.id)
            tx.journal.unsay("experience", experience.id)

    def holding(self, digests: set[bytes]) -> tuple[str, ...]:
        """The backups in which any of these contents still is, and damaged files, of which nobody can tell."""
        named = [backup.name for backup in self.all() if self._holds(backup.name, digests)]
        with suppress(FileNotFoundError):
            named += sorted(name for name in os.listdir(self._home) if ".db.damaged-" in name)
        return tuple(named)

    def holding_bytes(self, said: bytes) -> tuple[str, ...]:
        """The backups in which a content of some note holds these bytes."""
        return tuple(backup.name for backup in self.all() if self._holds_bytes(backup.name, said))

    def _holds_bytes(self, name: str, said: bytes) -> bool:
        if "ledger" not in self._read(name).rows:
            return False
        try:
            with self._opened(name, "ledger") as tx:
                return any(said in data for _, data in tx.notes.all_kept())
        except StoreError:
            return True  # it cannot be told, so it is named

    @contextmanager
    def _opened(self, name: str, kind: str) -> Iterator[Transaction]:
        file = os.path.join(self._folder, name, f"{kind}.db")
        with translated(file):
            db = connect(file, self._access.ledger.database.engine, read_only=True)
            try:
                yield Transaction(db)
            finally:
                db.close()

    def _holds(self, name: str, digests: set[bytes]) -> bool:
        rows = self._read(name).rows
        try:
            for kind in rows:
                with self._opened(name, kind) as tx:
                    if any(tx.memories.by_digest(digest) for digest in digests):
                        return True
                    if kind == "ledger" and self._repeats(tx, digests):
                        return True
        except StoreError:
            return True  # it cannot be told, so it is named
        return not rows

    def _repeats(self, tx: Transaction, digests: set[bytes]) -> bool:
        """Whether an experience, or the journal, of a backup says any of this."""
        if tx.experiences.are_kept() and any(tx.experiences.by_digest(digest) for digest in digests):
            return True
        gone = (identity(experience) for _, experience in self._access.gone_experiences(tx))
        said = (text for _, text in tx.journal.contents())
        return any(self._access.digest(tx, text) in digests for text in chain(said, gone))

    def daily(self) -> Backup | None:
        """Make the backup of the day, unless there is one from the last 24 hours."""
        newest = next((backup for backup in self.all() if not backup.problems), None)
        now = self._access.now()
        if newest and 0 <= (now - datetime.fromisoformat(newest.created_at)).total_seconds() < 24 * 3600:
            return None
        return self.create("daily")

    def _sweep(self, why: str) -> None:
        if why == "asked for":
            return
        for old in [backup for backup in self.all() if backup.why == why][KEEP:]:
            shutil.rmtree(os.path.join(self._folder, old.name), ignore_errors=True)

    def _free_name(self, now: datetime) -> str:
        name = now.strftime("%Y%m%dT%H%M%SZ")
        number = 2
        while os.path.exists(os.path.join(self._folder, name)):
            name = f"{now.strftime('%Y%m%dT%H%M%SZ')}-{number}"
            number += 1
        return name


def _write_manifest(folder: str, made: Backup) -> None:
    descriptor = os.open(os.path.join(folder, _MANIFEST), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump({"created_at": made.created_at, "why": made.why, "rows": made.rows}, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(folder)


def _bytes(folder: str) -> int:
    try:
        return sum(entry.stat().st_size for entry in os.scandir(folder))
    except OSError:
        return 0
