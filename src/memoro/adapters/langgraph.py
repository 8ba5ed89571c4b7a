"""LangGraph's long-term memory in the ledger: a `BaseStore` whose items survive and are found by every search."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memoro.adapters import missing
from memoro.model.items import Item as Kept
from memoro.model.items import ItemPut, Namespace
from memoro.model.memories import MAX_NAME, moment
from memoro.model.notes import MEMORY
from memoro.model.output_filter import OutputFilter
from memoro.search.retrieve import MAX_CANDIDATES
from memoro.workspace import Workspace

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        PutOp,
        SearchItem,
        SearchOp,
        get_text_at_path,
        validate_op_namespace,
    )
except ImportError as error:
    raise missing("langgraph-checkpoint", "langgraph") from error

STORE = "langgraph"


class MemoroStore(BaseStore):  # type: ignore[misc]
    """`graph.compile(store=MemoroStore(m))`.

    Values are kept as JSON. `fields` are the paths that values are found by, where a put names none; by default
    all that they say. `ttl` is as LangGraph's own stores take it; what has expired is never given.
    """

    supports_ttl = True

    def __init__(self, m: Workspace, *, fields: Sequence[str] | None = None, ttl: Any = None) -> None:
        self._m = m
        self._fields = fields
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        """Reads see the store as it was before; of several puts to one key the last counts."""
        results: list[Any] = []
        puts: dict[tuple[Namespace, str], ItemPut] = {}
        for op in ops:
            validate_op_namespace(op)
            if isinstance(op, PutOp):
                puts[op.namespace, op.key] = self._put(op)
                results.append(None)
            else:
                results.append(self._filtered(self._read(op)))
        if puts:
            self._m.items.put(STORE, list(puts.values()))
        return results

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _filtered(self, found: Any) -> Any:
        """Filter what a read gives to an agent. Keys and namespaces stay: the agent names items by them."""
        filter = OutputFilter(self._m.secrets())
        for item in found if isinstance(found, list) else [found]:
            if isinstance(item, Item):
                item.value = filter.value(item.value)
        return found

    def _read(self, op: Any) -> Any:
        match op:
            case GetOp():
                return self._get(op)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)
        raise ValueError(f"Unknown operation type: {type(op)}")

    def _put(self, op: Any) -> ItemPut:
        paths = self._fields if op.index is None else op.index

        def says(value: Any) -> str | None:
            if paths is False:
                return None
            if paths is None:
                return all_that_is_said(value)
            return "\n".join(text for path in paths for text in get_text_at_path(value, path))

        value = None if op.value is None else dict(op.value)
        return ItemPut(
            namespace=op.namespace, key=op.key, value=value, says=says, ttl=op.ttl, tags=(tag_of(op.namespace),)
        )

    def _get(self, op: Any) -> Any:
        found = self._m.items.get(STORE, op.namespace, op.key)
        if found is None:
            return None
        if op.refresh_ttl:
            self._m.items.refresh([found])
        return Item(**_fields_of(found))

    def _search(self, op: Any) -> list[Any]:
        eligible = [
            item
            for item in self._m.items.below(STORE, op.namespace_prefix)
            if not op.filter or matches(json.loads(item.value), op.filter)
        ]
        scores = self._scores(op) if op.query and eligible else {}
        if scores:  # what no query finds comes last: it is eligible all the same
            eligible.sort(key=lambda item: -scores.get(item.id, -1.0))
        found = eligible[op.offset : op.offset + op.limit]
        if op.refresh_ttl:
            self._m.items.refresh(found)
        return [SearchItem(**_fields_of(item), score=scores.get(item.id)) for item in found]

    def _scores(self, op: Any) -> Mapping[int, float]:
        answer = self._m.search(op.query, kind="memory", tag=tag_of(op.namespace_prefix), limit=MAX_CANDIDATES)
        return {int(hit.path.removeprefix(MEMORY)): hit.score for hit in answer.results}

    def _namespaces(self, op: Any) -> list[Namespace]:
        found = [
            namespace
            for namespace in self._m.items.namespaces(STORE)
            if all(_fits(condition, namespace) for condition in op.match_conditions or ())
        ]
        if op.max_depth is not None:
            found = sorted({namespace[: op.max_depth] for namespace in found})
        return found[op.offset : op.offset + op.limit]


def all_that_is_said(value: Any) -> str:
    """Every text and number of a value on a line of its own, under its name unless it is the only one."""
    lines = list(_leaves(value, ""))
    return lines[0][1] if len(lines) == 1 else "\n".join(f"{name}: {text}" if name else text for name, text in lines)


def _leaves(value: Any, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, name)
    elif value is not None and str(value).strip():
        yield name, str(value)


def tag_of(namespace: Namespace) -> str:
    """The tag of the items in a namespace, and of those below it."""
    labels = (" ".join(label.replace("/", " ").split()) or "_" for label in namespace)
    return "/".join((STORE, *labels))[:MAX_NAME].rstrip("/ ")


def matches(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return true if a value matches a filter: equal values, or what its operators demand."""
    return all(_agrees(value.get(name), one) for name, one in wanted.items())


def _agrees(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        if any(name.startswith("$") for name in wanted):
            return all(_compares(value, operator, other) for operator, other in wanted.items())
        return isinstance(value, dict) and matches(value, wanted)
    if isinstance(wanted, (list, tuple)):
        return isinstance(value, list) and len(value) == len(wanted) and all(map(_agrees, value, wanted))
    return bool(value == wanted)


def _compares(value: Any, operator: str, other: Any) -> bool:
    """Compare a value. Values that cannot be compared do not match: one odd item must not end the search."""
    match operator:
        case "$eq":
            return bool(value == other)
        case "$ne":
            return bool(value != other)
        case "$gt" | "$gte" | "$lt" | "$lte":
            try:
                one, two = float(value), float(other)
            except (TypeError, ValueError):
                return False
            return {"$gt": one > two, "$gte": one >= two, "$lt": one < two, "$lte": one <= two}[operator]
    raise ValueError(f"Unsupported operator: {operator}")


def _fits(condition: Any, namespace: Namespace) -> bool:
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    if condition.match_type == "prefix":
        part = namespace[: len(path)]
    elif condition.match_type == "suffix":
        part = namespace[len(namespace) - len(path) :]
    else:
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))


def _fields_of(item: Kept) -> dict[str, Any]:
    return {
        "namespace": item.namespace,
        "key": item.key,
        "value": json.loads(item.value),
        "created_at": moment(item.created_at),
        "updated_at": moment(item.updated_at),
    }
