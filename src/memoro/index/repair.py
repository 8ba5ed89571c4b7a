"""Repairing an index that turns out to be damaged while it is read, and saying so in the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

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

    For the holder of the sync lock, who lets `update.vectors` fill what is missing after releasing it.
    """
    indexes = update.indexes
    why = None if isinstance(damage, VectorsDamaged) else indexes.is_damaged()
    if why is None:
        try:
            work(current(indexes))
            return []
        except VectorsDamaged as error:
            if update.vectors is not None:
                update.vectors.mend(error)
            return vector_notices(error.why)
        except IndexDamaged as error:
            why = indexes.is_damaged() or error.why
    return repair_notices(update.run(vault, options, why))
