"""Read memories, experiences and narratives by their words from the index, and see every write before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

from memoro.errors import IndexDamaged, LedgerDamaged, LedgerTooNew, StoreError
from memoro.index.mirror import all_numbers, has_seen_all, mirror, unseen
from memoro.model.experiences import passage
from memoro.model.memories import stamp
from memoro.model.vocabulary import MirroredKind
from memoro.search.item_words import NO_TEXT, ItemText, ItemWords
from memoro.store.ports import Index, IndexHome

if TYPE_CHECKING:
    from memoro.ledger.access import LedgerAccess
    from memoro.ledger.ports import Transaction

# Items that a reading may go through itself, without writing them to the index first.
_FEW = 64
# The most items that a reading goes through where the index cannot be written.
_MOST = 2000
_PATIENCE_SECONDS = 0.25  # how long it waits for another sync before it goes through many
_INCOMPLETE = "index: another process is syncing; older items are missing from this answer"

T = TypeVar("T")


class IndexSource(Protocol):
    """Where the index of a home is kept."""

    @property
    def indexes(self) -> IndexHome: ...


class ItemIndex:
    """The items of one ledger by their words."""

    def __init__(self, access: LedgerAccess, source: IndexSource) -> None:
        self._access = access
        self._source = source

    def read(
        self,
        kind: MirroredKind,
        work: Callable[[ItemWords], T],
        notices: list[str] | None = None,
        *,
        writes: bool = True,
    ) -> T:
        """Do some work with the items of a kind; `notices` gets a sentence where something is amiss.

        Changes that the index has not seen are written to it first if nobody else is syncing; otherwise, and
        without `writes` while they are few, they are read from the ledger. A damaged index is made anew.
        """
        said = notices if notices is not None else []
        try:
            return work(self._words(kind, said, writes=writes))
        except IndexDamaged as error:
            damage = error
        try:
            self._set_aside(damage, said)
            return work(self._words(kind, said, writes=writes))
        except IndexDamaged as error:
            said.append(f"index: {error}")
            return work(self._overlaid(None, kind, said))

    def _words(self, kind: MirroredKind, notices: list[str], *, writes: bool) -> ItemWords:
        """An index that cannot be opened or written is no reason to find nothing, nor to keep nothing."""
        index: Index | None = None
        with _noticed(notices):
            index = self._source.indexes.current()
        with self._access.ledger.reading() as tx:
            changed = unseen(index, tx) if index else None
            is_complete = index is not None and has_seen_all(index, tx)
            count = sum(map(len, changed.values())) if changed is not None else _count(tx)
        if not is_complete and (writes or count > _FEW):
            with _noticed(notices):
                index = self._mirrored(0.0 if count <= _FEW else _PATIENCE_SECONDS) or index
        return self._overlaid(index, kind, notices)

    def _mirrored(self, patience: float) -> Index | None:
        """The index, after it has followed the journal to its end; None while somebody else is syncing."""
        indexes = self._source.indexes
        with indexes.syncing.tried(patience) as free:
            if not free:
                return None
            index = indexes.first()
            mirror(index, self._access.ledger, index.apply, stamp(self._access.now()))
            return index

    def _overlaid(self, index: Index | None, kind: MirroredKind, notices: list[str]) -> ItemWords:
        """The words of the index, with what the ledger says about the items that it has not seen."""
        with self._access.ledger.reading() as tx:
            changed = unseen(index, tx) if index else None
            numbers: Sequence[int] = (all_numbers(tx) if changed is None else changed)[kind]
            if len(numbers) > _MOST:
                notices.append(_INCOMPLETE)
            texts = {number: _text(tx, kind, number) for number in sorted(numbers)[-_MOST:]}
        return ItemWords(index if index is not None and changed is not None else _nothing(), kind, texts)

    def _set_aside(self, damage: IndexDamaged, notices: list[str]) -> None:
        """Take a damaged index out of use: items are mirrored anew at once, and notes by the next sync."""
        indexes = self._source.indexes
        before = indexes.generation
        with indexes.syncing.held():
            if indexes.generation == before:  # else another process has repaired it
                why = indexes.is_damaged() or damage.why
                indexes.set_aside()
                notices.append(f"index: it was damaged ({why}) and is made anew")


@contextmanager
def _noticed(notices: list[str]) -> Iterator[None]:
    """Turn an error of the index into a notice, unless the index is damaged. What is wrong with the ledger passes."""
    try:
        yield
    except (IndexDamaged, LedgerDamaged, LedgerTooNew):
        raise
    except StoreError as error:
        if f"index: {error}" not in notices:
            notices.append(f"index: {error}")


def _count(tx: Transaction) -> int:
    return tx.memories.count() + tx.experiences.count() + tx.narratives.count()


def _text(tx: Transaction, kind: MirroredKind, number: int) -> ItemText:
    """What an item says now; nothing if it is gone."""
    if kind == "memory":
        memory = tx.memories.find(number)
        return ItemText(memory.content, memory.tags) if memory else NO_TEXT
    if kind == "experience":
        experience = tx.experiences.find(number)
        return ItemText(passage(experience), experience.tags) if experience else NO_TEXT
    narrative = tx.narratives.find(number)
    return ItemText(narrative.summary) if narrative else NO_TEXT


def _nothing() -> Index:
    from memoro.store.plain.index import PlainIndex

    return PlainIndex()
