"""The rows of items: what frameworks keep by namespace and key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import apsw

from memoro.model.items import Item, Namespace
from memoro.store.encoding import is_number

_COLUMNS = Item._fields
_ITEM = f"SELECT {', '.join(_COLUMNS)} FROM items"


class SqliteItems:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def find(self, number: int) -> Item | None:
        row = self._db.execute(f"{_ITEM} WHERE id = ?", (number,)).fetchone() if is_number(number) else None
        return _to_item(row) if row else None

    def named(self, store: str, namespace: Namespace, key: str) -> Item | None:
        query = f"{_ITEM} WHERE store = ? AND namespace = ? AND key = ?"
        row = self._db.execute(query, (store, _labels(namespace), key)).fetchone()
        return _to_item(row) if row else None

    def below(self, store: str, prefix: Namespace, now: str, *, by_key: bool = False) -> Iterator[Item]:
        order = "key" if by_key else "updated_at DESC, id DESC"
        query = f"{_ITEM} WHERE store = ? AND (expires_at IS NULL OR expires_at > ?)"
        values: list[Any] = [store, now]
        if prefix:
            opened = _labels(prefix)[:-1]  # without the bracket: what goes on goes on with a comma
            query += " AND (namespace = ? OR (namespace > ? AND namespace < ?))"
            values += [f"{opened}]", f"{opened},", f"{opened}-"]  # the minus follows the comma
        for row in self._db.execute(f"{query} ORDER BY {order}", tuple(values)):
            yield _to_item(row)

    def namespaces(self, store: str, now: str) -> list[Namespace]:
        query = """SELECT DISTINCT namespace FROM items
                    WHERE store = ? AND (expires_at IS NULL OR expires_at > ?)"""
        return [tuple(json.loads(str(labels))) for (labels,) in self._db.execute(query, (store, now))]

    def last_key(self, store: str, namespace: Namespace) -> str | None:
        query = "SELECT max(key) FROM items WHERE store = ? AND namespace = ?"
        found: str | None = self._db.execute(query, (store, _labels(namespace))).get
        return found

    def expired(self, now: str, limit: int) -> list[int]:
        query = "SELECT id FROM items WHERE expires_at <= ? LIMIT ?"
        return [int(str(number)) for (number,) in self._db.execute(query, (now, limit))]

    def put(self, item: Item) -> None:
        marks = ", ".join("?" * len(_COLUMNS))
        values = item._replace(namespace=_labels(item.namespace))  # type: ignore[arg-type]
        self._db.execute(f"INSERT OR REPLACE INTO items ({', '.join(_COLUMNS)}) VALUES ({marks})", tuple(values))

    def keep_until(self, numbers: Sequence[int], ends: Sequence[str]) -> None:
        rows = list(zip(ends, numbers, strict=True))
        self._db.executemany("UPDATE items SET expires_at = ? WHERE id = ?", rows)
        self._db.executemany("UPDATE memories SET valid_to = ? WHERE id = ?", rows)

    def delete(self, number: int) -> None:
        self._db.execute("DELETE FROM items WHERE id = ?", (number,))

    def all(self) -> Iterator[Item]:
        for row in self._db.execute(f"{_ITEM} ORDER BY id"):
            yield _to_item(row)


def _labels(namespace: Namespace) -> str:
    return json.dumps(list(namespace), ensure_ascii=False, separators=(",", ":"))


def _to_item(row: Any) -> Item:
    item = Item(*row)
    return item._replace(namespace=tuple(json.loads(str(item.namespace))))
