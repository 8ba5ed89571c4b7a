"""Bringing an index to what the vault says: look, plan, read, write in short transactions, report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import (
    IndexDamaged,
    IndexTooNew,
    NoteNotFound,
    NoteTooLarge,
    NoteUnreadable,
    StoreError,
    TooManyGone,
    VaultChanged,
)
from memoro.index.plan import SyncPlan, brakes, moves, plan
from memoro.model.notes import (
    CONTAINER,
    NOTHING_HIDDEN,
    UNKNOWN,
    WITHIN,
    Chunk,
    FileEntry,
    Hidden,
    Indexed,
    Note,
    Problem,
    Rules,
    Stamp,
    file_of,
    kind_of,
)
from memoro.model.vocabulary import BOTH, LOGS, VAULT, SyncPart
from memoro.store.ports import Change, Emptied, Extend, Hide, Index, Move, Purge, Touch, Write
from memoro.vault.contents import Content
from memoro.vault.files import VaultFiles
from memoro.vault.layout import Layout, layout
from memoro.vault.walk import Identity, Listing

KEEP_HIDDEN_DAYS = 30
_NO_CONVERSATIONS = (CONTAINER, UNKNOWN)
EMPTY_RETRY_SECONDS = 0.2  # an editor that empties a file before it writes is done by then
FORGOTTEN = "forgotten"  # in the index: how much had been when it last read a log
STALE = "stale"  # in the index: logs to be read again, for messages that others had before them
EMPTIED = "It is empty now and was not before; the next sync believes it if it still is."
BATCH_FILES = 50
BATCH_CHARACTERS = 250_000  # keeps a transaction near 50 ms

if TYPE_CHECKING:
    from memoro.index.logs import LogReader
    from memoro.index.vector_upkeep import VectorEraser
    from memoro.ledger.ports import Ledger

Progress = Callable[[int, int], None]


class Report(NamedTuple):
    """What a sync did, and what its owner should know."""

    added: int = 0
    changed: int = 0
    moved: int = 0
    hidden: int = 0
    unchanged: int = 0
    files: int = 0
    chunks: int = 0
    problems: tuple[Problem, ...] = ()
    doubles: tuple[str, ...] = ()  # roles that two files claim
    rebuilt: str | None = None  # why the whole index was built anew, if it was
    degraded: tuple[str, ...] = ()  # what could not be brought up to date, and why
    took_ms: float = 0.0
    transcripts: int = 0  # of the files
    damage: str | None = None  # why vectors were written anew, if they were
    joined: bool = False  # another sync, begun after this one was asked for, has done it


class Options(NamedTuple):
    now: str  # local time, as YYYY-MM-DDTHH:MM:SS
    moment: str = ""  # the same as UTC, as memories have it: 2026-03-05T14:02:11.123Z
    accept_deletions: bool = False
    progress: Progress = lambda _done, _total: None
    embed: bool = True  # complete the vectors too; a search by words alone need not wait for them
    whole: bool = True  # all of them, however many; a search does not wait for that
    what: SyncPart = BOTH
    check: Callable[[], None] = lambda: None  # called between writes: what it raises ends the sync there
    hidden: Callable[[], Hidden] = lambda: NOTHING_HIDDEN  # what is not to be read from logs again


class Look(NamedTuple):
    """The vault beside the index, before anything is done."""

    listing: Listing
    known: Mapping[str, FileEntry]
    layout: Layout
    plan: SyncPlan


def look(index: Index, vault: VaultFiles, rules: Rules, what: SyncPart = BOTH) -> Look:
    """What a sync would find to do. Reads no note and writes nothing.

    Of one half, the other is neither listed nor known: nothing of it can be taken for gone.
    """
    listing = vault.list(what)
    known = index.files()
    if what != BOTH:
        known = {path: entry for path, entry in known.items() if (kind_of(path) == "transcript") == (what == LOGS)}
    lay = layout(listing.files, daily_folder=rules.daily_folder, daily_pattern=rules.daily_pattern)
    retiered = {p for p, e in known.items() if "/" not in p and p in listing.files and e.tier != lay.tier(p)}
    files = {p: e for p, e in known.items() if WITHIN not in p or file_of(p) not in listing.files}
    return Look(listing, known, lay, plan(listing.files, files, unlisted=listing.unlisted, retiered=retiered))


def is_in_step(index: Index, vault: VaultFiles, rules: Rules, options: Options) -> bool:
    """Whether a sync would find nothing to do, as far as can be told without reading a file."""
    seen = look(index, vault, rules, options.what)
    same = index.get_meta("identity") == str(seen.listing.identity)
    return same and not (seen.plan.read or seen.plan.gone or seen.listing.problems)


def sync(
    index: Index,
    vault: VaultFiles,
    rules: Rules,
    options: Options,
    vectors: VectorEraser | None = None,
    ledger: Ledger | None = None,
) -> Report:
    """Make the index say what the vault and the ledger say; what cannot be read is reported and stops nothing."""
    seen = look(index, vault, rules, options.what)
    check_identity(index, vault, seen.listing, options)
    work = _Work(index, vault, rules, seen, options, vectors)
    moved = work.find_moves()
    gone = [path for path in seen.plan.gone if path not in moved]
    check_brake(gone, seen, options)
    work.hide_logs([path for path in gone if kind_of(path) == "transcript"])
    work.read_all(moved)
    if ledger is not None:
        work.hide_forgotten()
    work.write([Hide(path, options.now) for path in gone if kind_of(path) != "transcript"])
    if any(entry.gone_at for entry in seen.known.values()):
        work.write([Purge(_days_before(options.now, KEEP_HIDDEN_DAYS))])
    degraded = mirror_memories(index, ledger, work.write, options.moment)
    return work.finish(len(gone))._replace(degraded=degraded)


def sync_paths(
    index: Index,
    vault: VaultFiles,
    rules: Rules,
    options: Options,
    paths: Sequence[str],
    vectors: VectorEraser | None = None,
) -> None:
    """Make the index say what these notes say, and look at no others."""
    known = index.files()
    present: dict[str, Stamp] = {}
    for path in dict.fromkeys(paths):
        with suppress(NoteNotFound, NoteUnreadable):
            present[path] = vault.read(path).stamp
    gone = [path for path in paths if path in known and path not in present and not known[path].gone_at]
    visible = {path for path, entry in known.items() if not entry.gone_at} - set(gone)
    lay = layout({*visible, *present}, daily_folder=rules.daily_folder, daily_pattern=rules.daily_pattern)
    listing = Listing(present, (), (), Identity(0, 0, ()))
    work = _Work(
        index, vault, rules, Look(listing, known, lay, SyncPlan(tuple(present), tuple(gone), 0)), options, vectors
    )
    work.read_all({})
    work.write([Hide(path, options.now) for path in gone])


def sync_memories(index: Index, options: Options, vectors: VectorEraser | None, ledger: Ledger | None) -> Report:
    """The same where there is no vault: memories alone."""

    def write(changes: Sequence[Change]) -> None:
        gone = index.apply(changes)
        if vectors:
            vectors.erase(gone)

    degraded = mirror_memories(index, ledger, write, options.moment)
    if index.get_meta("synced_at") is None:
        index.put_meta({"synced_at": options.now})
    return Report(chunks=index.counts().chunks, degraded=degraded)


def mirror_memories(
    index: Index, ledger: Ledger | None, write: Callable[[Sequence[Change]], None], moment: str
) -> tuple[str, ...]:
    """A ledger that cannot be read is no reason to leave the notes unread: what is the matter is returned."""
    if ledger is None:
        return ()
    from memoro.index.mirror import mirror  # hashing and all: only where the ledger has changed

    try:
        mirror(index, ledger, write, moment)
    except (IndexDamaged, IndexTooNew):
        raise
    except StoreError as error:
        return (f"memories: {error}",)
    return ()


def rebuild(
    index: Index,
    old: Index | None,
    vault: VaultFiles,
    rules: Rules,
    options: Options,
    vectors: VectorEraser | None = None,
    ledger: Ledger | None = None,
) -> Report:
    """Fill an empty index. The old one, where it can be read, still guards against a vanished vault."""
    if old is not None:
        with suppress(IndexDamaged):
            seen = look(old, vault, rules)
            check_identity(old, vault, seen.listing, options)
            check_brake(seen.plan.gone, seen, options)
    return sync(index, vault, rules, options, vectors, ledger)


def check_identity(index: Index, vault: VaultFiles, listing: Listing, options: Options) -> None:
    """Refuse to take another folder for the vault: neither the same directory nor the same names."""
    kept = index.get_meta("identity")
    if options.what == LOGS or kept is None or options.accept_deletions or kept == str(listing.identity):
        return
    before, now = Identity.parse(kept), listing.identity
    same_folder = (before.device, before.inode) == (now.device, now.inode)
    common = len(set(before.names) & set(now.names))
    if not same_folder and common * 2 < len(before.names):
        raise VaultChanged(vault.root, indexed=index.get_meta("vault") or "unknown")


def check_brake(paths: Sequence[str], seen: Look, options: Options) -> None:
    """Files count, not the conversations in them; a log that was packed by the way is not gone."""
    gone = [path for path in paths if WITHIN not in path and f"{path}.zst" not in seen.listing.files]
    visible = sum(1 for path, entry in seen.known.items() if not entry.gone_at and WITHIN not in path)
    if brakes(len(gone), visible) and not options.accept_deletions:
        raise TooManyGone(gone=len(gone), known=visible, examples=sorted(gone)[:3])


class _Work:
    """One sync under way: what it has read, written and met so far."""

    def __init__(
        self,
        index: Index,
        vault: VaultFiles,
        rules: Rules,
        seen: Look,
        options: Options,
        vectors: VectorEraser | None,
    ) -> None:
        self._vectors = vectors
        self._index, self._vault, self._rules, self._seen, self._options = index, vault, rules, seen, options
        self._problems: list[Problem] = list(seen.listing.problems)
        self._old_problems = index.problems()
        self._added = self._changed = self._moved = 0
        self._unchanged = seen.plan.unchanged
        self._wrote = False
        self._batch: list[Change] = []
        self._size = 0
        self._logs: LogReader | None = None
        self._counted_logs: set[str] = set()
        self._stale: set[str] = set()  # logs that the index knows to be read again
        self._unread = ""  # why no log can be read, if none can

    def find_moves(self) -> dict[str, str]:
        """Old path to new path of files that stand elsewhere with the same bytes."""
        known, gone = self._seen.known, self._seen.plan.gone
        # A log that has moved is read again: that it holds the same messages is told by their names.
        gone = tuple(path for path in gone if kind_of(path) != "transcript")
        read = self._seen.plan.read if gone else ()
        fresh = [path for path in read if path not in known and kind_of(path) != "transcript"]
        digests = {}
        for path in fresh:
            try:
                digests[path] = _digest(self._vault.read(path).data)
            except (NoteNotFound, NoteUnreadable):
                continue
        return moves({path: known[path].digest for path in gone}, digests)

    def read_all(self, moved: dict[str, str]) -> None:
        """Read what may have changed and write it, a batch at a time."""
        origins = {new: old for old, new in moved.items()}
        total = len(self._seen.plan.read)
        members = self._members()
        for done, path in enumerate(self._seen.plan.read, 1):
            if kind_of(path) == "transcript":
                self._read_log(path, members.get(path, {}))
            else:
                change = self._change(path, origins.get(path))
                self._add([change] if change else ())
            self._options.progress(done, total)
            self._options.check()
        self._flush()
        if self._options.what != VAULT and (left := self._index.get_meta(STALE)):
            import json

            self._stale.update(json.loads(left))
            self._reader().ownership.stale.update(self._stale)
        while self._logs and self._logs.ownership.stale:  # ever later paths, so that this ends
            self._read_stale(min(self._logs.ownership.stale))
        if self._stale:
            self._index.put_meta({STALE: None})

    def _keep_stale(self) -> None:
        """Before messages change hands: whoever is to have them is read again even if this is broken off now."""
        if self._logs and not self._logs.ownership.stale <= self._stale:
            import json

            self._stale |= self._logs.ownership.stale
            self._index.put_meta({STALE: json.dumps(sorted(self._stale))})

    def hide_logs(self, paths: Sequence[str]) -> None:
        """Before others are read: messages that they hold too are theirs then."""
        for path in paths:
            self._reader().ownership.release(path, self._index.message_ids(path))
        self.write([Hide(path, self._options.now) for path in paths])

    def _read_stale(self, path: str) -> None:
        stale = self._reader().ownership.stale
        stale.discard(path)
        file = file_of(path)
        if file in self._seen.listing.files:
            now = {p: e for p, e in self._index.files().items() if file_of(p) == file}
            self._read_log(file, {p: e for p, e in now.items() if p != file}, now.get(file), frozenset({path}))
            self._flush()

    def _members(self) -> dict[str, dict[str, FileEntry]]:
        """What is known of the conversations inside files, by file."""
        found: dict[str, dict[str, FileEntry]] = {}
        for path, entry in self._seen.known.items():
            if WITHIN in path:
                found.setdefault(file_of(path), {})[path] = entry
        return found

    def _reader(self) -> LogReader:
        from memoro.index.logs import LogReader  # readers and all: not needed while nothing has changed

        if self._logs is None:
            hidden = NOTHING_HIDDEN
            try:
                hidden = self._options.hidden()
            except (IndexDamaged, IndexTooNew):
                raise
            except StoreError as error:  # what was forgotten is not known, and must not come back
                self._unread = str(error)
            self._logs = LogReader(self._index, self._vault, self._rules, hidden)
        return self._logs

    def hide_forgotten(self) -> None:
        """Where more was forgotten than the index knows of, read every log again."""
        logs = [path for path in self._seen.listing.files if kind_of(path) == "transcript"]
        count = self._reader().hidden.total if logs else 0
        if logs and not self._unread and str(count) != (self._index.get_meta(FORGOTTEN) or "0"):
            known = self._index.files()
            stale = frozenset(known)
            before = [path for path in logs if path in self._seen.known]  # the others were read just now
            for path in before:
                members = {p: e for p, e in known.items() if file_of(p) == path and p != path}
                self._read_log(path, members, known.get(path), stale)
            self._flush()
            self._index.put_meta({FORGOTTEN: str(count)})

    def _read_log(
        self,
        path: str,
        members: dict[str, FileEntry],
        entry: FileEntry | None = None,
        stale: frozenset[str] = frozenset(),
    ) -> None:
        """Read a log and write it, in parts where it is long. Failures go into the report."""
        from memoro.index.logs import Reading

        entry = entry or self._seen.known.get(path)
        day = _written_on(self._seen.listing.files[path])
        reader = self._reader()
        if self._unread:
            self._problems.append(Problem(path, "failed", self._unread))
            return
        try:
            for change in reader.changes(Reading(path, entry, members, day, self._options.now, stale)):
                self._count_log(change)
                self._add([change])
        except NoteTooLarge as error:
            self._problems.append(Problem(path, "failed", str(error)))
            unread = FileEntry(path, UNKNOWN, _unread(Stamp(*error.stamp)), Stamp(*error.stamp))
            self._add([Write(Indexed(unread, Note(title=path), day, ()))])
        except NoteNotFound:
            return  # it went away after the walk; the next sync sees that
        except NoteUnreadable as error:
            self._problems.append(Problem(path, "failed", str(error)))
            return
        self._problems += [Problem(path, "partly", warning) for warning in reader.warnings]

    def _count_log(self, change: Change) -> None:
        match change:
            case Touch():
                self._unchanged += 1
            case Write(file) | Extend(file) if (
                file.entry.tier not in _NO_CONVERSATIONS and file.entry.path not in self._counted_logs
            ):
                self._counted_logs.add(file.entry.path)
                known = self._seen.known.get(file.entry.path)
                if known is None or known.gone_at:
                    self._added += 1
                else:
                    self._changed += 1

    def _add(self, changes: Sequence[Change]) -> None:
        self._batch += changes
        self._size += sum(map(_size, changes))
        if len(self._batch) >= BATCH_FILES or self._size >= BATCH_CHARACTERS:
            self._flush()

    def _flush(self) -> None:
        batch, self._batch, self._size = self._batch, [], 0
        self.write(batch)

    def write(self, changes: Sequence[Change]) -> None:
        if changes:
            self._keep_stale()
            gone = self._index.apply(changes)
            self._wrote = True
            if self._logs:
                self._logs.ownership.written()
            if self._vectors:
                self._vectors.erase(gone)

    def finish(self, hidden: int) -> Report:
        seen = self._seen
        read = set(seen.plan.read)
        kept = [
            problem
            for problem in self._old_problems
            if (problem.path in seen.listing.files and problem.path not in read)
            or self._options.what not in (BOTH, self._vault.side(problem.path))
        ]
        problems = tuple(sorted({*self._problems, *kept}))
        if problems != self._old_problems:
            self._index.put_problems(problems)
        self._keep_meta()
        counts = self._index.counts()
        return Report(
            added=self._added,
            changed=self._changed,
            moved=self._moved,
            hidden=hidden,
            unchanged=self._unchanged,
            files=counts.files,
            transcripts=counts.transcripts,
            chunks=counts.chunks,
            problems=problems,
            doubles=seen.layout.doubles,
        )

    def _keep_meta(self) -> None:
        if self._options.what == LOGS:
            if self._wrote:
                self._index.put_meta({"synced_at": self._options.now})
            return
        identity = str(self._seen.listing.identity)
        if self._wrote or self._index.get_meta("identity") != identity:
            self._index.put_meta({"identity": identity, "vault": self._vault.root, "synced_at": self._options.now})

    def _change(self, path: str, origin: str | None) -> Change | None:
        """What the file now asks of the index. Failures go into the report."""
        entry = self._seen.known.get(path)
        try:
            content = self._read(path, entry)
            if content is None:
                return Emptied(path)
            if entry and self._is_same(entry, content):
                self._unchanged += 1
                return Touch(path, _trusted(content), _written_on(content.stamp))
            file = self._indexed(path, content)
        except NoteTooLarge as error:
            self._problems.append(Problem(path, "partly", str(error)))
            file = self._name_only(path, Stamp(*error.stamp))
            if entry and entry == file.entry._replace(stamp=entry.stamp):
                self._unchanged += 1
                return Touch(path, file.entry.stamp, file.day)
        except NoteNotFound:
            return None  # it went away after the walk; the next sync sees that
        except NoteUnreadable as error:
            self._problems.append(Problem(path, "failed", str(error)))
            return None
        return self._counted(file, entry, origin)

    def _counted(self, file: Indexed, entry: FileEntry | None, origin: str | None) -> Change:
        if origin is not None:
            self._moved += 1
            return Move(origin, file)
        if entry is None or entry.gone_at:
            self._added += 1
        else:
            self._changed += 1
        return Write(file)

    def _read(self, path: str, entry: FileEntry | None) -> Content | None:
        """The note's bytes, or None where it is suddenly empty and is not yet believed."""
        content = self._vault.read(path)
        if content.data or entry is None or entry.gone_at or entry.digest == _digest(b""):
            return content
        time.sleep(EMPTY_RETRY_SECONDS)
        again = self._vault.read(path)
        # Empty by chance twice, between two saves of a busy editor, is not the same as empty and left so.
        if again.data or (entry.emptied and again.stamp == content.stamp):
            return again
        self._problems.append(Problem(path, "partly", EMPTIED))
        return None

    def _is_same(self, entry: FileEntry, content: Content) -> bool:
        same = entry.digest == _digest(content.data) and not entry.gone_at
        if same and entry.tier == self._seen.layout.tier(entry.path):
            self._problems += [p for p in self._old_problems if p.path == entry.path and p.sentence != EMPTIED]
            return True
        return False

    def _indexed(self, path: str, content: Content) -> Indexed:
        from memoro.index.read import read_note  # YAML and all: not needed while nothing has changed

        entry = FileEntry(path, self._seen.layout.tier(path), _digest(content.data), _trusted(content))
        file, warnings = read_note(entry, content.data, written_on=_written_on(content.stamp), rules=self._rules)
        self._problems += [Problem(path, "partly", warning) for warning in warnings]
        if file.note.date is None and entry.tier == "daily" and (day := self._seen.layout.day(path)):
            return file._replace(note=file.note._replace(date=day), day=day)
        return file

    def _name_only(self, path: str, stamp: Stamp) -> Indexed:
        name = path.rpartition("/")[2]
        only = Chunk(name, 1, 1, (), _digest(name.encode()), partial=True)
        entry = FileEntry(path, self._seen.layout.tier(path), _unread(stamp), stamp)
        return Indexed(entry, Note(title=name.rpartition(".")[0]), _written_on(stamp), (only,))


class Dirty(NamedTuple):
    """A path for which index and disk say different things."""

    path: str
    why: str  # "new", "changed", "grown", "gone" or "has another role"
    bytes: int | None = None  # by which a log has grown
    due: bool | None = None  # whether that is enough for a sync of its own; else the next search or interval has it


def dirty(seen: Look, vault: VaultFiles) -> Iterator[Dirty]:
    """Each path for which index and disk say different things, with the reason: bytes decide, not stamps."""
    for path in seen.plan.read:
        entry = seen.known.get(path)
        if entry is None or entry.gone_at:
            yield Dirty(path, "new")
        elif entry.tier != seen.layout.tier(path) and entry.tier not in _NO_CONVERSATIONS:
            yield Dirty(path, "has another role")
        elif not _holds(vault, entry):
            yield Dirty(path, "changed")
    for path in seen.plan.gone:
        yield Dirty(path, "gone")


def _holds(vault: VaultFiles, entry: FileEntry) -> bool:
    path, digest = entry.path, entry.digest
    try:
        if kind_of(path) == "transcript":
            from memoro.index.logs import digest_now

            return digest_now(vault, entry) == digest
        return _digest(vault.read(path).data) == digest
    except NoteTooLarge as error:
        return _unread(Stamp(*error.stamp)) == digest
    except (NoteNotFound, NoteUnreadable):
        return False


def _trusted(content: Content) -> Stamp | None:
    return content.stamp if content.trusted else None


def _written_on(stamp: Stamp) -> str:
    try:
        return time.strftime("%Y-%m-%d", time.localtime(stamp.mtime_ns / 1e9))
    except (ValueError, OverflowError, OSError):
        return "1970-01-01"


def _days_before(now: str, days: int) -> str:
    from datetime import datetime, timedelta  # seldom needed

    return (datetime.fromisoformat(now) - timedelta(days=days)).isoformat()


def _unread(stamp: Stamp) -> str:
    """Stands for the digest of a file too large to be read."""
    return f"unread:{stamp.size}:{stamp.mtime_ns}"


def _digest(data: bytes) -> str:
    import hashlib  # loads OpenSSL: not needed while nothing has changed

    return hashlib.sha256(data).hexdigest()


def _size(change: Change) -> int:
    match change:
        case Write(file) | Extend(file) | Move(_, file):
            return sum(len(c.text) for c in file.chunks)
    return 0
