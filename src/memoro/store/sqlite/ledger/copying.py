"""The rows of a ledger that its operations never list whole, for carrying a ledger to another home."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

import apsw

from memoro.model.journal import Entry, Fields

_NUMBERED = ("journal", "memories", "narratives", "experiences")
# What was written into notes stays behind: it is undone with bytes that this home keeps, in this home's vault.
_ENTRY = """SELECT id, at, operation, actor, kind, item, before, after, undoes, undone_by, agent FROM journal
             WHERE kind <> 'note' ORDER BY id"""
_TABLES = (
    "memories",
    "journal",
    "keys",
    "given",
    "links",
    "narratives",
    "rests_on",
    "forgotten",
    "experiences",
    "items",
)


class Given(NamedTuple):
    """A memory that a session was given in one of its answers."""

    session: str
    answer: int
    memory: int
    at: str
    reinforced: bool


class Key(NamedTuple):
    """An idempotency key and what it stands for; digests in hexadecimal."""

    key: str
    request: str
    result: Fields
    at: str


class Forgotten(NamedTuple):
    digest: str
    at: str


class Copying:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def is_empty(self) -> bool:
        return not any(self._db.execute(f"SELECT 1 FROM {table} LIMIT 1").get for table in _TABLES)

    def sequences(self) -> dict[str, int]:
        """The highest number that was ever given in each table: none is given twice."""
        rows = cast(Any, self._db.execute("SELECT name, seq FROM sqlite_sequence"))
        return dict.fromkeys(_NUMBERED, 0) | {name: seq for name, seq in rows if name in _NUMBERED}

    def put_sequences(self, sequences: Mapping[str, int]) -> None:
        for name in _NUMBERED:
            self._db.execute("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
            self._db.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (name, sequences.get(name, 0)))

    def entries(self) -> Iterator[Entry]:
        """The journal of all that the ledger keeps, oldest first."""
        for row in cast(Any, self._db.execute(_ENTRY)):
            yield Entry(*row)._replace(before=_fields(row[6]), after=_fields(row[7]))

    def put_entry(self, entry: Entry) -> None:
        """Add an entry as it was. It may point to one that comes later."""
        self._db.pragma("defer_foreign_keys", True)  # until the transaction ends
        row = entry._asdict() | {"before": _json(entry.before), "after": _json(entry.after)}
        names = ", ".join(row)
        self._db.execute(f"INSERT INTO journal ({names}) VALUES ({', '.join('?' * len(row))})", tuple(row.values()))

    def given(self) -> Iterator[Given]:
        query = "SELECT session, answer, memory, at, reinforced FROM given ORDER BY session, answer, memory"
        for session, answer, memory, at, reinforced in cast(Any, self._db.execute(query)):
            yield Given(session, answer, memory, at, reinforced == 1)

    def put_given(self, given: Given) -> None:
        self._db.execute("INSERT INTO given VALUES (?, ?, ?, ?, ?)", tuple(given))

    def keys(self) -> Iterator[Key]:
        for key, request, result, at in cast(Any, self._db.execute("SELECT * FROM keys ORDER BY key")):
            yield Key(key.hex(), request.hex(), json.loads(result), at)

    def put_key(self, key: Key) -> None:
        values = (bytes.fromhex(key.key), bytes.fromhex(key.request), json.dumps(dict(key.result)), key.at)
        self._db.execute("INSERT INTO keys VALUES (?, ?, ?, ?)", values)

    def forgotten(self) -> Iterator[Forgotten]:
        for digest, at in cast(Any, self._db.execute("SELECT digest, at FROM forgotten ORDER BY digest")):
            yield Forgotten(digest.hex(), at)

    def origins(self) -> Iterator[tuple[str, int]]:
        """What memories were called in the stores that they came from, and their numbers here."""
        query = "SELECT origin, id FROM memories WHERE origin IS NOT NULL ORDER BY id"
        yield from cast(Any, self._db.execute(query))


def _json(fields: Fields | None) -> str | None:
    return None if fields is None else json.dumps(dict(fields), ensure_ascii=False)


def _fields(text: str | None) -> Fields | None:
    fields: Fields | None = None if text is None else json.loads(text)
    return fields
