"""One sync under way: it reads what may have changed, writes in batches, and counts."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import IndexDamaged, IndexTooNew, NoteNotFound, NoteTooLarge, NoteUnreadable, StoreError
from memoro.index.look import NO_CONVERSATIONS, Look, file_digest, unread_digest, written_on
from memoro.index.plan import moves
from memoro.index.report import Options, Report
from memoro.model.notes import (
    NOTHING_HIDDEN,
    UNKNOWN,
    WITHIN,
    FileEntry,
    Indexed,
    Note,
    Problem,
    Rules,
    Stamp,
    file_of,
    kind_of,
)
from memoro.model.projects import short_name
from memoro.model.vocabulary import BOTH, LOGS, VAULT
from memoro.store.ports import Index
from memoro.vault.files import VaultFiles

if TYPE_CHECKING:
    from memoro.index.logs import LogReader
    from memoro.index.vector_upkeep import VectorEraser
    from memoro.ledger.ports import Ledger
    from memoro.store.changes import Change
else:
    Ledger = object  # a NamedTuple compiles a quoted annotation, and the first one costs every start a millisecond

FORGOTTEN = "forgotten"  # in the index: how much had been when it last read a log
STALE = "stale"  # in the index: logs to be read again, for messages that others had before them
BATCH_FILES = 50
BATCH_CHARACTERS = 250_000  # keeps a transaction near 50 ms


class SyncSource(NamedTuple):
    """The vault, the rules and the ledger that an index must agree with."""

    vault: VaultFiles
    rules: Rules
    ledger: Ledger | None = None  # None: it has not changed since the last sync
    project_of: Callable[[str], str | None] = short_name  # of a working folder


class SyncRun:
    """The state of one sync: what it has read and written, and the problems so far."""

    def __init__(
        self, index: Index, source: SyncSource, seen: Look, options: Options, vectors: "VectorEraser | None"
    ) -> None:
        self._vectors = vectors
        self._started = time.perf_counter()
        self._project_of = source.project_of
        self._index, self._vault, self._rules, self._seen, self._options = (
            index, source.vault, source.rules, seen, options,
        )  # fmt: skip
        self._problems: list[Problem] = list(seen.listing.problems)
        self._old_problems = index.problems()
        self._counts = {"added": 0, "changed": 0, "moved": 0, "unchanged": seen.plan.unchanged}
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
                digests[path] = file_digest(self._vault.read(path).data)
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
                self._read_note(path, origins.get(path))
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

    def _read_note(self, path: str, origin: str | None) -> None:
        from memoro.index.note_changes import EMPTIED, NoteReader  # not needed while nothing has changed

        reader = NoteReader(
            vault=self._vault, rules=self._rules, layout=self._seen.layout, project_of=self._project_of
        )
        found = reader.change(path, self._seen.known.get(path), origin)
        self._problems += found.problems
        if found.is_same:
            self._problems += [p for p in self._old_problems if p.path == path and p.sentence != EMPTIED]
        if found.outcome:
            self._counts[found.outcome] += 1
        if found.change:
            self._add([found.change])

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
        self.hide(paths)

    def hide(self, paths: Sequence[str]) -> None:
        if paths:
            from memoro.store.changes import Hide

            self.write([Hide(path, self._options.now) for path in paths])

    def purge(self, before: str) -> None:
        """Delete the files that were hidden before this time."""
        from memoro.store.changes import Purge

        self.write([Purge(before)])

    def _read_stale(self, path: str) -> None:
        stale = self._reader().ownership.stale
        stale.discard(path)
        file = file_of(path)
        if file in self._seen.listing.files:
            now = {p: e for p, e in self._index.files().items() if file_of(p) == file}
            self._read_log(file, {p: e for p, e in now.items() if p != file}, now.get(file), frozenset({path}))
            self._flush()

    def _members(self) -> dict[str, dict[str, FileEntry]]:
        """The entries of conversations inside files, by file."""
        found: dict[str, dict[str, FileEntry]] = {}
        for path, entry in self._seen.known.items():
            if WITHIN in path:
                found.setdefault(file_of(path), {})[path] = entry
        return found

    def _reader(self) -> "LogReader":
        from memoro.index.logs import LogReader, LogSource  # readers and all: not needed while nothing has changed

        if self._logs is None:
            hidden = NOTHING_HIDDEN
            try:
                hidden = self._options.hidden()
            except (IndexDamaged, IndexTooNew):
                raise
            except StoreError as error:  # what was forgotten is not known, and must not come back
                self._unread = str(error)
            self._logs = LogReader(self._index, LogSource(self._vault, self._project_of), self._rules, hidden)
        return self._logs

    def hide_forgotten(self) -> None:
        """Read every log again if more messages were forgotten than the index knows of."""
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
        day = written_on(self._seen.listing.files[path])
        reader = self._reader()
        if self._unread:
            self._problems.append(Problem(path, "failed", self._unread))
            return
        try:
            reading = Reading(
                path=path, entry=entry, members=members, written_on=day, now=self._options.now, stale=stale
            )
            for change in reader.changes(reading):
                self._count_log(change)
                self._add([change])
        except NoteTooLarge as error:
            from memoro.store.changes import Write

            self._problems.append(Problem(path, "failed", str(error)))
            unread = FileEntry(
                path=path,
                tier=UNKNOWN,
                digest=unread_digest(Stamp(*error.stamp)),
                stamp=Stamp(*error.stamp),
            )
            self._add([Write(Indexed(entry=unread, note=Note(title=path), day=day, chunks=()))])
        except NoteNotFound:
            return  # it went away after the walk; the next sync sees that
        except NoteUnreadable as error:
            self._problems.append(Problem(path, "failed", str(error)))
            return
        self._problems += [Problem(path, "partly", warning) for warning in reader.warnings]

    def _count_log(self, change: "Change") -> None:
        from memoro.store.changes import Extend, Touch, Write

        match change:
            case Touch():
                self._counts["unchanged"] += 1
            case Write(file) | Extend(file) if (
                file.entry.tier not in NO_CONVERSATIONS and file.entry.path not in self._counted_logs
            ):
                self._counted_logs.add(file.entry.path)
                known = self._seen.known.get(file.entry.path)
                if known is None or known.gone_at:
                    self._counts["added"] += 1
                else:
                    self._counts["changed"] += 1

    def _add(self, changes: Sequence["Change"]) -> None:
        self._batch += changes
        self._size += sum(map(_size, changes))
        if len(self._batch) >= BATCH_FILES or self._size >= BATCH_CHARACTERS:
            self._flush()

    def _flush(self) -> None:
        batch, self._batch, self._size = self._batch, [], 0
        self.write(batch)

    def write(self, changes: Sequence["Change"]) -> None:
        if changes:
            self._keep_stale()
            gone = self._index.apply(changes)
            self._wrote = True
            if self._logs:
                self._logs.ownership.written()
            if self._vectors:
                self._vectors.erase(gone)

    @property
    def wrote(self) -> bool:
        """Return whether it has changed the index."""
        return self._wrote

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
            added=self._counts["added"],
            changed=self._counts["changed"],
            moved=self._counts["moved"],
            unchanged=self._counts["unchanged"],
            hidden=hidden,
            files=counts.files,
            transcripts=counts.transcripts,
            chunks=counts.chunks,
            problems=problems,
            doubles=seen.layout.doubles,
        )

    def _keep_meta(self) -> None:
        if self._options.what == LOGS:
            if self._wrote:
                self._index.put_meta(self._synced())
            return
        identity = str(self._seen.listing.identity)
        if self._wrote or self._index.get_meta("identity") != identity:
            self._index.put_meta({"identity": identity, "vault": self._vault.root, **self._synced()})

    def _synced(self) -> dict[str, str]:
        """When a sync changed the index, and how long it read and wrote."""
        took = (time.perf_counter() - self._started) * 1000
        return {"synced_at": self._options.now, "sync_ms": f"{took:.1f}"}


def _size(change: "Change") -> int:
    from memoro.store.changes import Extend, Move, Write

    match change:
        case Write(file) | Extend(file) | Move(_, file):
            return sum(len(c.text) for c in file.chunks)
    return 0
