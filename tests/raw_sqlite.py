"""Raw looks at SQLite files, and raw changes to them: the tests' own SQL stands here and nowhere else.

Tests of rules ask the library. This is for tests that compare whole files, or that break them.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from memoro.store.sqlite.engine import connect, engine, translated
from memoro.store.sqlite.generations import Generations

Rows = dict[str, list[tuple[Any, ...]]]
# Of the words, their rows tell enough; where in the index they stand is the engine's affair.
_SKIPPED = ("_data", "_idx", "_config", "_vocabulary", "sqlite_stat1", "sqlite_sequence")
_VIRTUAL = ("words", "narrative_words")
_INDEX = {
    "files": """SELECT path, kind, tier, digest, emptied, day, title, date, agent, project, aliases, links
                  FROM files WHERE gone_at IS NULL ORDER BY path""",
    "chunks": """SELECT f.path, c.position, c.digest, c.number, c.start_line, c.end_line, c.headings, c.partial,
                        c.speaker, c.date, c.text
                   FROM chunks c JOIN files f ON f.id = c.file ORDER BY f.path, c.position""",
    "tags": "SELECT f.path, t.position, t.tag FROM tags t JOIN files f ON f.id = t.file ORDER BY 1, 2",
    "words": "SELECT term, doc, cnt FROM vocabulary ORDER BY term",
}


@contextmanager
def opened(file: Path, *, read_only: bool = False, checksums: bool = True) -> Iterator[apsw.Connection]:
    """A connection like Memoro's own; errors of the engine are raised as Memoro's."""
    chosen = engine(str(file.parent))
    db = connect(
        str(file), chosen if checksums else chosen._replace(vfs=None), synchronous="OFF", read_only=read_only
    )
    try:
        with translated(str(file)):
            yield db
    finally:
        db.close()


def index_file(home: Path) -> Path:
    """The file of the index in use."""
    generations = Generations(str(home))
    number = generations.current()
    assert number is not None, f"no index in {home}"
    return Path(generations.file(number))


def index_rows(home: Path) -> Rows:
    """Files, chunks, tags and words of the index in use, without row numbers and hidden files."""
    with opened(index_file(home)) as db:
        return {part: [tuple(row) for row in db.execute(query)] for part, query in _INDEX.items()}


def dump(file: Path) -> Rows:
    """Every row of every table of a ledger, an archive or a backup of one."""
    with opened(file, read_only="backups" in file.parts) as db:
        names = [str(name) for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        mine = [name for name in names if not name.endswith(_SKIPPED) and name not in _VIRTUAL]
        return {name: sorted((tuple(row) for row in db.execute(f"SELECT * FROM {name}")), key=repr) for name in mine}


def ids_in(file: Path) -> set[int]:
    """The numbers of all memories in a ledger or an archive."""
    return {row[0] for row in dump(file)["memories"]}


def memories_in(file: Path, *, checksums: bool = True) -> dict[int, tuple[str, int]]:
    """Content and feedback of each memory, by its number; the file passes the engine's check."""
    with opened(file, checksums=checksums) as db:
        assert_consistent(db)
        rows = db.execute("SELECT id, content, feedback FROM memories").fetchall()
    return {int(str(number)): (str(content), int(str(feedback))) for number, content, feedback in rows}


def assert_sound_file(file: Path) -> None:
    with opened(file) as db:
        assert_consistent(db)


def assert_consistent(db: apsw.Connection) -> None:
    """The engine finds nothing wrong, and the word index of an archive has a row for each memory."""
    assert db.execute("PRAGMA integrity_check").get == "ok"
    if db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'words_docsize'").get:
        assert not db.execute("SELECT id FROM memories EXCEPT SELECT id FROM words_docsize").get
        assert not db.execute("SELECT id FROM words_docsize EXCEPT SELECT id FROM memories").get


def session_contents(home: Path) -> list[bytes]:
    """Every text that the ledger keeps beside its rows, unpacked: packed, no search for bytes would find it."""
    db = apsw.Connection(str(home / "ledger.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return [zlib.decompress(bytes(data)) for (data,) in db.execute("SELECT data FROM contents")]
    finally:
        db.close()


def columns(schema: str) -> list[tuple[str, str]]:
    """Table and column of all that these statements make."""
    db = apsw.Connection(":memory:")
    try:
        db.execute(schema)
        found = db.execute(
            "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'"
        )
        return [(str(table), str(column)) for table, column in found]
    finally:
        db.close()


def root_page(file: Path, name: str) -> int:
    """The number of the first page of a table or an index."""
    with opened(file) as db:
        return int(str(db.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).get))


def drop_table(file: Path, name: str) -> None:
    with opened(file) as db:
        db.execute(f"DROP TABLE {name}")


def make_format_4(file: Path) -> None:
    """Make a ledger what it was before proposals had a project."""
    make_format_5(file)
    with opened(file) as db:
        db.execute("ALTER TABLE proposals DROP COLUMN project")
        db.pragma("user_version", 4)


def make_format_5(file: Path) -> None:
    """Make a ledger what it was before proposals had a reason, and changes a proposal."""
    make_format_6(file)
    with opened(file) as db:
        db.execute("DROP INDEX journal_by_proposal")
        db.execute("DROP INDEX memories_by_source_that_ended")
        db.execute("ALTER TABLE journal DROP COLUMN proposal")
        db.execute("ALTER TABLE proposals DROP COLUMN reason")
        db.pragma("user_version", 5)


def make_format_6(file: Path) -> None:
    """Make a ledger what it was before changes and recalls could be read by their day."""
    make_format_7(file)
    with opened(file) as db:
        for index in ("journal_by_time", "recalls_by_time", "proposals_that_wait", "proposals_by_decision"):
            db.execute(f"DROP INDEX {index}")
        db.pragma("user_version", 6)


def make_format_7(file: Path) -> None:
    """Make a ledger what it was before changes told the person."""
    with opened(file) as db:
        db.execute("ALTER TABLE journal DROP COLUMN person")
        db.pragma("user_version", 7)


def delete_change(file: Path, number: int) -> None:
    """Delete the entry of a change, as the next start does with a write that a crash kept from happening."""
    with opened(file) as db:
        db.execute("DELETE FROM lines WHERE entry = ?", (number,))
        db.execute("DELETE FROM journal WHERE id = ?", (number,))


def set_format(file: Path, number: int) -> None:
    with opened(file) as db:
        db.pragma("user_version", number)


def make_foreign(file: Path) -> None:
    """A sound database that another program made, with a log."""
    db = apsw.Connection(str(file))
    db.pragma("journal_mode", "WAL")
    db.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT); INSERT INTO notes VALUES (1, 'mine')")
    db.close()


def table_bytes(file: Path) -> dict[str, int]:
    """The bytes of each table and index of a file."""
    with opened(file) as db:
        rows = db.execute("SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE").fetchall()
    return {str(name): int(str(size)) for name, size in rows}


def share_pages(file: Path) -> None:
    """Make two indexes use the same pages, about which the engine's own check has several lines to say."""
    with opened(file) as db:
        db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        db.pragma("writable_schema", True)
        other = "(SELECT rootpage FROM sqlite_schema WHERE name = 'tags_by_name')"
        db.execute(f"UPDATE sqlite_schema SET rootpage = {other} WHERE name = 'messages_by_file'")
