"""The ledger in SQLite: memories, experiences, the journal, links, narratives, and what was forgotten."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import apsw

from memoro.store.sqlite.durable import IN_MEMORY, DurableDatabase, Shape
from memoro.store.sqlite.engine import Engine
from memoro.store.sqlite.ledger import schema
from memoro.store.sqlite.ledger.experiences import ExperienceRows
from memoro.store.sqlite.ledger.items import ItemRows
from memoro.store.sqlite.ledger.journal import JournalRows
from memoro.store.sqlite.ledger.links import LinkRows
from memoro.store.sqlite.ledger.memories import MemoryRows
from memoro.store.sqlite.ledger.narratives import NarrativeRows
from memoro.store.sqlite.ledger.notes import NoteRows
from memoro.store.sqlite.ledger.sessions import SessionRows


class Ledger:
    """`ledger.db`: everything that exists nowhere else."""

    def __init__(
        self, home: str, engine: Engine, before_migration: Callable[[apsw.Connection], object] = lambda _db: None
    ) -> None:
        file = IN_MEMORY if home == IN_MEMORY else os.path.join(home, "ledger.db")
        shape = Shape(schema.FORMAT, schema.LEDGER, schema.MIGRATIONS)
        self.database = DurableDatabase(file, engine, shape, before_migration)

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        with self.database.read() as db:
            yield Transaction(db)

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        with self.database.write() as db:
            yield Transaction(db)

    def close(self) -> None:
        self.database.close()


class Archive(Ledger):
    """`archive.db`: memories that the ledger had no room for, in a file of their own, so that it really shrinks."""

    def __init__(self, home: str, engine: Engine) -> None:
        file = IN_MEMORY if home == IN_MEMORY else os.path.join(home, "archive.db")
        self.database = DurableDatabase(file, engine, Shape(schema.ARCHIVE_FORMAT, schema.ARCHIVE, {}))


class Transaction:
    """What can be read and written within one transaction. Rules live elsewhere: these are rows."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self.memories = MemoryRows(db)
        self.experiences = ExperienceRows(db)
        self.journal = JournalRows(db)
        self.links = LinkRows(db)
        self.narratives = NarrativeRows(db)
        self.notes = NoteRows(db)
        self.items = ItemRows(db)
        self.sessions = SessionRows(db)

    def kept_result(self, key: bytes) -> tuple[bytes, dict[str, Any]] | None:
        row = self._db.execute("SELECT request, result FROM keys WHERE key = ?", (key,)).fetchone()
        return (bytes(cast(bytes, row[0])), json.loads(str(row[1]))) if row else None

    def keep_result(self, key: bytes, request: bytes, result: dict[str, Any], at: str) -> None:
        self._db.execute("INSERT INTO keys VALUES (?, ?, ?, ?)", (key, request, json.dumps(result), at))

    def forgotten(self) -> dict[bytes, str]:
        rows = cast(Any, self._db.execute("SELECT digest, at FROM forgotten"))
        return {bytes(digest): at for digest, at in rows}

    def forgotten_at(self, digest: bytes) -> str | None:
        found: str | None = self._db.execute("SELECT at FROM forgotten WHERE digest = ?", (digest,)).get
        return found

    def forget_digest(self, digest: bytes, at: str) -> None:
        self._db.execute("INSERT OR IGNORE INTO forgotten VALUES (?, ?)", (digest, at))

    def forget_traces(self, memory: int) -> None:
        """What other tables say about a memory, none of which makes sense without it."""
        self._db.execute("DELETE FROM links WHERE low = ?1 OR high = ?1", (memory,))
        self._db.execute("DELETE FROM given WHERE memory = ?", (memory,))
        self._db.execute("DELETE FROM rests_on WHERE memory = ?", (memory,))
        self._db.execute("DELETE FROM items WHERE id = ?", (memory,))

    def settle_words(self) -> None:
        """Write the word index anew: what was deleted is not in it then, not even as a trace."""
        for table in ("words", "narrative_words", "experience_words"):
            if self._db.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).get:
                self._db.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")

    def get_meta(self, key: str) -> str | None:
        found: str | None = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).get
        return found

    def put_meta(self, key: str, value: str | None) -> None:
        if value is None:
            self._db.execute("DELETE FROM meta WHERE key = ?", (key,))
        else:
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def sizes(self) -> dict[str, int]:
        """Bytes that each table takes, its indexes with it, and what is free."""
        sizes: dict[str, int] = {}
        query = """SELECT coalesce(s.tbl_name, d.name), sum(d.pgsize) FROM dbstat d
                     LEFT JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = TRUE GROUP BY 1"""
        for name, size in self._db.execute(query):
            sizes[str(name)] = int(str(size))
        page = int(self._db.pragma("page_size"))
        sizes["free"] = int(self._db.pragma("freelist_count")) * page
        return sizes

    def rows(self) -> dict[str, int]:
        """How many rows each table of ours has, and its word index."""
        names = [
            str(name)
            for (name,) in self._db.execute(
                """SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
                    AND (name NOT GLOB '*words_*' OR name GLOB '*words_docsize') AND name NOT GLOB 'sqlite_*'
                    ORDER BY name"""
            )
        ]
        return {name: int(self._db.execute(f"SELECT count(*) FROM {name}").get) for name in names}
