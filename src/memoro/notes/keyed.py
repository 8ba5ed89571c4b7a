"""Idempotency keys of writes to notes: done once for one key, whenever a process dies."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic

from memoro.ledger.access import Once
from memoro.model.results import N
from memoro.notes.journaled_writer import is_known

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction
    from memoro.notes.journaled_writer import Done, JournaledWriter


class DoneMeanwhile(Exception):
    """Another process has done the write of this key since it was looked for."""


class KeyedWrite(Generic[N]):
    """One write to a note under a key.

    The key is kept in the transaction that notes what is about to be written. A key whose entry has left the
    journal stands for a write that a crash kept from happening: it is to be done again.
    """

    def __init__(self, journaled: JournaledWriter, once: Once[N]) -> None:
        self._journaled = journaled
        self._once: Once[N] = once
        self._made: Callable[[int], N]
        self._own: set[int] = set()  # entries of this process's attempts

    def run(self, write: Callable[[], Done], made: Callable[[int], N]) -> N:
        """Return the first result for the key; else write, and keep what `made` makes of the journal's entry.

        `write` hands `keep` to the writer of notes.
        """
        if (first := self.first()) is not None:
            return first
        self._made = made
        try:
            done = write()
        except DoneMeanwhile:
            return self.first() or self.run(write, made)
        if done.entry or self._once.key is None:
            return made(done.entry)
        return self._journaled.access.once(self._once, lambda _tx: made(0))  # it stood there already

    def first(self) -> N | None:
        """Return the result of the write with this key that was done before."""
        kept = self._journaled.access.done(self._once)
        return kept if kept is not None and self._journaled.has_happened(kept.change) else None

    def keep(self, tx: Transaction, entry: int) -> None:
        """Keep the key with the entry of a write that is about to happen."""
        access = self._journaled.access
        kept = access.kept(tx, self._once)
        if kept and kept.change not in self._own and (not kept.change or is_known(tx, kept.change)):
            raise DoneMeanwhile
        self._own.add(entry)
        access.keep(tx, self._once, self._made(entry))
