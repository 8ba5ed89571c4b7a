"""All that writes into the vault of one home, put together."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from typing import NamedTuple

from memoro.curate.apply import ProposalApplier
from memoro.curate.review import ProposalReview
from memoro.ledger.proposals import ProposalQueue
from memoro.ledger.services import LedgerServices
from memoro.notes.daily import Daily
from memoro.notes.entries import Asking, Entries
from memoro.notes.entry_files import EntryFiles
from memoro.notes.episodes import Episodes
from memoro.notes.files import Files
from memoro.notes.forget import EntryForgetting
from memoro.notes.journaled_writer import JournaledWriter
from memoro.store.lock import KernelLock
from memoro.vault.files import VaultFiles
from memoro.vault.writer import VaultWriter

_LOCKS = 64  # two notes that share one wait for each other now and then, and nothing more


# While this file is in the home, lines are looked after or a write is under way: a sync then opens the ledger,
# and else saves the time.
HINT = "lines.waiting"


class WritePolicy(NamedTuple):
    """For whom notes are written, and how the owner wants it done."""

    agents_write: bool  # as persons do, without asking
    daily_folder: str
    daily_pattern: str
    keep_days: int | None
    agent: str | None = None
    project: str | None = None


class IndexHooks(NamedTuple):
    """The functions of the index that writing notes calls."""

    changed: Callable[[Sequence[str]], None]  # these notes were written: make them findable
    holding: Callable[[str], Sequence[str]]  # the notes that hold a word
    digests: Callable[[str], Sequence[str]]  # of the passages of a note


class NoteServices:
    def __init__(
        self,
        home: str,
        services: LedgerServices,
        vault: VaultFiles,
        policy: WritePolicy,
        hooks: IndexHooks,
    ) -> None:
        self._locks = os.path.join(home, "locks")
        os.makedirs(self._locks, mode=0o700, exist_ok=True)
        self._hint = os.path.join(home, HINT)
        self.journaled = JournaledWriter(
            services.access, VaultWriter(vault, self._locked), policy.agent, hooks.changed, self._hint_at_lines
        )
        entries = EntryFiles(self.journaled, lambda: vault.list().files, hooks.holding)
        self.daily = Daily(
            self.journaled, policy.daily_folder, policy.daily_pattern, lambda: vault.list().files, policy.keep_days
        )
        self.daily.project = policy.project
        self.files = Files(self.journaled, direct=policy.agents_write)
        applier = ProposalApplier(entries=entries, daily=self.daily, notes=self.files, memories=services.memories)
        self.proposals = ProposalReview(ProposalQueue(services.access, policy.agent), applier)
        self.entries = Entries(services.access, entries, Asking(self.proposals, policy.agents_write))
        self.episodes = Episodes(self.journaled, self.daily, policy.agent, policy.project)
        self.forgetting = EntryForgetting(
            self.journaled, entries, services.forgetting, hooks.digests, services.backups.holding_bytes
        )

    def _locked(self, *paths: str) -> AbstractContextManager[object]:
        """Alone with these notes, among our own processes; always taken in one order."""
        numbers = {hashlib.sha256(p.casefold().encode("utf-8", "replace")).digest()[0] % _LOCKS for p in paths}
        stack = ExitStack()
        for number in sorted(numbers):
            stack.enter_context(KernelLock(os.path.join(self._locks, f"note.{number:02}.lock")).held())
        return stack

    def _hint_at_lines(self) -> None:
        os.close(os.open(self._hint, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))

    def forget_hint_if_done(self) -> None:
        with self.journaled.access.ledger.reading() as tx:
            if tx.lines.all():
                return
        with self.journaled.access.ledger.writing() as tx:  # no line can come to be looked after meanwhile
            if not tx.lines.all() and not tx.pending.all():
                with suppress(FileNotFoundError):
                    os.unlink(self._hint)
