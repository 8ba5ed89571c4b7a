"""The ledger of which a backup was made, as its manifest tells: a file of the home, or one that people share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from memoro.errors import StoreError
from memoro.model.ledger import SharedLineage

BEFORE_MOVE = "before a move"  # the reason of backups of the files that a move leaves
_KEY = "shared"


def manifest_of(lineage: SharedLineage | None) -> dict[str, Any]:
    """The part of a manifest that tells of which ledger a backup is."""
    if lineage is None:
        return {_KEY: None}
    return {_KEY: {"tenant": lineage.tenant, "identities": sorted(lineage.identities)}}


def is_of(lineage: SharedLineage, manifest: Mapping[str, Any], identity: Callable[[], str | None]) -> bool:
    """Return whether a backup was made of this shared ledger. `identity` reads that of the ledger in the backup.

    One of a file of the home is not, also where that file was moved to the tenant: others may have written since.
    """
    try:
        if _KEY not in manifest:  # an earlier version wrote it
            is_copy = manifest["why"] != BEFORE_MOVE and "ledger" in manifest["rows"]
            return is_copy and identity() in lineage.identities
        shared = manifest[_KEY]
        if shared is None or shared["tenant"] != lineage.tenant:
            return False
        return not lineage.identities.isdisjoint(shared["identities"])
    except (KeyError, TypeError, StoreError):
        return False  # it cannot be told
