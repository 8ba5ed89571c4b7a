"""Carry out changes of an index: SQL that writes the rows of files, chunks, words and messages."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import apsw

from memoro.errors import IndexDamaged
from memoro.model.notes import Indexed, Stamp, indexed_kind
from memoro.store.changes import Assign, Change, Drop, Emptied, Extend, Hide, Move, Purge, Touch, Write
from memoro.store.ports import COLUMNS
from memoro.store.sqlite.index_queries import joined_lines

_INSERT_FILE = """
    INSERT INTO files (path, kind, tier, digest, size, mtime_ns, ctime_ns, inode, gone_at, emptied, cursor,
                       day, title, date, agent, project, aliases, links, listed,
                       valid_from, valid_to, superseded_by, privacy, session)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_UPDATE_FILE = """
    UPDATE files SET tier = ?, digest = ?, size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, gone_at = ?, emptied = ?,
                     cursor = ?, day = ?, title = ?, date = ?, agent = ?, project = ?
     WHERE path = ? RETURNING id"""
_INSERT_CHUNK = """
    INSERT INTO chunks (file, position, digest, number, start_line, end_line, headings, partial, speaker, date,
                        project, private, text, rules)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id"""
_INSERT_WORDS = f"INSERT INTO words (rowid, {', '.join(COLUMNS)}) VALUES (?, {', '.join('?' * len(COLUMNS))})"
COUNT_GONE = """
    INSERT INTO meta VALUES ('gone', ?)
    ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + CAST(excluded.value AS INTEGER)"""


def carry_out(db: apsw.Connection, change: Change, words: list[tuple[str, ...]]) -> list[int]:
    """Carry out one change; return the numbers of the deleted chunks."""
    gone: list[int] = []
    match change:
        case Write(file):
            gone = _forget_file(db, file.entry.path)
            _insert(db, file, words)
        case Extend(file, after):
            gone = _extend(db, file, after, words)
        case Move(old, file):
            gone = [*_forget_file(db, old), *_forget_file(db, file.entry.path)]
            _insert(db, file, words)
        case Touch(path, stamp, day):
            db.execute(
                """UPDATE files SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, day = coalesce(date, ?),
                                    emptied = 0
                    WHERE path = ?""",
                (*_stamp_row(stamp), day, path),
            )
        case Hide(path, at):
            gone = _forget_chunks(db, path)
            db.execute("UPDATE files SET gone_at = ? WHERE path = ?", (at, path))
        case Drop(path):
            gone = _forget_file(db, path)
        case Emptied(path):
            db.execute("UPDATE files SET emptied = 1, mtime_ns = NULL WHERE path = ?", (path,))
        case Assign(path, project):
            db.execute("UPDATE files SET project = ? WHERE path = ?", (project, path))
        case Purge(before):
            db.execute("DELETE FROM files WHERE gone_at < ?", (before,))
    return gone


def _forget_file(db: apsw.Connection, path: str) -> list[int]:
    if db.execute("SELECT 1 FROM files WHERE path = ?", (path,)).get is None:  # new, as most are in a first sync
        return []
    gone = _forget_chunks(db, path)
    db.execute("DELETE FROM files WHERE path = ?", (path,))
    return gone


def _forget_chunks(db: apsw.Connection, path: str) -> list[int]:
    ids = "SELECT c.id FROM chunks c JOIN files f ON f.id = c.file WHERE f.path = ?"
    db.execute(f"DELETE FROM words WHERE rowid IN ({ids})", (path,))
    gone = db.execute(f"DELETE FROM chunks WHERE id IN ({ids}) RETURNING id", (path,)).fetchall()
    db.execute("DELETE FROM messages WHERE file IN (SELECT id FROM files WHERE path = ?)", (path,))
    return [int(str(number)) for (number,) in gone]


def _extend(db: apsw.Connection, file: Indexed, after: int, words: list[tuple[str, ...]]) -> list[int]:
    entry, note = file.entry, file.note
    about = (file.day, note.title, note.date, note.agent, note.project)
    known = (*_stamp_row(entry.stamp), entry.gone_at, entry.emptied, entry.cursor)
    number = db.execute(_UPDATE_FILE, (entry.tier, entry.digest, *known, *about, entry.path)).get
    if number is None:
        raise IndexDamaged(f"{entry.path} cannot be extended: the index does not know it")
    later = "SELECT id FROM chunks WHERE file = ? AND start_line > ?"
    db.execute(f"DELETE FROM words WHERE rowid IN ({later})", (number, after))
    gone = db.execute(f"DELETE FROM chunks WHERE id IN ({later}) RETURNING id", (number, after)).fetchall()
    position = db.execute("SELECT coalesce(max(position), -1) + 1 FROM chunks WHERE file = ?", (number,)).get
    new = ", ".join("?" * len({chunk.digest for chunk in file.chunks}))
    alike = f"SELECT digest, max(number) FROM chunks WHERE file = ? AND digest IN ({new}) GROUP BY digest"
    digests = dict.fromkeys(chunk.digest for chunk in file.chunks)
    seen = dict(cast(Any, db.execute(alike, (number, *digests))))
    _insert_chunks(db, file, words, _Tail(number, position, seen))
    return [int(str(row)) for (row,) in gone]


def _insert(db: apsw.Connection, file: Indexed, words: list[tuple[str, ...]]) -> None:
    entry, note = file.entry, file.note
    about = (note.title, note.date, note.agent, note.project, joined_lines(note.aliases), joined_lines(note.links))
    known = (
        entry.path,
        indexed_kind(entry.path),
        entry.tier,
        entry.digest,
        *_stamp_row(entry.stamp),
        entry.gone_at,
        entry.emptied,
        entry.cursor,
    )
    validity = file.validity or (None, None, note.superseded)
    db.execute(_INSERT_FILE, (*known, file.day, *about, file.listed, *validity, note.privacy, note.session))
    number = db.last_insert_rowid()
    db.executemany("INSERT INTO tags VALUES (?, ?, ?)", [(number, t, i) for i, t in enumerate(note.tags)])
    _insert_chunks(db, file, words, _Tail(number, 0, {}))


class _Tail(NamedTuple):
    """Where new chunks are added: the row of their file, the first position, the number of equal texts before."""

    file: int
    position: int
    seen: dict[str, int]


def _insert_chunks(db: apsw.Connection, file: Indexed, words: list[tuple[str, ...]], tail: _Tail) -> None:
    if file.messages:
        rows = [(message.id, tail.file, message.line) for message in file.messages]
        db.executemany("INSERT OR IGNORE INTO messages VALUES (?, ?, ?)", rows)
    seen = dict(tail.seen)
    for i, chunk in enumerate(file.chunks):
        seen[chunk.digest] = seen.get(chunk.digest, 0) + 1
        lines = (seen[chunk.digest], chunk.start_line, chunk.end_line)
        content = (chunk.speaker, chunk.date, chunk.project, chunk.private, chunk.text, chunk.rules)
        place = (tail.file, tail.position + i, chunk.digest)
        row = (*place, *lines, joined_lines(chunk.headings), chunk.partial, *content)
        chunk_id = db.execute(_INSERT_CHUNK, row).get
        db.execute(_INSERT_WORDS, (chunk_id, *words[i]))


def words_of(change: Change) -> list[tuple[str, ...]]:
    from memoro.store.columns import columns  # only writing needs it

    match change:
        case Write(file) | Extend(file) | Move(_, file):
            return [columns(file, chunk) for chunk in file.chunks]
    return []


def _stamp_row(stamp: Stamp | None) -> tuple[int | None, ...]:
    return tuple(stamp) if stamp else (None, None, None, None)
