"""One transaction of a ledger or archive file, as the repositories that read and write its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw

from memoro.model.ledger import LedgerMarks, LedgerSizes
from memoro.store.sqlite.ledger.contents import SqliteContents
from memoro.store.sqlite.ledger.experiences import SqliteExperiences
from memoro.store.sqlite.ledger.figures import SqliteFigures
from memoro.store.sqlite.ledger.items import SqliteItems
from memoro.store.sqlite.ledger.journal import SqliteJournal
from memoro.store.sqlite.ledger.lines import SqliteLines, SqlitePending
from memoro.store.sqlite.ledger.links import SqliteGiven, SqliteLinks
from memoro.store.sqlite.ledger.memories import SqliteMemories
from memoro.store.sqlite.ledger.narratives import SqliteNarratives
from memoro.store.sqlite.ledger.proposals import SqliteProposals
from memoro.store.sqlite.ledger.registers import SqliteForgotten, SqliteKeys, SqliteMeta, SqliteNumbers
from memoro.store.sqlite.ledger.sessions import SqliteSessions
from memoro.store.sqlite.ledger.words import MemoryWordTable
from memoro.store.unshared import UnsharedVisibility

if TYPE_CHECKING:
    from memoro.ledger.repositories.visibility import VisibilityRepository

# Tables of which an empty ledger has no rows. Notes, sessions and proposals are in no export.
_EXPORTED = (
    *("memories", "journal", "keys", "given", "links", "narratives", "rests_on", "forgotten"),
    *("experiences", "items"),
)


class SqliteArchiveTransaction:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self.words = MemoryWordTable(db)
        self.memories = SqliteMemories(db, self.words)
        self.meta = SqliteMeta(db)

    def sizes(self) -> LedgerSizes:
        return sizes(self._db)


class SqliteTransaction:
    def __init__(self, db: apsw.Connection, person: str | None = None) -> None:
        self._db = db
        self.memories = SqliteMemories(db)
        self.experiences = SqliteExperiences(db)
        self.narratives = SqliteNarratives(db)
        self.journal = SqliteJournal(db, person)
        self.links = SqliteLinks(db)
        self.given = SqliteGiven(db)
        self.contents = SqliteContents(db)
        self.pending = SqlitePending(db)
        self.lines = SqliteLines(db)
        self.proposals = SqliteProposals(db)
        self.items = SqliteItems(db)
        self.sessions = SqliteSessions(db)
        self.keys = SqliteKeys(db)
        self.forgotten = SqliteForgotten(db)
        self.meta = SqliteMeta(db)
        self.numbers = SqliteNumbers(db)
        self.figures = SqliteFigures(db)
        self.visibility: VisibilityRepository = UnsharedVisibility()

    def sizes(self) -> LedgerSizes:
        return sizes(self._db)

    def marks(self, now: str) -> LedgerMarks:
        query = """SELECT (SELECT ifnull(max(id), 0) FROM journal), (SELECT ifnull(max(id), 0) FROM recalls),
                          (SELECT count(*) FROM proposals
                            WHERE state = 'open' AND (expires_at IS NULL OR expires_at > ?))"""
        return LedgerMarks(*(int(str(value)) for value in self._db.execute(query, (now,)).fetchone() or ()))

    def is_empty(self) -> bool:
        return not any(self._db.execute(f"SELECT 1 FROM {table} LIMIT 1").get for table in _EXPORTED)


def sizes(db: apsw.Connection) -> LedgerSizes:
    """The bytes that each table takes with its indexes, and the free ones."""
    tables: dict[str, int] = {}
    query = """SELECT coalesce(s.tbl_name, d.name), sum(d.pgsize) FROM dbstat d
                 LEFT JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = TRUE GROUP BY 1"""
    for name, size in db.execute(query):
        tables[str(name)] = int(str(size))
    tables["free"] = int(db.pragma("freelist_count")) * int(db.pragma("page_size"))
    live = sum(size for name, size in tables.items() if name == "memories" or name.startswith("words"))
    return LedgerSizes(live, tables)


def row_counts(db: apsw.Connection) -> dict[str, int]:
    """The number of rows of each table, and of its word index."""
    names = [
        str(name)
        for (name,) in db.execute(
            """SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
                AND (name NOT GLOB '*words_*' OR name GLOB '*words_docsize') AND name NOT GLOB 'sqlite_*'
                ORDER BY name"""
        )
    ]
    return {name: int(db.execute(f"SELECT count(*) FROM {name}").get) for name in names}
