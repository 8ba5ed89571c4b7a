"""Whether a home has an index to answer from."""

from __future__ import annotations

from memoro.errors import IndexDamaged, StoreUnavailable
from memoro.store.ports import Index, IndexHome


def is_ready(indexes: IndexHome | None) -> bool:
    try:
        index = indexes.current() if indexes else None
        return index is not None and index.get_meta("synced_at") is not None
    except IndexDamaged:
        return False


def current(indexes: IndexHome) -> Index:
    """The index to answer from; raises where there is none, or one that somebody has begun to fill."""
    index = indexes.current()
    if index is None or index.get_meta("synced_at") is None:
        raise StoreUnavailable("The index is being made anew at this moment. Run the command again.")
    return index
