"""Items: values that a framework stores by namespace and key, returned exactly as stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from memoro.model.memories import Memory

Namespace = tuple[str, ...]


class Item(NamedTuple):
    """One value of a framework. If it has text, a memory of the same number makes it findable."""

    id: int
    store: str  # the framework: "langgraph", "openai-agents"
    namespace: Namespace
    key: str
    value: str  # JSON
    created_at: str
    updated_at: str
    version: int = 1  # counts the puts, so that an undo notices a later change
    ttl: float | None = None  # minutes
    expires_at: str | None = None
    session: str | None = None


class ItemPut(NamedTuple):
    """A value to store. `says` returns the text to find it by, or None."""

    namespace: Namespace
    key: str
    value: Any | None  # None: delete it
    says: Callable[[Any], str | None] = lambda _value: None
    ttl: float | None = None  # minutes
    session: str | None = None
    tags: tuple[str, ...] = ()


def stand_in(item: Item) -> Memory:
    """Return a memory that names an item which has no memory of its own."""
    name = f"{item.store}: {' / '.join((*item.namespace, item.key))}"
    return Memory(
        id=item.id,
        content=name,
        source=item.store,
        trust="agent_inferred",
        created_at=item.created_at,
        session=item.session,
    )
