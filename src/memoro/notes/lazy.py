"""The services that write into the vault, made when something first needs them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from memoro.errors import StoreUnavailable
from memoro.home_context import HomeContext

if TYPE_CHECKING:
    from memoro.index.indexing import Indexing
    from memoro.ledger.lazy import LazyLedger
    from memoro.model.journal import JournalEntry
    from memoro.notes.services import NoteServices
    from memoro.search.finder import Finder


class LazyNotes:
    """Opens the vault for writing when something first writes. Threads may share it."""

    def __init__(self, home: HomeContext, ledger: LazyLedger, indexing: Indexing, finder: Finder) -> None:
        self._home = home
        self._ledger = ledger
        self._indexing = indexing
        self._finder = finder
        self._opening = threading.RLock()
        self._services: NoteServices | None = None

    @property
    def services(self) -> NoteServices:
        with self._opening:
            if self._services is None:
                self._services = self._open()
            return self._services

    def revert(self, entry: JournalEntry) -> None:
        """Take back what a change wrote into the vault."""
        self.services.journaled.revert(entry)

    def has_happened(self, entry: int) -> bool:
        """Tell whether a write of the journal got into the vault."""
        return self.services.journaled.has_happened(entry)

    def restore_lines(self) -> None:
        """Put back, once, the lines that a save of an older version has dropped from notes."""
        from memoro.notes.dropped_lines import put_back

        put_back(self.services.journaled)
        self.services.forget_hint_if_done()

    def close(self) -> None:
        with self._opening:
            self._services = None

    def _open(self) -> NoteServices:
        from memoro.notes.services import IndexHooks, NoteServices, WritePolicy

        if self._home.in_memory:
            raise StoreUnavailable("A home in memory keeps no journal, so notes are not written from it.")
        settings, runtime = self._home.settings, self._home.runtime
        policy = WritePolicy(
            agents_write=settings.writing.agent_writes == "direct",
            daily_folder=settings.daily.folder,
            daily_pattern=settings.daily.pattern,
            keep_days=settings.daily.keep_days,
            agent=runtime.agent,
            project=runtime.project,
        )
        hooks = IndexHooks(self._indexing.index_now, self._finder.notes_holding, self._indexing.digests_of)
        made = NoteServices(self._home.folder, self._ledger.services, self._home.vault(), policy, hooks)
        made.journaled.settle()
        return made
