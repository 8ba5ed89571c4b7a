"""How far the vectors of an index reach in a space. The index itself keeps this, in its meta values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoro.store.ports import Index

if TYPE_CHECKING:
    from memoro.providers.ports import Embedder

GONE = "gone"  # how many chunks have ever left the index; `Index.apply` counts them
_DROPPED = "dropped"
EVERYTHING = "everything"  # what may be sent, where nothing is kept at home


def settled(index: Index, space: str) -> int:
    """Return the highest chunk number up to which every chunk has its vector in the space, if it can have one."""
    return int(index.get_meta(settled_key(space)) or 0)


def is_complete(index: Index, space: str) -> bool:
    return not index.texts_after(settled(index, space), 1)


def filled(index: Index, space: str) -> float:
    """Return the share of the chunks, 0–1, that are settled in the space."""
    chunks = index.counts().chunks
    return 1 - index.count_after(settled(index, space)) / chunks if chunks else 1.0


def fullest(index: Index, embedders: Sequence[Embedder]) -> Embedder:
    """Return the embedder in whose space the most chunks are settled; the first of equals."""
    return max(embedders, key=lambda one: settled(index, str(one.space)))


def drops(index: Index) -> int:
    """Return how often a space has been dropped. A reader that sees it change has searched what may be gone."""
    return int(index.get_meta(_DROPPED) or 0)


def forget_progress(index: Index, space: str) -> None:
    """Say that nothing is settled in the space, and count that as a drop."""
    index.put_meta({settled_key(space): None, erased_key(space): None, _DROPPED: str(drops(index) + 1)})


def settled_key(space: str) -> str:
    return f"embedded/{space}"


def erased_key(space: str) -> str:
    """Return how many of the chunks that are gone have been erased from the space."""
    return f"erased/{space}"


def sendable(index: Index, space: str) -> str:
    """Return the rules about what may be sent by which the space was filled."""
    return index.get_meta(sendable_key(space)) or EVERYTHING


def sendable_key(space: str) -> str:
    return f"sendable/{space}"
