"""What a session was given: not to be given again."""

from __future__ import annotations

from collections.abc import Iterable

from memoro.model.recall import RecalledItem


def passages(items: Iterable[RecalledItem]) -> frozenset[str]:
    """The ids of all passages that the items are made of."""
    return frozenset(id for item in items for id in (item.id, *item.passages))


def is_loaded(item: RecalledItem) -> bool:
    """Whether it is a note that was loaded, and not something that was found."""
    return item.kind == "note" and item.id.startswith(f"{item.path}:")
