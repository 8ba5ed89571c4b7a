"""What was private on the server from which a file came: a move must not show it to everybody without a word.

The file keeps the table `private_rows` of the local copy. What was made from a private memory since counts, too.
"""

from __future__ import annotations

from collections.abc import Iterator

import apsw

from memoro.store.postgres.ownership import KIND_OF_TABLE, TABLE_OF_KIND

_Row = tuple[str, int]  # a table and a number


def formerly_private(db: apsw.Connection, archive: apsw.Connection) -> int:
    """Count the memories, experiences and narratives of a file that were private.

    Those that were removed count as long as the journal tells of them: a move takes it along.
    """
    private = _marked(db) | _marked(archive)
    if not private:
        return 0
    for number, parents in sorted([*_parents(db), *_parents(archive)]):
        if any(("memories", int(one)) in private for one in parents.split("\n") if one):
            private.add(("memories", number))
    rests = db.execute("SELECT narrative, memory FROM rests_on").fetchall()
    private |= {("narratives", int(str(one))) for one, memory in rests if ("memories", memory) in private}
    return len(private & {*_numbers(db, *KIND_OF_TABLE), *_numbers(archive, "memories"), *_told_by_journal(db)})


def _marked(db: apsw.Connection) -> set[_Row]:
    """The rows that the file marks, and those of which only private entries of the journal are left."""
    if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'private_rows'").get:
        return set()
    found = {(str(name), int(str(id))) for name, id in db.execute("SELECT name, id FROM private_rows")}
    entries = {id for name, id in found if name == "journal"}
    told = _told_by_journal(db, entries) if entries else ()
    return {row for row in found if row[0] in KIND_OF_TABLE} | set(told)


def _told_by_journal(db: apsw.Connection, entries: set[int] | None = None) -> Iterator[_Row]:
    """What the journal, or these entries of it, say something about."""
    query = """SELECT id, kind, item FROM journal
                WHERE kind IN ('memory', 'experience', 'narrative') AND coalesce(before, after) IS NOT NULL"""
    for id, kind, item in db.execute(query):
        if entries is None or id in entries:
            yield TABLE_OF_KIND[str(kind)], int(str(item))


def _parents(db: apsw.Connection) -> Iterator[tuple[int, str]]:
    for number, parents in db.execute("SELECT id, parents FROM memories WHERE parents <> ''"):
        yield int(str(number)), str(parents)


def _numbers(db: apsw.Connection, *tables: str) -> Iterator[_Row]:
    for table in tables:
        for (number,) in db.execute(f"SELECT id FROM {table}"):
            yield table, int(str(number))
