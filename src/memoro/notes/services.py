"""All that writes into the vault of one home, put together."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

from memoro.curate.reviewing.apply import NoteAppliers, make_applier
from memoro.curate.reviewing.review import ProposalReview
from memoro.ledger.proposals import ProposalQueue
from memoro.ledger.services import LedgerServices
from memoro.notes.daily import Daily
from memoro.notes.derived_lines import DerivedLines
from memoro.notes.dropped_lines import HINT
from memoro.notes.entries import Asking, Entries
from memoro.notes.entry_files import EntryFiles
from memoro.notes.entry_moves import EntryMoves
from memoro.notes.episodes import Episodes
from memoro.notes.feedback_files import FeedbackFiles
from memoro.notes.files import Files
from memoro.notes.forget import EntryForgetting
from memoro.notes.journaled_writer import JournaledWriter
from memoro.notes.note_locks import NoteLocks
from memoro.notes.old_days import OldDays
from memoro.notes.putting_back import PuttingBack
from memoro.vault.daily_place import DailyPlace
from memoro.vault.files import VaultFiles
from memoro.vault.writer import VaultWriter


class WritePolicy(NamedTuple):
    """For whom notes are written, and how the owner wants it done."""

    agents_write: bool  # as persons do, without asking
    daily_place: Callable[[], DailyPlace]
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
        self._hint = os.path.join(home, HINT)
        writer = VaultWriter(vault, NoteLocks(home).held)
        self.journaled = JournaledWriter(services.access, writer, policy.agent, hooks.changed, self._hint_at_lines)
        entries = EntryFiles(self.journaled, lambda: vault.list().files, hooks.holding)
        self.daily = Daily(self.journaled, policy.daily_place)
        self.daily.project = policy.project
        self.old_days = OldDays(self.journaled, policy.daily_place, lambda: vault.list().files, policy.keep_days)
        self.journaled.before_write = self.old_days.archive_if_due
        self.files = Files(self.journaled, direct=policy.agents_write)
        self.feedback = FeedbackFiles(self.journaled, vault.entries)
        appliers = NoteAppliers(
            entries=entries,
            daily=self.daily,
            notes=self.files,
            putting_back=PuttingBack(self.journaled, entries),
            moves=EntryMoves(self.journaled, entries),
            feedback=self.feedback,
        )
        applier = make_applier(services, lambda: appliers)
        self.proposals = ProposalReview(ProposalQueue(services.access, services.owner), applier)
        self.entries = Entries(services.access, entries, Asking(self.proposals, policy.agents_write))
        self.episodes = Episodes(self.journaled, self.daily, policy.agent, policy.project)
        self.derived = DerivedLines(
            self.journaled, lambda: [*vault.list().files, *self.feedback.paths()], hooks.digests
        )
        self.forgetting = EntryForgetting(
            self.journaled, entries, services.forgetting, hooks.digests, services.backups.holding_bytes
        )

    def _hint_at_lines(self) -> None:
        os.close(os.open(self._hint, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
