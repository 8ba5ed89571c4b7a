"""The index of one home in use: syncing it, reading from it, and repairing it on the way."""

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memoro.errors import IndexDamaged, IndexTooNew, NoVault, StoreError, VaultError, VectorsDamaged
from memoro.home_context import HomeContext
from memoro.index import homes
from memoro.index.maintenance import REMOTE_SECONDS, vector_maintenance
from memoro.index.report import Options, Progress, Report, repair_notices, sync_notices, vector_notices
from memoro.index.running import RunningSync
from memoro.index.single_flight import SyncReceipt, go_on, patiently, settings_digest, until
from memoro.index.update import IndexUpdate
from memoro.model.feedback_places import is_feedback_file
from memoro.model.notes import NOTHING_HIDDEN, Hidden, file_of
from memoro.model.vocabulary import BOTH, SYNC_PARTS, VAULT, SyncPart, parse_choice
from memoro.store.ports import Index, IndexHome
from memoro.store.space_progress import settled
from memoro.vault.files import VaultFiles

if TYPE_CHECKING:
    from typing import TypedDict

    from memoro.index.embedding_plan import FillProgress
    from memoro.index.follow import Result
    from memoro.index.freshness import Freshness
    from memoro.index.known import TranscriptSource
    from memoro.index.model_download import ModelDownload
    from memoro.index.ports import LedgerSource
    from memoro.index.triggers import Trigger
    from memoro.index.vector_upkeep import VectorMaintenance
    from memoro.providers.records import ProviderRecords

    class SyncKeywords(TypedDict, total=False):
        """The options of `Workspace.sync`: the fields of `SyncRequest`."""

        what: SyncPart
        force: bool
        accept_deletions: bool
        progress: Progress | None
        filling: Callable[[FillProgress], None] | None
        downloading: Progress | None
        agrees: bool
        stop: threading.Event | None
        waits: bool

else:
    FillProgress = (
        object  # a NamedTuple compiles a quoted annotation, and the first one costs every start a millisecond
    )


# How long a search waits for someone else's sync, most of which are done by then.
PATIENCE_SECONDS = 0.25
# An answer that waits longer for the index than this says why.
LONG_SECONDS = 2.0
# Memories are found by their words until so many wait for vectors: to write vectors waits for the disk.
WITHOUT_VECTORS = 16
WAITING = "The index is brought up to date first. After a large change this can take a minute or more."
WAITING_FOR_MODEL = "The index is brought up to date, and {provider} is asked for vectors. This can take minutes."
BUSY = "index: another process is syncing; this answer is from before it finishes"

T = TypeVar("T")


class SyncRequest(NamedTuple):
    """`what` is "vault" for notes alone, "transcripts" for logs alone, or "both"."""

    what: SyncPart = BOTH
    force: bool = False  # build the index anew
    accept_deletions: bool = False  # a vault with far fewer notes, or another one, is right
    progress: Progress | None = None
    filling: Callable[[FillProgress], None] | None = None  # gets the progress of each space that is filled
    downloading: Progress | None = None  # gets the bytes of a model that is downloaded, and how many there are
    agrees: bool = False  # the owner agrees to the download of a model, and to what filling a space will cost
    stop: threading.Event | None = None  # once it is set, the sync raises `Interrupted` between two files
    waits: bool = True  # for batch jobs, where `embedding.batch.wait` says so


class Refreshed(NamedTuple):
    """The result of the sync before an answer, with the notices for that answer."""

    synced: bool
    notices: tuple[str, ...] = ()


class Indexing:
    """The index of one home. Threads may share it."""

    def __init__(self, home: HomeContext, ledger: "LedgerSource", index_home: IndexHome | None = None) -> None:
        """`index_home` is used instead of the one in the home's folder, and is left open."""
        self._home = home
        self._ledger = ledger
        self._opening = threading.RLock()
        self._given = index_home
        self._index_home: IndexHome | None = None
        self.running = RunningSync()

    @property
    def indexes(self) -> IndexHome:
        """The home of the index; opened, and made where it is missing."""
        if self._given is not None:
            return self._given
        with self._opening:
            if self._index_home is None:
                self._index_home = homes.OPEN.take(self._home.folder)
            return self._index_home

    def indexes_if_any(self) -> IndexHome | None:
        """The home of the index; None while the folder has not been made."""
        is_open = self._given is not None or self._index_home is not None or self._home.in_memory
        return self.indexes if is_open or os.path.isdir(self._home.folder) else None

    def records(self) -> "ProviderRecords":
        """What the home keeps about its providers; nothing while it has not been made."""
        indexes = self.indexes_if_any()
        if indexes is not None:
            return indexes.records()
        from memoro.store.plain.provider_records import PlainProviderRecords

        return PlainProviderRecords()

    def close(self) -> None:
        """Let go of the index; the last of those who share it closes it."""
        with self._opening:
            indexes, self._index_home = self._index_home, None
        if indexes is not None:
            homes.OPEN.release(self._home.folder)

    def is_ready(self) -> bool:
        """Return whether there is an index to answer from."""
        return homes.is_ready(self.indexes_if_any())

    def current(self) -> Index:
        return homes.current(self.indexes)

    def read(self, work: Callable[[Index], T], notices: list[str] | None = None, *, ledger_alone: bool = False) -> T:
        """Read from the current index. Damage is repaired on the way, and `notices` gets a sentence about it.

        `ledger_alone`: the work is about items of the ledger, so that an index will do that has seen no notes yet.
        """
        current = homes.mirrored if ledger_alone else homes.current
        try:
            return work(current(self.indexes))
        except IndexDamaged as error:
            damage = error.with_traceback(None)  # its frames would keep the damaged index open
        try:
            with self.indexes.syncing.held():
                try:  # once more, with nobody syncing: it may have been their doing
                    if isinstance(damage, VectorsDamaged) or not self.indexes.is_damaged():
                        return work(current(self.indexes))
                except IndexDamaged as error:
                    damage = error.with_traceback(None)
                found, vectors = self._repair(damage)
            found += vectors.fill() if vectors is not None else ()
            if notices is not None:
                notices += found
            return work(current(self.indexes))
        except StoreError:
            if isinstance(damage, VectorsDamaged):  # and cannot be written: words can still be searched
                raise damage from None
            raise

    def _repair(self, damage: IndexDamaged) -> "tuple[list[str], VectorMaintenance | None]":
        """Drop damaged vectors, or build the index anew. For the holder of the sync lock, who fills them afterwards.

        Vectors are filled as far as a search may wait for that; the next syncs do the rest.
        """
        options = self._options()
        if isinstance(damage, VectorsDamaged):
            update = self._update(options._replace(whole=False))
            if update.vectors is not None:
                update.vectors.mend(damage)
            return vector_notices(damage.why), update.vectors
        update = self._update(options)
        why = self.indexes.is_damaged() or damage.why
        return repair_notices(update.run(self.vault_if_any(), options, why)), update.vectors

    def sync(self, request: SyncRequest = SyncRequest()) -> Report:  # noqa: B008
        """Bring the index to what the vault says, once a sync that is under way elsewhere is done.

        A sync of the same that began while this one waited is not repeated. The first sync, and one that builds
        the index anew, cover both halves. Raises `NoVault` where there is nothing to index, and where the index
        holds notes while no vault is set; `accept_deletions` builds it anew without them.
        """
        if not request.accept_deletions:
            self.check_notes()
        elif self.notes_without_vault():
            request = request._replace(force=True)
        else:
            self.check_source()
        with self._said_if_long(request.progress):
            return self._sync(request, remote_seconds=None)

    def _said_if_long(self, progress: Progress | None) -> AbstractContextManager[object]:
        """Say, once, why the block takes so long, to somebody who sees no progress."""
        notify = self._home.runtime.notify
        if notify is None or progress is not None:
            return nullcontext()
        chosen = self._home.settings.embedding
        asks = chosen.enabled and chosen.provider != "builtin"
        said = WAITING_FOR_MODEL.format(provider=chosen.provider) if asks else WAITING
        return _said_after(LONG_SECONDS, notify, said)

    def _sync(self, request: SyncRequest, remote_seconds: float | None) -> Report:
        with self.running.noting(request.progress, request.filling) as noted:
            return self._run(request._replace(progress=noted.progress, filling=noted.filling), remote_seconds)

    def _run(self, request: SyncRequest, remote_seconds: float | None) -> Report:
        what = parse_choice(request.what, SYNC_PARTS, "part to sync")
        asked = time.monotonic_ns()
        options = self._options(request.progress)._replace(
            accept_deletions=request.accept_deletions,
            what=what,
            check=until(request.stop),
            agrees=request.agrees,
            filling=request.filling or (lambda _progress: None),
            waits=request.waits,
        )
        vault = self.vault_if_any()
        if self._ledger.fingerprint():
            with suppress(StoreError):  # the sync itself reports it
                self._ledger.finish_forgetting()
        fetched = self._fetched_model(request) if remote_seconds is None else None
        update = self._update(options, remote_seconds)
        with self._alone(options.check):
            forced = request.force or request.accept_deletions
            if not forced and self._is_done_since(asked, options, vault):
                report = self._unchanged()._replace(joined=True)
            else:
                report = update.run(vault, options, "you asked for it" if request.force else None)
        done = self._fill(update, report, options)
        if fetched is None:
            return done
        degraded = fetched.better_said(done.degraded)
        return done._replace(download=fetched.waits, downloaded=fetched.done, degraded=degraded)

    def _fetched_model(self, request: SyncRequest) -> "ModelDownload":
        from memoro.index.model_download import fetch_model

        return fetch_model(self._home, request.downloading, agrees=request.agrees)

    def sync_at_session_start(self) -> Report | None:
        """Sync the notes, unless `sync.on_session_start` is false.

        None where there is no index yet, which the first search makes, or another process is syncing.
        """
        if not self._home.settings.sync.on_session_start or not self.is_ready():
            return None
        options, vault = self._options()._replace(what=VAULT, whole=False), self.vault_if_any()
        with self.indexes.syncing.tried(PATIENCE_SECONDS) as free:
            if not free:
                return None
            update = self._update(options._replace(embed=False))  # a look loads no model
            if update.has_nothing_to_do(vault, options):
                return self._unchanged()
            update = self._update(options)
            report = update.run(vault, options)
        return self._fill(update, report, options)

    def refresh(
        self, progress: Progress | None = None, *, embed: bool, remote_seconds: float = REMOTE_SECONDS
    ) -> Refreshed:
        """Sync before an answer: always when there is no index to answer from, else if it is quick to have.

        Embedders other than the built-in one get `remote_seconds` for what has changed.
        """
        with self._said_if_long(progress):
            done = self._refresh(progress, embed, remote_seconds)
        stale = self._ledger.staleness()
        without = self._without_notes()
        notices = (*without, *done.notices, *([stale] if stale else []))
        return done._replace(synced=done.synced and not without, notices=notices)

    def _without_notes(self) -> tuple[str, ...]:
        """Say that there is nothing to search, or that no vault is set for the notes of the index."""
        try:
            self.check_notes()
        except NoVault as error:
            return (f"notes: {error}",)
        return ()

    def _refresh(self, progress: Progress | None, embed: bool, remote_seconds: float) -> Refreshed:
        if not self.is_ready():
            return _refreshed(self._sync(SyncRequest(progress=progress), remote_seconds))
        if not self._home.settings.sync.on_search:
            return Refreshed(False)
        loads = remote_seconds >= REMOTE_SECONDS  # a recall has less
        options = self._options(progress)._replace(embed=embed, whole=False, loads=loads)
        asked = time.monotonic_ns()
        try:
            vault = self.vault_if_any()
            known = self._freshness(vault)
            changed = known.look() if known else None
            if changed is not None and changed.what is None and self._has_no_news(options):
                return Refreshed(True)
            if changed is not None and changed.what is not None:
                options = options._replace(what=changed.what)
            with self.indexes.syncing.tried(PATIENCE_SECONDS) as free:
                if not free:
                    return Refreshed(False, (BUSY,))
                update = self._update(options, remote_seconds)
                is_done = self._is_done_since(asked, options, vault)
                report = Report() if is_done else update.run(vault, options)
            if known and changed and not is_done:
                known.note_sync(changed, options.what, report)
            return _refreshed(self._fill(update, report, options))
        except IndexTooNew:
            raise
        except (VaultError, StoreError) as error:
            return Refreshed(False, (f"sync: {error}",))

    def _freshness(self, vault: VaultFiles | None) -> "Freshness | None":
        if not homes.WATCHED or self._home.in_memory:
            return None
        from memoro.index import freshness

        return freshness.of(self._home, vault)

    def _has_no_news(self, options: Options) -> bool:
        """Return whether a sync would change nothing, where neither notes nor logs have changed."""
        update = self._update(options._replace(embed=False))
        return update.has_nothing_to_do(None, options) and (not options.embed or not self._unfilled(self.current()))

    def index_now(self, paths: Sequence[str]) -> None:
        """Make notes findable that were just written, without looking at the others.

        Where another process syncs, or there is no index yet, the next sync does it. Feedback is never findable.
        """
        paths = [path for path in paths if not is_feedback_file(path)]
        if not paths or not self.is_ready():
            return
        options = self._options()._replace(whole=False)
        update = self._update(options, remote_seconds=0)
        with suppress(VaultError, StoreError):
            with self.indexes.syncing.tried(PATIENCE_SECONDS) as free:
                if not free:
                    return
                update.notes(paths, options)
            if update.vectors is not None:
                update.vectors.fill()

    def follow_ledger(self, *, embed: bool = False) -> bool:
        """Make memories findable that were just written, without looking at the vault; return whether they are.

        Where another process syncs, or there is no index yet, the next sync does it. With `embed` this waits a
        moment for the other process, and each memory gets its vector; otherwise once several wait for theirs.
        """
        index = self.indexes.current() if self.indexes_if_any() else None
        if index is None:
            return False
        options = self._options()._replace(whole=False)
        update = self._update(options, remote_seconds=REMOTE_SECONDS if embed else 0)
        if not update.has_all_items(index, options):
            with self.indexes.syncing.tried(PATIENCE_SECONDS if embed else 0.0) as free:
                if not free or not update.items(options):
                    return False
        if update.vectors is not None and (embed or self._unfilled(index) >= WITHOUT_VECTORS):
            update.vectors.fill()
        return True

    def _unfilled(self, index: Index) -> int:
        """The passages that have no vector yet in the space that is filled furthest."""
        spaces = self.indexes.spaces(index)
        return min((index.count_after(settled(index, name)) for name in spaces), default=0)

    def fill_vectors(self, stop: threading.Event) -> tuple[str, ...]:
        """Take the results of batch jobs, and embed what has no vector yet, without looking at the vault.

        Returns what an answer should say about it. Raises `Interrupted` after `stop` is set.
        """
        if not self.is_ready():
            return ()
        update = self._update(self._options()._replace(check=until(stop)), remote_seconds=None)
        return update.vectors.fill() if update.vectors is not None else ()

    def digests_of(self, path: str) -> Sequence[str]:
        """The digests of a file's passages."""
        return self.read(lambda index: index.digests(path)) if self.is_ready() else []

    def erase(self, paths: Sequence[str], digests: Sequence[str]) -> None:
        """Leave no trace of memories and experiences in the index, the vectors and their cache."""
        indexes = self.indexes_if_any()
        if indexes is not None:
            from memoro.index.erasing import erase

            erase(self._home, indexes, paths, digests)

    def read_logs_again(self, paths: Iterable[str]) -> None:
        """Take conversations out of the index, and read their logs again without what was forgotten."""
        from memoro.index.sync_run import FORGOTTEN
        from memoro.store.changes import Drop

        with self.indexes.syncing.held():
            index = self.indexes.first()
            index.apply([Drop(name) for path in paths for name in (path, file_of(path))])
            index.put_meta({FORGOTTEN: str(self.hidden().total)})
        self.sync()

    def transcripts(self) -> "list[TranscriptSource]":
        """List the folders of conversation logs, each with its state in the index."""
        from memoro.index.known import transcript_sources

        entries, environment = self._home.settings.transcripts.entries, self._home.runtime.environment
        folders = [(str(entry.source), entry.folder(environment)) for entry in entries]
        if not self.is_ready():
            return transcript_sources(None, folders)
        return self.read(lambda index: transcript_sources(index, folders))

    def watch(
        self,
        stop: threading.Event,
        heard: "Callable[[Trigger, Result], None]",
        noticed: Callable[[str | None], None] = lambda _why: None,
    ) -> None:
        """Keep the index fresh until `stop` is set: by file events, by the growth of logs, and by the clock.

        `heard` gets each trigger ("start", "watch", "delta", "interval") and its result; `noticed` gets why there
        are no file events, and None when there are again.
        """
        from memoro.index.follow import FollowActions
        from memoro.index.watching import watch

        actions = FollowActions(
            sync=lambda what: self.sync(SyncRequest(what=what, stop=stop, waits=False)),
            has_grown=self._has_grown,
            report=heard,
            report_polling=noticed,
        )
        watch(self._home, actions, stop)

    def vault_if_any(self) -> VaultFiles | None:
        """None where no vault is set: memories are searched alone then."""
        return None if self._home.settings.vault.path is None else self._home.vault()

    def check_source(self) -> None:
        """Raise `NoVault` where there is nothing to index: no vault is set, and nothing was ever stored."""
        if self._home.settings.vault.path is None and not self._home.in_memory and not self._ledger.exists():
            raise NoVault

    def check_notes(self) -> None:
        """Raise `NoVault` where there is nothing to index, or the index holds notes while no vault is set."""
        if unset := self.notes_without_vault():
            raise unset
        self.check_source()

    def notes_without_vault(self) -> NoVault | None:
        """Return the error that names the notes of an index while no vault is set; None otherwise."""
        if self._home.settings.vault.path is not None:
            return None
        from memoro.index.notes_without_vault import notes_without_vault

        try:
            return notes_without_vault(homes.of_this_version(self.indexes_if_any()), self._home.settings)
        except StoreError:  # whoever reads the index says so, or repairs it
            return None

    def check_searchable(self) -> None:
        """Raise `NoVault` where a person must hear that before an answer: there is no index, nor anything for one."""
        if not self.is_ready():
            self.check_source()

    def _has_grown(self) -> bool:
        """Return whether a log has grown enough for a sync of its own."""
        from memoro.index import growth

        index = self.indexes.current()
        known = index.files() if index else {}
        return growth.is_due(self._home.vault(), known, self._home.settings.sync.transcripts)

    def _update(self, options: Options, remote_seconds: float | None = REMOTE_SECONDS) -> IndexUpdate:
        vectors = vector_maintenance(self._home, self.indexes, options, remote_seconds)
        return IndexUpdate(home=self._home, indexes=self.indexes, ledger=self._ledger, vectors=vectors)

    def _fill(self, update: IndexUpdate, report: Report, options: Options) -> Report:
        """Embed what a sync has left without vectors. Never under the sync lock."""
        vectors = update.vectors
        if vectors is None:
            return report
        started = time.perf_counter()
        try:
            notices = vectors.fill()
        except IndexDamaged as error:
            with self._alone(options.check):
                why = self.indexes.is_damaged() or error.why
                report = update.run(self.vault_if_any(), options, why)
            notices = vectors.fill()
        return report._replace(
            degraded=(*report.degraded, *notices),
            damage=vectors.damage.why if vectors.damage else report.damage,
            embedding=vectors.embedding,
            took_ms=report.took_ms + (time.perf_counter() - started) * 1000,
        )

    def _alone(self, check: Callable[[], None]) -> AbstractContextManager[object]:
        """The sync lock. Interruptible callers poll for it instead of blocking in the kernel."""
        return self.indexes.syncing.held() if check is go_on else patiently(self.indexes.syncing, check)

    def _is_done_since(self, asked: int, options: Options, vault: VaultFiles | None) -> bool:
        """Return whether another process finished the same sync meanwhile. For the holder of the sync lock."""
        done = SyncReceipt.parse(self.indexes.syncing.left())
        if done is None:
            return False
        wanted = SyncReceipt.of_options(options, asked, settings_digest(self._home, vault))
        return done.does(wanted, now=time.monotonic_ns()) and self.is_ready()

    def _unchanged(self) -> Report:
        counts = self.current().counts()
        return Report(files=counts.files, chunks=counts.chunks, transcripts=counts.transcripts)

    def _options(self, progress: Progress | None = None) -> Options:
        return Options(
            now=time.strftime("%Y-%m-%dT%H:%M:%S"),
            moment=self._home.runtime.moment(),
            progress=progress or (lambda _done, _total: None),
            hidden=self.hidden,
        )

    def hidden(self) -> Hidden:
        """Return what their owner has forgotten of conversations."""
        exists = self._home.in_memory or self._ledger.fingerprint() is not None
        return self._ledger.hidden() if exists else NOTHING_HIDDEN


def _refreshed(done: Report) -> Refreshed:
    return Refreshed(True, sync_notices(done))


@contextmanager
def _said_after(seconds: float, notify: Callable[[str], None], said: str) -> Iterator[None]:
    timer = threading.Timer(seconds, notify, (said,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
