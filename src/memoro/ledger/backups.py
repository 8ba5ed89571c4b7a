"""Backups of ledger and archive: made while they are used, verified when they are made, restored whole."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from memoro.errors import (
    LedgerDamaged,
    LedgerNotRecognised,
    NotFound,
    Refused,
    StorageFull,
    StoreError,
    StoreUnavailable,
)
from memoro.ledger.access import LedgerAccess
from memoro.ledger.backup_origin import is_of, manifest_of
from memoro.ledger.erasure import blank_repeating, delete_traces, texts_in_journal
from memoro.ledger.restore_effects import PersonLoss, losses, of_archive, of_ledger
from memoro.model.changes import NoteAppended
from memoro.model.home import IN_MEMORY
from memoro.model.memories import stamp
from memoro.model.system_errors import is_out_of_space
from memoro.model.vocabulary import STORE_PARTS, StorePart
from memoro.store.files import copy_file, remove_tree, sweep_unfinished_writes, sync_folder
from memoro.store.lock import KernelLock

if TYPE_CHECKING:
    from memoro.ledger.ports import Archive, Copyable, Ledger, RowCounts, Transaction
    from memoro.model.ledger import SharedLineage

KEEP = 7
_MANIFEST = "manifest.json"
_BEFORE_RESTORE = "before a restore"
BEFORE_MIGRATION = "before a new format"


class Backup(NamedTuple):
    name: str
    created_at: str
    why: str  # "daily", "asked for", "before a restore", "before a new format"
    rows: Mapping[StorePart, RowCounts]  # of each part that it holds
    bytes: int
    problems: tuple[str, ...] = ()  # found by `verify`
    number: int = 0  # rises with each, whatever the clock says; 0: made before backups were numbered

    @property
    def is_remainder(self) -> bool:
        """True if a restore made it while a part could not be copied: it stands in for no daily backup."""
        return self.why == _BEFORE_RESTORE and not all(part in self.rows for part in STORE_PARTS)


class Restored(NamedTuple):
    """A backup that was restored, and where the state before it is kept."""

    backup: Backup
    kept: Backup | None  # of what could be read, and was replaced
    files: tuple[str, ...]  # in the home: those that could not be read, as they were


class Backups:
    """`m.backups`: folders in the home. Of those made unasked, the last seven of each reason are kept."""

    def __init__(self, home: str, access: LedgerAccess) -> None:
        self._home = home
        self._folder = os.path.join(home, "backups")
        self._access = access
        self._making = KernelLock(os.path.join(home, "backups.lock"))
        self._paused_by: int | None = None  # the thread that holds the lock in `paused`
        # The newest, of which ledger, and the newest of that one that verified.
        self._verified: tuple[str | None, SharedLineage | None, str | None] = (None, None, None)

    def create(self, why: str = "asked for") -> Backup:
        """Copy ledger and archive as of one moment, check the copies, and keep them."""
        with self._access.ledger.reading(), self._access.archive.reading():
            pass  # opened, and brought to their format, before others are made to wait
        return self._make(why, self._copy_all)

    def before_migration(self, ledger: Copyable) -> Backup:
        """Keep the ledger as it is before its format changes; it is open already, and nobody else has it open."""
        return self._make(BEFORE_MIGRATION, lambda folder: {"ledger": ledger.copy_to(folder)})

    def _make(self, why: str, copies: Callable[[str], Mapping[StorePart, RowCounts]]) -> Backup:
        with self._building() as building:
            now = self._access.now()
            name = self._free_name(now)
            made = Backup(
                name=name,
                created_at=stamp(now),
                why=why,
                rows=copies(building),
                bytes=_bytes(building),
                number=max((backup.number for backup in self.all()), default=0) + 1,
            )
            _write_manifest(building, made, None if why == BEFORE_MIGRATION else self._access.ledger.lineage())
            if problems := self._problems(building, made.rows):
                for part in made.rows:  # the copy of a damaged file is damaged too
                    self._store(part).refuse_damaged()
                raise StoreUnavailable(f"The backup was not kept, for its copy is not right: {problems[0]}.")
            os.rename(building, os.path.join(self._folder, name))
            sync_folder(self._folder)
            self._sweep(why)
        return made

    @contextmanager
    def _building(self) -> Iterator[str]:
        """A folder that no list shows; it is deleted after the block unless it was renamed."""
        if self._home == IN_MEMORY:
            raise StoreUnavailable("What is kept in no home has no backups. Open a home to have some.")
        with self.paused():  # two at once would take each other for what a crash has left
            self._sweep_unfinished()
            self._make_private()
            building = os.path.join(self._folder, f".{os.getpid()}")
            try:
                os.makedirs(self._folder, mode=0o700, exist_ok=True)
                os.mkdir(building, mode=0o700)
                yield building
            except OSError as error:
                if is_out_of_space(error):
                    raise StorageFull(self._folder) from error
                raise StoreUnavailable(
                    f"The backup cannot be written: {(error.strerror or str(error)).lower()}."
                ) from error
            finally:
                remove_tree(building)

    def _sweep_unfinished(self) -> None:
        with suppress(FileNotFoundError):
            for name in os.listdir(self._folder):
                if name.startswith("."):
                    remove_tree(os.path.join(self._folder, name))
        for folder in (self._folder, self._home):
            sweep_unfinished_writes(folder)

    def _make_private(self) -> None:
        """Earlier versions left copies that others on this machine could read, but for the folders around them."""
        for folder, _, names in os.walk(self._folder):
            for file in (os.path.join(folder, name) for name in names):
                with suppress(FileNotFoundError):  # another process replaces the records of the home meanwhile
                    if os.lstat(file).st_mode & 0o077:
                        os.chmod(file, 0o600)

    def sweep_unfinished(self) -> None:
        """Delete what is left of backups, and of small files, that a crash broke off."""
        if os.path.isdir(self._folder):
            with self.paused():
                self._sweep_unfinished()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Wait for a backup that is being made, and let no other be made during the block but by this thread.

        A backup that began before a text was erased, and ended after its backups were named, would keep it unnamed.
        """
        if self._home == IN_MEMORY or self._paused_by == threading.get_ident():
            yield
            return
        with self._making.held():
            self._paused_by = threading.get_ident()
            try:
                yield
            finally:
                self._paused_by = None

    def _copy_all(self, folder: str) -> Mapping[StorePart, RowCounts]:
        with ExitStack() as moment:
            with self._access.ledger.exclusively():  # no memory is on its way from the ledger to the archive
                moment.enter_context(self._access.ledger.reading())
                moment.enter_context(self._access.archive.reading())
            return {part: self._store(part).copy_to(folder) for part in STORE_PARTS}

    def _store(self, part: StorePart) -> Ledger | Archive:
        return self._access.ledger if part == "ledger" else self._access.archive

    def all(self) -> list[Backup]:
        """The backups, newest first: in the order in which they were made, though a clock may have been wrong."""
        try:
            names = [entry.name for entry in os.scandir(self._folder) if entry.is_dir()]
        except FileNotFoundError:
            return []
        found = [self._read(name) for name in names if not name.startswith(".")]
        return sorted(found, key=lambda backup: (backup.number, backup.name), reverse=True)

    def newest(self) -> Backup | None:
        """The newest backup that has a manifest, and is no remainder."""
        return next((one for one in self.all() if not one.problems and not one.is_remainder), None)

    def newest_of_present(self) -> Backup | None:
        """The same, of the ledger that the home uses now: before a move, it may have used another one."""
        lineage = self._access.ledger.present_lineage()
        return next(
            (one for one in self.all() if not one.problems and not one.is_remainder and self._is_of(one, lineage)),
            None,
        )

    def newest_sound(self, lineage: SharedLineage | None = None) -> str | None:
        """The name of the newest backup that verifies, and is no remainder; of a shared ledger, if one is given.

        Reads it whole, and once as long as there is no newer one.
        """
        newest = next((backup.name for backup in self.all()), None)
        if self._verified[:2] != (newest, lineage):
            candidates = (one for one in self.all() if not one.is_remainder and self._is_of(one, lineage))
            sound = (one.name for one in candidates if not self.verify(one.name).problems)
            self._verified = (newest, lineage, next(sound, None))
        return self._verified[2]

    def _is_of(self, backup: Backup, lineage: SharedLineage | None) -> bool:
        """Return whether a backup was made of this shared ledger. Where nobody shares the ledger, all are its own."""
        if lineage is None:
            return True
        place = self._place(backup.name)

        def identity() -> str | None:
            with self._access.ledger.reading_copy(place) as tx:
                return tx.meta.get("identity")

        try:
            return is_of(lineage, _read_manifest(place), identity)
        except (OSError, ValueError):
            return False

    def _read(self, name: str) -> Backup:
        folder = self._place(name)
        try:
            found = _read_manifest(folder)
            return Backup(
                name=name,
                created_at=found["created_at"],
                why=found["why"],
                rows={part: {table: int(n) for table, n in counts.items()} for part, counts in found["rows"].items()},
                bytes=_bytes(folder),
                number=int(found.get("number", 0)),
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            problems = (f"its list ({_MANIFEST}) cannot be read",)
            return Backup(name=name, created_at="", why="unknown", rows={}, bytes=_bytes(folder), problems=problems)

    def verify(self, name: str) -> Backup:
        """Read a backup from end to end, and say what is wrong with it, if anything."""
        found = self._get(name)
        if found.problems:
            return found
        return found._replace(problems=tuple(self._problems(self._place(name), found.rows)))

    def _get(self, name: str) -> Backup:
        found = next((backup for backup in self.all() if backup.name == name), None)
        if found is None:
            raise NotFound(f"There is no backup {name!r}. `memoro backup list` shows them.")
        return found

    def _problems(self, folder: str, rows: Mapping[StorePart, RowCounts]) -> list[str]:
        return [problem for part in rows for problem in self._store(part).check_copy(folder, rows[part])]

    def restore(self, name: str, part: StorePart | None = None) -> Restored:
        """Put a backup, or one part of it, in the place of the present state, which is itself kept.

        It is backed up before. A part that is damaged, or that the home does not recognise, cannot be: its file is
        kept in the home, and of the other part, if it is replaced, there is a backup. What was forgotten since stays
        forgotten.
        """
        found = self.verify(name)
        if found.problems:
            raise StoreUnavailable(f"The backup {name} cannot be restored: {found.problems[0]}. Choose another.")
        self._refuse_foreign(found)
        parts = [one for one in found.rows if part in (None, one)]
        if not parts:
            raise NotFound(f"The backup {name} holds no {part}. `memoro backup list` shows the others.")
        kept = self._keep_present(parts)
        remains = self._remains()
        lasting = self._lasting()
        with self._building() as folder:
            backup = os.path.join(self._folder, name)
            for file in os.listdir(backup):
                if file != _MANIFEST:
                    copy_file(os.path.join(backup, file), os.path.join(folder, file))
            self._forget_again(folder, parts, lasting)
            for one in parts:
                self._store(one).become_copy(folder)
        return Restored(found, kept, tuple(file for file in self._remains() if file not in remains))

    def _refuse_foreign(self, backup: Backup) -> None:
        """Raise where a backup is of another ledger than the shared one: it would take the place of the team's.

        A tenant that holds nothing may become any ledger.
        """
        ledger, archive = self._access.ledger, self._access.archive
        if (lineage := ledger.lineage()) is None or self._is_of(backup, lineage):
            return
        with ledger.reading() as tx, archive.reading() as old:
            if tx.is_empty() and not old.memories.count():
                return
        raise Refused(
            f"The backup {backup.name} is of another ledger than the shared one (tenant {lineage.tenant!r}), and "
            "would replace what everybody there has stored. Nothing was changed. To add what it holds, copy its "
            f"folder to `backups` in a new home, run `memoro --home NEW backup restore {backup.name}` and "
            "`memoro --home NEW export --output FILE`, and here `memoro import FILE`."
        )

    def losses_of_others(self, name: str, part: StorePart | None = None) -> tuple[PersonLoss, ...]:
        """Return what a restore takes from the other people who share the ledger, by person."""
        person = self._access.ledger.person
        if person is None:
            return ()
        self._refuse_foreign(self._get(name))
        rows, place = self._get(name).rows, self._place(name)
        ledger, archive = self._access.ledger, self._access.archive
        with ledger.reading() as tx, archive.reading() as old:
            kept = {"ledger": of_ledger(tx), "archive": of_archive(old)}
            then = dict(kept)
            if "ledger" in rows and part in (None, "ledger"):
                with ledger.reading_copy(place) as copied:
                    then["ledger"] = of_ledger(copied)
            if "archive" in rows and part in (None, "archive"):
                with archive.reading_copy(place) as copied_archive:
                    then["archive"] = of_archive(copied_archive)
            found = losses(tx, kept["archive"] | kept["ledger"], then["archive"] | then["ledger"])
        return tuple(one for one in found if one.person != person)

    def _keep_present(self, replaced: Sequence[StorePart]) -> Backup | None:
        """Back up the present state; where a part cannot be read, what can be read of the parts that are replaced."""
        try:
            return self.create(_BEFORE_RESTORE)
        except (LedgerDamaged, LedgerNotRecognised):  # the bytes of that file are kept instead
            sound = [part for part in replaced if self._is_sound(part)]
        if not sound:
            return None
        return self._make(_BEFORE_RESTORE, lambda folder: {part: self._store(part).copy_to(folder) for part in sound})

    def _is_sound(self, part: StorePart) -> bool:
        try:
            self._store(part).refuse_damaged()
            with self._store(part).reading():
                return True
        except (LedgerDamaged, LedgerNotRecognised):
            return False

    def _remains(self) -> list[str]:
        """Names of the files that restores have kept, without those of their logs."""
        names = [name for part in STORE_PARTS for name in self._store(part).damaged_remains()]
        return [name for name in names if name[-1].isdigit()]

    def adopt(self, part: StorePart) -> None:
        """Go on with the ledger or archive as it is, or with an empty one, though the home records another state."""
        self._store(part).adopt()
        if part == "ledger":
            lasting = self._lasting_in_backups()
            with self._access.ledger.writing() as tx:
                lasting.reserve_numbers(tx)

    def _lasting(self) -> _Lasting:
        """Read it from the ledger, or, where that is damaged or not the recorded one, from all backups."""
        try:
            with self._access.ledger.reading() as tx:
                return _lasting(tx)
        except (LedgerDamaged, LedgerNotRecognised):
            return self._lasting_in_backups()

    def _lasting_in_backups(self) -> _Lasting:
        lasting = _Lasting({}, 0, 0)
        for backup in self.all():
            with suppress(StoreError), self._access.ledger.reading_copy(self._place(backup.name)) as tx:
                lasting = lasting.joined(_lasting(tx))
        return lasting

    def _place(self, name: str) -> str:
        return os.path.join(self._folder, name)

    def _forget_again(self, folder: str, parts: Sequence[StorePart], lasting: _Lasting) -> None:
        """Forget in the copy, before it takes the place of the ledger: a crash must not bring anything back."""
        if "ledger" in parts:
            ledger = self._access.ledger.open_copy(folder)
            try:
                with ledger.writing() as tx:
                    self._forget_in_ledger(tx, lasting)
                ledger.compact()
            finally:
                ledger.close()
        if "archive" in parts:
            archive = self._access.archive.open_copy(folder)
            try:
                with archive.writing() as old:
                    for memory in [one for digest in lasting.forgotten for one in old.memories.by_digest(digest)]:
                        old.memories.delete(memory.id)
                archive.compact()
            finally:
                archive.close()

    def _forget_in_ledger(self, tx: Transaction, lasting: _Lasting) -> None:
        tx.meta.put("identity", os.urandom(16).hex())  # so that the index starts anew
        blank_repeating(tx, self._access, lasting.forgotten)
        lasting.reserve_numbers(tx)
        for digest, at in lasting.forgotten.items():
            tx.forgotten.add(digest, at)
            for memory in tx.memories.by_digest(digest):
                tx.memories.delete(memory.id)
                delete_traces(tx, memory.id)
            for experience in tx.experiences.by_digest(digest):
                tx.experiences.delete(experience.id)
                tx.journal.blank_history("experience", experience.id)
        for narrative in tx.narratives.all():
            if self._access.digest(tx, narrative.summary) in lasting.forgotten:
                tx.narratives.delete(tx.narratives.get(narrative.id))
                tx.journal.blank_history("narrative", narrative.id)

    def holding(self, digests: set[bytes]) -> tuple[str, ...]:
        """Names of the backups that still hold one of these contents, and of damaged files, which nobody can read."""
        named = [backup.name for backup in self.all() if self._holds(backup.name, digests)]
        return (*named, *self._access.archive.damaged_remains(), *self._access.ledger.damaged_remains())

    def holding_bytes(self, said: bytes) -> tuple[str, ...]:
        """Names of the backups in which a note, the journal, a narrative or a recall holds these bytes."""
        return tuple(backup.name for backup in self.all() if self._holds_bytes(backup.name, said))

    def _holds_bytes(self, name: str, said: bytes) -> bool:
        if "ledger" not in self._read(name).rows:
            return False
        try:
            with self._access.ledger.reading_copy(self._place(name)) as tx:
                return _holds_text(tx, said)
        except StoreError:
            return True  # it cannot be told, so it is named

    def _holds(self, name: str, digests: set[bytes]) -> bool:
        rows = self._read(name).rows
        try:
            if "ledger" in rows:
                with self._access.ledger.reading_copy(self._place(name)) as tx:
                    if self._repeats(tx, digests):
                        return True
            if "archive" in rows:
                with self._access.archive.reading_copy(self._place(name)) as old:
                    if any(old.memories.by_digest(digest) for digest in digests):
                        return True
        except StoreError:
            return True  # it cannot be told, so it is named
        return not rows

    def _repeats(self, tx: Transaction, digests: set[bytes]) -> bool:
        """Look for the digests among memories and experiences, and in the journal."""
        if any(tx.memories.by_digest(digest) or tx.experiences.by_digest(digest) for digest in digests):
            return True
        return any(self._access.digest(tx, text) in digests for _, text in texts_in_journal(tx))

    def daily(self) -> Backup | None:
        """Make the backup of the day, unless there is one from the last 24 hours."""
        newest, now = self.newest_of_present(), self._access.now()
        if newest and 0 <= (now - datetime.fromisoformat(newest.created_at)).total_seconds() < 24 * 3600:
            return None
        return self.create("daily")

    def _sweep(self, why: str) -> None:
        if why == "asked for":
            return
        for old in [backup for backup in self.all() if backup.why == why][KEEP:]:
            remove_tree(os.path.join(self._folder, old.name))

    def _free_name(self, now: datetime) -> str:
        name = now.strftime("%Y%m%dT%H%M%SZ")
        number = 2
        while os.path.exists(os.path.join(self._folder, name)):
            name = f"{now.strftime('%Y%m%dT%H%M%SZ')}-{number}"
            number += 1
        return name


class _Lasting(NamedTuple):
    """State that survives the restore of an older backup."""

    forgotten: Mapping[bytes, str]
    memories: int  # the highest number given
    experiences: int  # the highest number given

    def reserve_numbers(self, tx: Transaction) -> None:
        """[id:N] never comes to mean something else."""
        tx.numbers.reserve("memories", self.memories)
        tx.numbers.reserve("experiences", self.experiences)

    def joined(self, other: _Lasting) -> _Lasting:
        return _Lasting(
            forgotten={**self.forgotten, **other.forgotten},
            memories=max(self.memories, other.memories),
            experiences=max(self.experiences, other.experiences),
        )


def _lasting(tx: Transaction) -> _Lasting:
    highest = tx.numbers.highest
    return _Lasting(tx.forgotten.digests(), highest("memories"), highest("experiences"))


def _read_manifest(folder: str) -> dict[str, Any]:
    with open(os.path.join(folder, _MANIFEST), encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def _write_manifest(folder: str, made: Backup, lineage: SharedLineage | None) -> None:
    descriptor = os.open(os.path.join(folder, _MANIFEST), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        rows = {part: dict(counts) for part, counts in made.rows.items()}
        told = {"number": made.number, "created_at": made.created_at, "why": made.why, "rows": rows}
        told |= manifest_of(lineage)
        json.dump(told, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(folder)


def _bytes(folder: str) -> int:
    try:
        return sum(entry.stat().st_size for entry in os.scandir(folder))
    except OSError:
        return 0


def _holds_text(tx: Transaction, said: bytes) -> bool:
    if any(said in data for _, data in tx.contents.all()):
        return True
    text = said.decode("utf-8", "replace")
    appended = (entry.change for entry in tx.journal.of("note"))
    if any(isinstance(change, NoteAppended) and text in change.added for change in appended):
        return True
    if any(text in narrative.summary for narrative in tx.narratives.all()):
        return True
    return any(text in recall.message for recall in tx.sessions.all_recalls())
