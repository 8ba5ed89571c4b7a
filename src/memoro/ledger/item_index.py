"""Read memories, experiences and narratives by their words from the index, and see every write before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from memoro.errors import IndexDamaged, LedgerDamaged, LedgerNotRecognised, LedgerTooNew, StoreError, rebuilding
from memoro.index.mirror import Numbers, all_numbers, changed_after, has_seen_all, mirror, seen_position
from memoro.model.experiences import passage
from memoro.model.memories import stamp
from memoro.model.vocabulary import MIRRORED_KINDS, MirroredKind
from memoro.search.item_words import NO_TEXT, ItemText, ItemWords, WordCounts, count_words
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


class _Followed(NamedTuple):
    """The changes of a ledger between two positions of its journal."""

    identity: str | None
    first: int
    last: int
    changed: Numbers


class _Seen(NamedTuple):
    """An index, and the items that changed after the position to which it has followed the journal."""

    by: Index | None
    changed: Numbers | None  # None: it has seen nothing of this ledger


class ItemIndex:
    """The items of one ledger by their words."""

    def __init__(self, access: LedgerAccess, source: IndexSource) -> None:
        self._access = access
        self._source = source
        self._counted: Mapping[ItemText, WordCounts] = {}  # the words of unseen items that were read last
        self._followed: _Followed | None = None

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
            with self._access.ledger.reading() as tx:
                words = self._overlaid(tx, _Seen(None, None), kind, said)
            return work(words)

    def _words(self, kind: MirroredKind, notices: list[str], *, writes: bool) -> ItemWords:
        """An index that cannot be opened or written is no reason to find nothing, nor to keep nothing."""
        index: Index | None = None
        with _noticed(notices):
            index = self._source.indexes.current()
        with self._access.ledger.reading() as tx:
            changed = self._unseen(index, tx) if index else None
            is_complete = index is not None and has_seen_all(index, tx)
            count = sum(map(len, changed.values())) if changed is not None else _count(tx)
            if is_complete or (count <= _FEW and not writes):
                return self._overlaid(tx, _Seen(index, changed), kind, notices)
        with _noticed(notices):
            index = self._mirrored(_PATIENCE_SECONDS if writes and count > _FEW else 0.0) or index
        with self._access.ledger.reading() as tx:
            return self._overlaid(tx, _Seen(index, self._unseen(index, tx) if index else None), kind, notices)

    def _unseen(self, index: Index, tx: Transaction) -> Numbers | None:
        """The items that the index has not seen. Entries of the journal that were read before are not read again."""
        first, identity, known = seen_position(index, tx), tx.meta.get("identity"), self._followed
        if first is None:
            return None
        if known is None or (known.identity, known.first) != (identity, first):
            known = _Followed(identity=identity, first=first, last=first, changed={})
        last, more = tx.journal.last(), changed_after(tx, known.last)
        changed = {kind: list(dict.fromkeys((*known.changed.get(kind, ()), *more[kind]))) for kind in MIRRORED_KINDS}
        self._followed = _Followed(identity=identity, first=first, last=last, changed=changed)
        return changed

    def _mirrored(self, patience: float) -> Index | None:
        """The index, after it has followed the journal to its end; None while somebody else is syncing."""
        indexes = self._source.indexes
        with indexes.syncing.tried(patience) as free:
            if not free:
                return None
            index = indexes.first()
            mirror(index, self._access.ledger, index.apply, stamp(self._access.now()))
            return index

    def _overlaid(self, tx: Transaction, seen: _Seen, kind: MirroredKind, notices: list[str]) -> ItemWords:
        """The words of the index, with those of the items that it has not seen, as the ledger has them."""
        numbers = (all_numbers(tx) if seen.changed is None else seen.changed)[kind]
        if len(numbers) > _MOST:
            notices.append(_INCOMPLETE)
        texts = {number: _text(tx, kind, number) for number in sorted(numbers)[-_MOST:]}
        known = seen.by if seen.by is not None and seen.changed is not None else _nothing()
        counted = {one: self._counted.get(one) or count_words(known, one) for one in texts.values()}
        self._counted = counted
        return ItemWords(known, kind, {number: counted[one] for number, one in texts.items()})

    def _set_aside(self, damage: IndexDamaged, notices: list[str]) -> None:
        """Take a damaged index out of use: items are mirrored anew at once, and notes by the next sync."""
        indexes = self._source.indexes
        before = indexes.generation
        with indexes.syncing.held():
            if indexes.generation == before:  # else another process has repaired it
                why = indexes.is_damaged() or damage.why
                indexes.set_aside()
                notices.append(f"index: {rebuilding(why)} and is made anew")


@contextmanager
def _noticed(notices: list[str]) -> Iterator[None]:
    """Turn an error of the index into a notice, unless the index is damaged. Errors of the ledger are raised."""
    try:
        yield
    except (IndexDamaged, LedgerDamaged, LedgerNotRecognised, LedgerTooNew):
        raise
    except StoreError as error:
        if f"index: {error}" not in notices:
            notices.append(f"index: {error}")


def _count(tx: Transaction) -> int:
    return tx.memories.count() + tx.experiences.count() + tx.narratives.count()


def _text(tx: Transaction, kind: MirroredKind, number: int) -> ItemText:
    """Return the present text of an item; empty if it was removed."""
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
