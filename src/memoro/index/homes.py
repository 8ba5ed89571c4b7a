"""The index homes that are open in this process, each once, and whether one has an index to answer from."""

from __future__ import annotations

import os
import threading

from memoro.errors import IndexDamaged, IndexOutdated, StoreUnavailable
from memoro.model.home import IN_MEMORY
from memoro.store.opening import open_indexes
from memoro.store.ports import Index, IndexHome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memoro.index.freshness import Freshness


class OpenIndexHomes:
    """Counts the users of each index home; the last one closes it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, tuple[IndexHome, int]] = {}

    def take(self, home: str) -> IndexHome:
        key = home if home == IN_MEMORY else os.path.realpath(home)
        with self._lock:
            indexes, users = self._open.get(key, (None, 0))
            if indexes is None:
                indexes = open_indexes(home)
            if home != IN_MEMORY:
                self._open[key] = (indexes, users + 1)
            return indexes

    def release(self, home: str) -> None:
        key = os.path.realpath(home)
        with self._lock:
            if key not in self._open:
                return
            indexes, users = self._open.pop(key)
            if users > 1:
                self._open[key] = (indexes, users - 1)
            else:
                indexes.close()


OPEN = OpenIndexHomes()
# The homes whose folders this process watches, by their real paths.
WATCHED: dict[str, Freshness] = {}


def is_ready(indexes: IndexHome | None) -> bool:
    try:
        index = indexes.current() if indexes else None
        return index is not None and index.get_meta("synced_at") is not None
    except IndexDamaged:
        return False


def of_this_version(indexes: IndexHome | None) -> Index | None:
    """The current index; None where there is none yet, or where an earlier version wrote it.

    For reading without a rebuild; `why_outdated` tells the two apart.
    """
    try:
        return indexes.current() if indexes else None
    except IndexOutdated:
        return None


def why_outdated(indexes: IndexHome | None) -> str | None:
    """A sentence about an index that an earlier version wrote; None where this version can read it."""
    try:
        if indexes is not None:
            indexes.current()
    except IndexOutdated as error:
        return str(error)
    return None


def mirrored(indexes: IndexHome) -> Index:
    """The index to find items of the ledger in, which may not have seen any note yet; raises where there is none."""
    index = indexes.current()
    if index is None:
        raise StoreUnavailable("There is no index yet. `memoro sync` makes it.")
    return index


def current(indexes: IndexHome) -> Index:
    """The index to answer from; raises where there is none, or one that somebody has begun to fill."""
    index = indexes.current()
    if index is None or index.get_meta("synced_at") is None:
        raise StoreUnavailable("The index is being rebuilt. Run the command again.")
    return index
