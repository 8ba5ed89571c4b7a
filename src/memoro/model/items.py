"""Items: what a framework keeps by namespace and key, exactly as it gave it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from memoro.model.memories import Memory

Namespace = tuple[str, ...]


class Item(NamedTuple):
    """One value of a framework. Where it says something, it is found as the memory of the same number."""

    id: int
    store: str  # whose it is: "langgraph", "openai-agents"
    namespace: Namespace
    key: str
    value: str  # JSON
    created_at: str
    updated_at: str
    version: int = 1  # how often it was put: tells an undo whether somebody has changed it since
    ttl: float | None = None  # minutes
    expires_at: str | None = None
    session: str | None = None


class Put(NamedTuple):
    """What is to be kept. `says` gives the text that a value is found by, or None."""

    namespace: Namespace
    key: str
    value: Any | None  # None: delete it
    says: Callable[[Any], str | None] = lambda _value: None
    ttl: float | None = None  # minutes
    session: str | None = None
    tags: tuple[str, ...] = ()


def stand_in(item: Item) -> Memory:
    """A memory that names an item, for one that is found as none."""
    name = f"{item.store}: {' / '.join((*item.namespace, item.key))}"
    return Memory(item.id, name, item.store, "agent_inferred", item.created_at, session=item.session)


def as_item(fields: Mapping[str, Any]) -> Item:
    """An item from its fields as JSON has them."""
    return Item(**{**fields, "namespace": tuple(fields["namespace"])})
