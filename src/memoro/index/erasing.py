"""Erasing from the index, the vectors and their cache what was forgotten."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

from memoro.errors import IndexDamaged, StorageFull
from memoro.home_context import HomeContext
from memoro.store.changes import Drop
from memoro.store.ports import Index, IndexHome


def erase(home: HomeContext, indexes: IndexHome, paths: Sequence[str], digests: Sequence[str]) -> None:
    """Leave no trace of memories and experiences, by their paths, and of texts, by their digests."""
    from memoro.index.space_vectors import forget_texts  # brings numpy

    with indexes.syncing.held():
        try:
            _scrub(indexes, indexes.first(), paths)  # `first` sweeps what a broken-off rebuild has left
        except (IndexDamaged, StorageFull):  # the next sync makes it anew, without them
            indexes.set_aside()
        _remove(home.file("index.damaged"))
        forget_texts(indexes, digests)
        _remove(home.file("embeddings.damaged"))


def _scrub(indexes: IndexHome, index: Index, paths: Sequence[str]) -> None:
    from memoro.index.space_vectors import scrub

    index.apply([Drop(path) for path in paths])
    scrub(indexes, index)
    index.scrub()


def _remove(file: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(file)
