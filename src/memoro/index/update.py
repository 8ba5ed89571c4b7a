"""Updating the index of a home to what its vault and its ledger say, or building it anew."""

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import IndexDamaged, IndexTooNew, MemoroError, StoreError
from memoro.home_context import HomeContext
from memoro.index.homes import current, is_ready
from memoro.index.look import is_in_step
from memoro.index.notes_without_vault import notes_without_vault
from memoro.index.report import SETTINGS_CHANGED, Options, Report
from memoro.index.single_flight import SyncReceipt, settings_digest
from memoro.index.sync import check_against, sync, sync_items, sync_memories, sync_paths
from memoro.index.sync_run import SyncSource
from memoro.model.vocabulary import BOTH, LOGS, VAULT
from memoro.store.ports import Index, IndexHome
from memoro.vault.files import VaultFiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoro.index.ports import LedgerSource
    from memoro.index.vector_upkeep import VectorMaintenance
    from memoro.ledger.ports import Ledger
else:
    LedgerSource = VectorMaintenance = (
        object  # a NamedTuple compiles a quoted annotation, and the first one costs every start a millisecond
    )

LINES_HINT = "lines.waiting"  # a file in the home while lines of notes are watched (notes/dropped_lines.py)


class IndexUpdate(NamedTuple):
    """Updates the index of one home. For the holder of the sync lock, who lets `vectors` fill after releasing it."""

    home: HomeContext
    indexes: IndexHome
    ledger: LedgerSource
    vectors: VectorMaintenance | None = None  # None: no vectors are wanted

    def run(self, vault: VaultFiles | None, options: Options, rebuild: str | None = None) -> Report:
        """Sync the index; build it anew where `rebuild` says why, or where it is damaged or outdated."""
        started, began = time.perf_counter(), time.monotonic_ns()
        if options.what != BOTH and not is_ready(self.indexes):
            options = options._replace(what=BOTH)  # an index that answers has seen both
        report = Report(rebuilt=rebuild) if rebuild else self._sync_current(vault, options)
        if report.rebuilt:
            report = self._sync_next(vault, options)._replace(rebuilt=report.rebuilt)
        if not report.degraded and not report.damage and not report.rebuilt:
            digest = settings_digest(self.home, vault)
            self.indexes.syncing.leave(str(SyncReceipt.of_options(options, began, digest)))
        return report._replace(took_ms=(time.perf_counter() - started) * 1000)

    def notes(self, paths: "Sequence[str]", options: Options) -> None:
        """Index these notes now, without looking at the others."""
        index = self.indexes.current()
        if index and not self.why_outdated(index):
            source = SyncSource(self.home.vault(), self.home.settings.rules)
            if self.vectors is not None:
                self.vectors.begin(index)
            sync_paths(index, source, options, paths, self.vectors)

    def items(self, options: Options) -> bool:
        """Index what has changed in the ledger, without looking at the vault; return whether that is all there."""
        index = self.indexes.current()
        if index is None or self.why_outdated(index):
            return False
        if self.vectors is not None:
            self.vectors.begin(index)
        return not sync_items(index, options, self.vectors, self.ledger.opened())

    def has_all_items(self, index: Index, options: Options) -> bool:
        """Return whether the index says of the ledger's items all that the ledger says."""
        from memoro.index.mirror import is_mirrored

        if self.vectors is not None:
            self.vectors.begin(index)
        return is_mirrored(index, self.ledger.opened(), options.moment)

    def has_nothing_to_do(self, vault: VaultFiles | None, options: Options) -> bool:
        """Return whether a sync of the notes would change nothing. Loads no model."""
        from memoro.index.mirror import is_mirrored

        try:
            index = current(self.indexes)
            if self.why_outdated(index) or self._lines_wait():
                return False
            if vault is not None and not is_in_step(index, vault, self.home.settings.rules, options):
                return False
            ledger = self._ledger_if_changed(index)
            return ledger is None or is_mirrored(index, ledger, options.moment)
        except StoreError:  # the sync itself reports it, and repairs what can be repaired
            return False

    def why_outdated(self, index: Index) -> str | None:
        if notes_without_vault(index, self.home.settings):  # built anew it would lose them
            return None
        kept = index.get_meta("rules")
        return None if kept in (None, repr(tuple(self.home.settings.rules))) else SETTINGS_CHANGED

    def _sync_current(self, vault: VaultFiles | None, options: Options) -> Report:
        """Sync the current index. Where it must be built anew instead, the report says just why."""
        try:
            index = self.indexes.first()
            if why := self.why_outdated(index):
                return Report(rebuilt=why)
            if index.get_meta("rules") is None:  # before any note: a sync that is broken off leaves no doubt
                index.put_meta({"rules": repr(tuple(self.home.settings.rules))})
            report = self._sync(index, vault, options)
            index.erase_deleted_words(time.time(), if_quick=not options.whole)
            return report
        except IndexDamaged as error:
            return Report(rebuilt=self.indexes.is_damaged() or error.why)

    def _sync_next(self, vault: VaultFiles | None, options: Options) -> Report:
        """Fill a new index beside the current one, and switch to it."""
        options, rules = options._replace(what=BOTH), self.home.settings.rules
        with self.indexes.next() as fresh:
            if vault is not None:
                check_against(self._readable(), SyncSource(vault, rules), options)
            report = self._sync(fresh, vault, options)
            if self.vectors is not None:
                self.vectors.take_from_cache()
            fresh.put_meta({"rules": repr(tuple(rules))})
        return report

    def _sync(self, index: Index, vault: VaultFiles | None, options: Options) -> Report:
        """Make an index say what vault and ledger say, as far as there are any."""
        if vault is not None and options.what != LOGS and self._lines_wait():
            with suppress(MemoroError):  # the sync itself reports it
                self.ledger.propose_dropped_lines()
        if self.vectors is not None:
            self.vectors.begin(index)
        ledger = self._ledger_if_changed(index)
        seen = self.ledger.fingerprint()
        if vault is not None:
            source = SyncSource(
                vault=vault, rules=self.home.settings.rules, ledger=ledger, project_of=self._project_of
            )
            report = sync(index, source, options, self.vectors)
        else:
            report = sync_memories(index, options, self.vectors, ledger)
        # Without the logs, those that hold what was forgotten have not been read again.
        whole = options.what != VAULT or not self.home.settings.transcripts.folders
        if ledger is not None and seen is not None and whole and not report.degraded:
            index.put_meta({"ledger_files": seen})
        return report

    def _project_of(self, folder: str) -> str | None:
        found = self.home.project_of(folder)
        return found.name if found else None

    def _ledger_if_changed(self, index: Index) -> "Ledger | None":
        """The ledger, where the index may not say what it says."""
        if self.home.in_memory:
            return self.ledger.opened()
        seen, until = self.ledger.fingerprint(), index.get_meta("ledger_until")
        now = self.home.runtime.moment()
        # The index shows the memories that held at its time: an end has come, or a clock was set back since.
        is_due = (bool(until) and (until or "") <= now) or (index.get_meta("ledger_at") or "") > now
        same = seen == index.get_meta("ledger_files") and not is_due
        return self.ledger.opened() if seen and not same else None

    def _readable(self) -> Index | None:
        """The current index, if it holds anything that can be read. A damaged one is set aside."""
        try:
            index = self.indexes.current()
            return index if index and index.files() else None
        except IndexTooNew:
            return None
        except IndexDamaged:
            self.indexes.set_aside()
            return None

    def _lines_wait(self) -> bool:
        return os.path.exists(self.home.file(LINES_HINT))
