"""Lines of Memoro that a save of an older version may have dropped: each waits as a proposal, "put back?".

A sync and `memoro proposals` look for them: they read the vault and write to the ledger. Only `accept` writes a note.
`model/watched_lines.py` holds the rule that tells a dropped line from a deleted one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import MemoroError, NoteNotFound
from memoro.ledger.access import LedgerAccess, Owner
from memoro.ledger.proposals import ProposalQueue
from memoro.model.ledger import WatchedLine
from memoro.model.memories import moment
from memoro.model.proposals import PutBackLines, Suggestion
from memoro.model.watched_lines import SEEN_AFTER_SECONDS, Judgement, judge
from memoro.notes.note_locks import NoteLocks
from memoro.notes.pending_writes import PendingWrites
from memoro.vault.files import VaultFiles

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

BY = "sync"
DAYS = 7  # a proposal waits this long
# A save that dropped more lines than this gets one proposal for all of them: nobody wants to decide on fifty.
MAX_PROPOSALS_A_SAVE = 5
_QUIET_SECONDS = 2.0  # where the system cannot tell whether a program writes the note

# While this file is in the home, lines are watched or a write is under way: a sync then opens the ledger, and
# otherwise saves the time.
HINT = "lines.waiting"


class DroppedLines(NamedTuple):
    """Looks for dropped lines in the notes of one home."""

    home: str
    access: LedgerAccess
    vault: VaultFiles

    def propose(self) -> None:
        """Let every line wait as a proposal that a save of an older version may have dropped since the last call."""
        PendingWrites(self.access, self._read).settle()
        with self.access.ledger.reading() as tx:
            paths = dict.fromkeys(one.path for one in tx.lines.all())
        for path in paths:
            with suppress(MemoroError):  # a note that cannot be read keeps no other from being looked at
                self._look_at(path)
        self._forget_hint_if_done()

    def _look_at(self, path: str) -> None:
        with self.access.ledger.reading() as tx:
            lines = tx.lines.in_note(path)
            if _is_under_way(tx, path):
                return
            old = self._added_long_ago(tx, lines)
        content = self.vault.read_if_quiet(path, _QUIET_SECONDS, now=time.time())
        found = judge(lines, content, old)
        if found == Judgement():
            return
        with self.access.ledger.writing() as tx:
            # Another process of ours may have written the note since it was read.
            if tx.lines.in_note(path) == lines and not _is_under_way(tx, path):
                for one in (*found.released, *found.dropped):
                    tx.lines.unwatch(one.entry)
                self._add_proposals(tx, path, found.dropped)

    def _add_proposals(self, tx: Transaction, path: str, dropped: Sequence[WatchedLine]) -> None:
        queue = ProposalQueue(self.access, Owner(None, None))
        together = len(dropped) > MAX_PROPOSALS_A_SAVE
        groups = [tuple(dropped)] if together else [(one,) for one in dropped]
        for group in groups:
            change = PutBackLines(
                path, lines=tuple(one.line for one in group), changes=tuple(one.entry for one in group)
            )
            queue.add(tx, Suggestion(change, origin="tidy", waits=timedelta(days=DAYS)), by=BY)

    def _added_long_ago(self, tx: Transaction, lines: Sequence[WatchedLine]) -> set[int]:
        until = self.access.now() - timedelta(seconds=SEEN_AFTER_SECONDS)
        # In the order in which they were added: a note may have thousands, and nearly all of them are young.
        old = takewhile(lambda one: moment(tx.journal.get(one.entry).at) <= until, lines)
        return {one.entry for one in old}

    def _read(self, path: str) -> bytes | None:
        with NoteLocks(self.home).held(path):
            try:
                return self.vault.read(path).data
            except NoteNotFound:
                return None

    def _forget_hint_if_done(self) -> None:
        with self.access.ledger.reading() as tx:
            if tx.lines.all():
                return
        with self.access.ledger.writing() as tx:  # no line can come to be watched meanwhile
            if not tx.lines.all() and not tx.pending.all():
                with suppress(OSError):
                    os.unlink(os.path.join(self.home, HINT))


def _is_under_way(tx: Transaction, path: str) -> bool:
    return any(tx.journal.get(entry).item == path for entry in tx.pending.all())
