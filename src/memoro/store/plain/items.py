"""Items of a plain ledger."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memoro.model.items import Item, Namespace
from memoro.store.plain.tables import Tables


class PlainItems:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._rows = tables.items

    def find(self, number: int) -> Item | None:
        return self._rows.get(number)

    def named(self, store: str, namespace: Namespace, key: str) -> Item | None:
        return next((one for one in self.all() if _name(one) == (store, namespace, key)), None)

    def below(self, store: str, prefix: Namespace, now: str, *, by_key: bool = False) -> Iterator[Item]:
        found = [one for one in self._present(store, now) if one.namespace[: len(prefix)] == prefix]
        if by_key:
            yield from sorted(found, key=lambda one: one.key)
        else:
            yield from sorted(found, key=lambda one: (one.updated_at, one.id), reverse=True)

    def namespaces(self, store: str, now: str) -> list[Namespace]:
        return list(dict.fromkeys(one.namespace for one in self._present(store, now)))

    def _present(self, store: str, now: str) -> Iterator[Item]:
        return (one for one in self.all() if one.store == store and (one.expires_at is None or one.expires_at > now))

    def last_key(self, store: str, namespace: Namespace) -> str | None:
        keys = (one.key for one in self.all() if (one.store, one.namespace) == (store, namespace))
        return max(keys, default=None)

    def expired(self, now: str, limit: int) -> list[int]:
        return [one.id for one in self.all() if one.expires_at is not None and one.expires_at <= now][:limit]

    def all(self) -> Iterator[Item]:
        return (item for _, item in sorted(self._rows.items()))

    def put(self, item: Item) -> None:
        same = self.named(item.store, item.namespace, item.key)
        if same:
            del self._rows[same.id]
        self._rows[item.id] = item

    def keep_until(self, numbers: Sequence[int], ends: Sequence[str]) -> None:
        for number, end in zip(numbers, ends, strict=True):
            if number in self._rows:
                self._rows[number] = self._rows[number]._replace(expires_at=end)
            if memory := self._tables.memories.get(number):
                self._tables.memories[number] = memory._replace(valid_to=end)

    def delete(self, number: int) -> None:
        self._rows.pop(number, None)


def _name(item: Item) -> tuple[str, Namespace, str]:
    return item.store, item.namespace, item.key
