"""Tell which passages a session holds by its items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memoro.model.recall import RecalledItem
from memoro.model.sessions import HeldContext


def passages(items: Iterable[RecalledItem]) -> frozenset[str]:
    """The ids of all passages that the items are made of."""
    return frozenset(id for item in items for id in (item.id, *item.passages))


def is_loaded(item: RecalledItem) -> bool:
    """Return whether the item is an always-loaded note, not a search result."""
    return item.kind == "note" and item.id.startswith(f"{item.path}:")


def held_by(items: Sequence[RecalledItem], *, is_cut: bool) -> HeldContext:
    """Return what a conversation holds by these items. If they are cut, a passage is held as far as it was given.

    What is kept in the ledger is one thing, which is held whole; so is an item whose text was forgotten.
    """
    loaded: dict[str, tuple[str, ...]] = {}
    parts: dict[str, tuple[str, ...]] = {}
    for item in items:
        if is_loaded(item):
            loaded[item.path] = (*loaded.get(item.path, ()), item.text)
        elif is_cut and item.text and item.kind in ("note", "transcript"):
            parts |= {id: (*parts.get(id, ()), item.text) for id in passages([item])}
    return HeldContext(passages(items), loaded, parts)
