"""Tell which passages a session holds by its items."""

from __future__ import annotations

from collections.abc import Iterable

from memoro.model.recall import RecalledItem


def passages(items: Iterable[RecalledItem]) -> frozenset[str]:
    """The ids of all passages that the items are made of."""
    return frozenset(id for item in items for id in (item.id, *item.passages))


def is_loaded(item: RecalledItem) -> bool:
    """Return whether the item is an always-loaded note, not a search result."""
    return item.kind == "note" and item.id.startswith(f"{item.path}:")
