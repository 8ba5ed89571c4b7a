"""The services that write into the vault, made when something first needs them."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from memoro.errors import MemoroError, StoreUnavailable
from memoro.home_context import HomeContext

if TYPE_CHECKING:
    from memoro.curate.gating.gate import LoadedFiles, ProposalGate
    from memoro.curate.reviewing.review import ProposalReview
    from memoro.index.indexing import Indexing
    from memoro.ledger.lazy import LazyLedger
    from memoro.model.derivation import DerivedLine
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

    @property
    def proposals(self) -> ProposalReview:
        """The proposals of the home. Without a vault, those about memories can still be decided."""
        from memoro.curate.reviewing.apply import make_applier
        from memoro.curate.reviewing.review import ProposalReview
        from memoro.ledger.proposals import ProposalQueue

        if self._home.settings.vault.path is not None and not self._home.in_memory:
            return self.services.proposals
        ledger = self._ledger.services

        def no_vault() -> NoReturn:
            self._home.vault()  # raises
            raise StoreUnavailable("A home in memory keeps no journal, so notes are not written from it.")

        return ProposalReview(ProposalQueue(ledger.access, ledger.owner), make_applier(ledger, no_vault))

    @property
    def gate(self) -> ProposalGate:
        """The gate that every automatic suggestion passes before it waits for a person."""
        from memoro.curate.gating.gate import GateSources, ProposalGate
        from memoro.ledger.proposals import ProposalQueue

        ledger = self._ledger.services
        sources = GateSources(
            per_round=self._home.settings.curate.proposals_per_round,
            files=self._loaded_files,
            is_vault_of=self._home.is_project_of_vault,
        )
        return ProposalGate(ProposalQueue(ledger.access, ledger.owner), ledger.access, ledger.owner, sources)

    def _loaded_files(self) -> LoadedFiles:
        from memoro.curate.gating.gate import NO_FILES
        from memoro.curate.gating.loaded_files import read_loaded_files

        chosen = self._home.settings.curate
        if self._home.settings.vault.path is None or self._home.in_memory:
            return NO_FILES
        return read_loaded_files(
            self._home.vault(), {"semantic": chosen.memory_tokens, "procedural": chosen.rules_tokens}
        )

    def revert(self, entry: JournalEntry) -> None:
        """Take back what a change wrote into the vault."""
        self.services.journaled.revert(entry)

    def has_happened(self, entry: int) -> bool:
        """Tell whether a write of the journal got into the vault."""
        return self.services.journaled.has_happened(entry)

    def copies_of(self, texts: Sequence[str]) -> Sequence[DerivedLine]:
        """Find the lines of notes that hooks and agents made from one of these texts."""
        has_notes = self._home.settings.vault.path is not None and not self._home.in_memory
        return self.services.derived.find(texts) if has_notes else ()

    def forget_copies(self, lines: Sequence[DerivedLine]) -> None:
        """Erase the lines from their notes and from history. The caller completes the forgetting."""
        self.services.derived.forget(lines)

    def propose_dropped_lines(self) -> None:
        """Let lines wait as proposals that a save of an older version may have dropped. Never writes to the vault."""
        from memoro.notes.dropped_lines import DroppedLines

        DroppedLines(self._home.folder, self._ledger.services.access, self._home.vault()).propose()

    def propose_dropped_lines_if_any(self) -> None:
        """Do the same, if any line is watched. A home that cannot be written answers without it."""
        from memoro.notes.dropped_lines import HINT

        if os.path.exists(self._home.file(HINT)):
            with suppress(MemoroError):
                self.propose_dropped_lines()

    def archive_old_days(self) -> list[str]:
        """Move daily notes that are older than `daily.keep_days`, if that is due; returns their new paths."""
        settings = self._home.settings
        if settings.daily.keep_days is None or settings.vault.path is None or self._home.in_memory:
            return []
        return self.services.old_days.archive_if_due()

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
            daily_place=self._home.daily_place,
            keep_days=settings.daily.keep_days,
            agent=runtime.author,
            project=runtime.project,
        )
        hooks = IndexHooks(self._indexing.index_now, self._finder.notes_holding, self._indexing.digests_of)
        return NoteServices(self._home.folder, self._ledger.services, self._home.vault(), policy, hooks)
