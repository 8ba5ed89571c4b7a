"""Repairing an index that turns out to be damaged while it is read, and saying so in the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from memoro import spaces
from memoro.errors import IndexDamaged, VectorsDamaged
from memoro.index.homes import current
from memoro.index.report import Options, repair_notices, vector_notices
from memoro.index.update import IndexUpdate
from memoro.store.ports import Index
from memoro.vault.files import VaultFiles

T = TypeVar("T")
Work = Callable[[Index], T]


def repair(
    update: IndexUpdate, damage: IndexDamaged, work: Work[T], vault: VaultFiles | None, options: Options
) -> list[str]:
    """Look again, with nobody syncing, and repair what is still damaged; returns notices for the answer.

    For the holder of the sync lock.
    """
    indexes = update.indexes
    why = None if isinstance(damage, VectorsDamaged) else indexes.is_damaged()
    if why is None:
        try:
            work(current(indexes))
            return []
        except VectorsDamaged as error:
            return _repair_vectors(update, error)
        except IndexDamaged as error:
            why = indexes.is_damaged() or error.why
    return repair_notices(update.run(vault, options, why))


def _repair_vectors(update: IndexUpdate, damage: VectorsDamaged) -> list[str]:
    """Fill them anew, as far as a search may wait for that; the next syncs do the rest."""
    upkeep = spaces.upkeep(current(update.indexes), update.indexes, update.home.settings.embedding, whole=False)
    upkeep.forget(damage)
    upkeep.complete()
    return vector_notices(damage.why)
