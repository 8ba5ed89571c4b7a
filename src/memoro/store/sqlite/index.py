"""The index in one SQLite file: rows for notes and chunks, FTS5 for their words."""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

import apsw

from memoro.errors import IndexDamaged, IndexTooNew, StoreUnavailable
from memoro.model.answers import Match, Passage, Statistics, Term, Where
from memoro.model.guard import write_transaction
from memoro.model.notes import FileEntry, Indexed, Note, Problem, Stamp, kind_of
from memoro.store.lock import KernelLock
from memoro.store.ports import (
    COLUMNS,
    Change,
    ChunkText,
    Counts,
    Drop,
    Emptied,
    Extend,
    Heard,
    Hide,
    Move,
    Neighbour,
    NoteEntry,
    Purge,
    Talk,
    Touch,
    Write,
)
from memoro.store.sqlite.engine import Engine, connect, translated
from memoro.store.sqlite.schema import FORMAT, SCHEMA
from memoro.store.terms import match_any, stems, terms, tokenizer

# Pages that are kept. BM25 asks for the length of every passage that it weighs: among 100,000 these fill 1.3 MB,
# and with SQLite's usual 2 MB every search would read and check them anew.
_CACHE_KIB = 16_000
_WEIGHTS = ", ".join(map(str, COLUMNS.values()))
_BEST = f"SELECT rowid, bm25(words, {_WEIGHTS}) AS rank FROM words WHERE words MATCH ? {{}} ORDER BY rank LIMIT ?"
_INSERT_FILE = """
    INSERT INTO files (path, kind, tier, digest, size, mtime_ns, ctime_ns, inode, gone_at, emptied, cursor,
                       day, title, date, agent, project, aliases, links)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_UPDATE_FILE = """
    UPDATE files SET tier = ?, digest = ?, size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, gone_at = ?, emptied = ?,
                     cursor = ?, day = ?, title = ?, date = ?, agent = ?, project = ?
     WHERE path = ? RETURNING id"""
_INSERT_CHUNK = """
    INSERT INTO chunks (file, position, digest, number, start_line, end_line, headings, partial, speaker, date, text)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id"""
_INSERT_WORDS = f"INSERT INTO words (rowid, {', '.join(COLUMNS)}) VALUES (?, {', '.join('?' * len(COLUMNS))})"
_TAGGED = "EXISTS (SELECT 1 FROM tags t WHERE t.file = f.id AND (t.tag = ? OR (t.tag >= ? AND t.tag < ?)))"
_COUNT_GONE = """
    INSERT INTO meta VALUES ('gone', ?)
    ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + CAST(excluded.value AS INTEGER)"""
_PASSAGE = """
    SELECT c.id, f.path, f.tier, f.title, coalesce(c.date, f.date), c.speaker,
           c.start_line, c.end_line, c.headings, c.text, c.digest, c.number
      FROM chunks c JOIN files f ON f.id = c.file"""


def create(file: str, engine: Engine) -> None:
    """Make an empty index where there is no file yet, whole without its log."""
    db = connect(file, engine, create=True)
    with translated(file):
        try:
            with db:
                db.execute(SCHEMA)
                db.pragma("user_version", FORMAT)
            _merge_log(db)
        finally:
            db.close()


class SqliteIndex:
    """One open index file. Threads may share it; processes each open their own."""

    def __init__(
        self, file: str, engine: Engine, writers: KernelLock, *, read_only: bool = False, keep: object = None
    ) -> None:
        """`keep` is let go of together with the index."""
        self.file = file
        self._keep = keep
        self._writers = writers
        self._alone = threading.RLock()
        self._frequencies: dict[Term, int] = {}
        self._seen_version = -1
        self._db = connect(file, engine, read_only=read_only)
        with translated(file):
            try:
                self._check_format()
                self._db.pragma("cache_size", -_CACHE_KIB)
                self._db.register_fts5_function("evidence", _evidence)
                self._db.register_fts5_function("totals", _totals)
                self._tokenize = tokenizer(self._db)
            except BaseException:
                self._db.close()
                raise
        try:
            status = os.stat(file)
        except OSError as error:
            self._db.close()
            raise StoreUnavailable(f"{file} was removed while it was opened. Run the command again.") from error
        self.inode = (status.st_dev, status.st_ino)

    def _check_format(self) -> None:
        found = self._db.pragma("user_version")
        if not found:
            raise IndexDamaged("it is not an index of Memoro")
        if found > FORMAT:
            raise IndexTooNew(found=found, known=FORMAT)
        if found < FORMAT:
            raise IndexDamaged(f"it has the old format {found}")

    def apply(self, changes: Sequence[Change]) -> list[int]:
        rows = [_words(change) for change in changes]
        with self._write() as db:
            gone = [
                number
                for change, words in zip(changes, rows, strict=True)
                for number in self._apply(db, change, words)
            ]
            if gone:
                db.execute(_COUNT_GONE, (len(gone),))
        return gone

    @contextmanager
    def _write(self) -> Iterator[apsw.Connection]:
        """Wait in the kernel's queue, then write: all that the block does, or nothing."""
        with self._alone, self._writers.held(), write_transaction(), translated(self.file):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
            finally:
                self._frequencies.clear()

    def _apply(self, db: apsw.Connection, change: Change, words: list[tuple[str, ...]]) -> list[int]:
        """Carry out one change; the numbers of the chunks that are gone."""
        gone: list[int] = []
        match change:
            case Write(file):
                gone = self._forget_file(db, file.entry.path)
                self._insert(db, file, words)
            case Extend(file, after):
                gone = self._extend(db, file, after, words)
            case Move(old, file):
                gone = [*self._forget_file(db, old), *self._forget_file(db, file.entry.path)]
                self._insert(db, file, words)
            case Touch(path, stamp, day):
                db.execute(
                    """UPDATE files SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, day = coalesce(date, ?),
                                        emptied = 0
                        WHERE path = ?""",
                    (*_stamp_row(stamp), day, path),
                )
            case Hide(path, at):
                gone = self._forget_chunks(db, path)
                db.execute("UPDATE files SET gone_at = ? WHERE path = ?", (at, path))
            case Drop(path):
                gone = self._forget_file(db, path)
            case Emptied(path):
                db.execute("UPDATE files SET emptied = 1, mtime_ns = NULL WHERE path = ?", (path,))
            case Purge(before):
                db.execute("DELETE FROM files WHERE gone_at < ?", (before,))
        return gone

    def _forget_file(self, db: apsw.Connection, path: str) -> list[int]:
        gone = self._forget_chunks(db, path)
        db.execute("DELETE FROM files WHERE path = ?", (path,))
        return gone

    def _forget_chunks(self, db: apsw.Connection, path: str) -> list[int]:
        ids = "SELECT c.id FROM chunks c JOIN files f ON f.id = c.file WHERE f.path = ?"
        db.execute(f"DELETE FROM words WHERE rowid IN ({ids})", (path,))
        gone = db.execute(f"DELETE FROM chunks WHERE id IN ({ids}) RETURNING id", (path,)).fetchall()
        db.execute("DELETE FROM messages WHERE file IN (SELECT id FROM files WHERE path = ?)", (path,))
        return [int(str(number)) for (number,) in gone]

    def _extend(self, db: apsw.Connection, file: Indexed, after: int, words: list[tuple[str, ...]]) -> list[int]:
        entry, note = file.entry, file.note
        about = (file.day, note.title, note.date, note.agent, note.project)
        known = (*_stamp_row(entry.stamp), entry.gone_at, entry.emptied, entry.cursor)
        number = db.execute(_UPDATE_FILE, (entry.tier, entry.digest, *known, *about, entry.path)).get
        if number is None:
            raise IndexDamaged(f"{entry.path} is to be extended and is not there")
        later = "SELECT id FROM chunks WHERE file = ? AND start_line > ?"
        db.execute(f"DELETE FROM words WHERE rowid IN ({later})", (number, after))
        gone = db.execute(f"DELETE FROM chunks WHERE id IN ({later}) RETURNING id", (number, after)).fetchall()
        position = db.execute("SELECT coalesce(max(position), -1) + 1 FROM chunks WHERE file = ?", (number,)).get
        new = ", ".join("?" * len({chunk.digest for chunk in file.chunks}))
        alike = f"SELECT digest, max(number) FROM chunks WHERE file = ? AND digest IN ({new}) GROUP BY digest"
        digests = dict.fromkeys(chunk.digest for chunk in file.chunks)
        seen = dict(cast(Any, db.execute(alike, (number, *digests))))
        self._insert_chunks(db, number, file, words, position, seen)
        return [int(str(row)) for (row,) in gone]

    def _insert(self, db: apsw.Connection, file: Indexed, words: list[tuple[str, ...]]) -> None:
        entry, note = file.entry, file.note
        about = (note.title, note.date, note.agent, note.project, _list(note.aliases), _list(note.links))
        known = (
            entry.path,
            kind_of(entry.path),
            entry.tier,
            entry.digest,
            *_stamp_row(entry.stamp),
            entry.gone_at,
            entry.emptied,
            entry.cursor,
        )
        db.execute(_INSERT_FILE, (*known, file.day, *about))
        number = db.last_insert_rowid()
        db.executemany("INSERT INTO tags VALUES (?, ?, ?)", [(number, t, i) for i, t in enumerate(note.tags)])
        self._insert_chunks(db, number, file, words, 0, {})

    def _insert_chunks(
        self,
        db: apsw.Connection,
        number: int,
        file: Indexed,
        words: list[tuple[str, ...]],
        first: int,
        seen: dict[str, int],
    ) -> None:
        """Chunks from this position on, and messages; `seen` tells how often each text stands before them."""
        if file.said:
            rows = [(said.id, number, said.line) for said in file.said]
            db.executemany("INSERT OR IGNORE INTO messages VALUES (?, ?, ?)", rows)
        for i, chunk in enumerate(file.chunks):
            seen[chunk.digest] = seen.get(chunk.digest, 0) + 1
            lines = (seen[chunk.digest], chunk.start_line, chunk.end_line)
            said = (chunk.speaker, chunk.date, chunk.text)
            row = (number, first + i, chunk.digest, *lines, _list(chunk.headings), chunk.partial, *said)
            chunk_id = db.execute(_INSERT_CHUNK, row).get
            db.execute(_INSERT_WORDS, (chunk_id, *words[i]))

    def put_meta(self, values: Mapping[str, str | None]) -> None:
        with self._write() as db:
            for key, value in values.items():
                if value is None:
                    db.execute("DELETE FROM meta WHERE key = ?", (key,))
                else:
                    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def put_problems(self, problems: Sequence[Problem]) -> None:
        with self._write() as db:
            db.execute("DELETE FROM problems")
            db.executemany("INSERT INTO problems VALUES (?, ?, ?)", list(problems))

    def settle(self) -> None:
        """After much writing: one word list instead of many, and an empty log."""
        with self._write() as db:
            db.execute("INSERT INTO words (words) VALUES ('optimize')")
        with self._alone, translated(self.file):
            _merge_log(self._db)

    def scrub(self) -> None:
        """Write the word index and the file anew: what was deleted stays in both as a trace until then."""
        with self._write() as db:
            db.execute("INSERT INTO words (words) VALUES ('optimize')")
        with self._alone, self._writers.held(), translated(self.file):
            self._db.execute("VACUUM")
            _merge_log(self._db)

    @contextmanager
    def _read(self) -> Iterator[apsw.Connection]:
        with self._alone, translated(self.file):
            yield self._db

    @contextmanager
    def _read_moment(self) -> Iterator[apsw.Connection]:
        """The same, with one moment for all the reading in the block."""
        with self._read() as db:
            db.execute("BEGIN")
            try:
                yield db
            finally:
                if db.in_transaction:  # an error has ended it already
                    db.execute("COMMIT")

    def files(self) -> dict[str, FileEntry]:
        query = """SELECT path, tier, digest, size, mtime_ns, ctime_ns, inode, gone_at, emptied, cursor
                     FROM files WHERE kind NOT IN ('memory', 'experience')"""
        with self._read() as db:
            return {row[0]: _entry(row) for row in cast(Any, db.execute(query))}

    def kept(self) -> list[str]:
        query = "SELECT path FROM files WHERE kind IN ('memory', 'experience') ORDER BY path"
        with self._read() as db:
            return [str(path) for (path,) in db.execute(query)]

    def digests(self, path: str) -> list[str]:
        query = "SELECT c.digest FROM chunks c JOIN files f ON f.id = c.file WHERE f.path = ? ORDER BY c.position"
        with self._read() as db:
            return [str(digest) for (digest,) in db.execute(query, (path,))]

    def heard(self, ids: Sequence[int]) -> list[Heard]:
        query = """
            SELECT m.id, f.path, m.line FROM messages m JOIN files f ON f.id = m.file
             WHERE m.id IN (SELECT value FROM json_each(?)) ORDER BY m.id, f.path"""
        with self._read() as db:
            return [Heard(*row) for row in cast(Any, db.execute(query, (f"[{','.join(map(str, ids))}]",)))]

    def said(self, path: str) -> list[int]:
        query = "SELECT m.id FROM messages m JOIN files f ON f.id = m.file WHERE f.path = ? ORDER BY m.id"
        with self._read() as db:
            return [int(str(number)) for (number,) in db.execute(query, (path,))]

    def conversations(self, prefix: str) -> list[Talk]:
        query = """
            SELECT f.path, f.title, f.date, f.agent, f.project, count(DISTINCT c.start_line), max(c.date)
              FROM files f LEFT JOIN chunks c ON c.file = f.id
             WHERE f.tier = 'transcript' AND f.gone_at IS NULL AND f.path >= ? AND f.path < ?
             GROUP BY f.id ORDER BY f.path"""
        with self._read() as db:
            return [
                Talk(path, Note(title, date=date, agent=agent, project=project), count, last)
                for path, title, date, agent, project, count, last in cast(Any, db.execute(query, _range(prefix)))
            ]

    def notes(self, paths: Sequence[str]) -> dict[str, NoteEntry]:
        listed = ", ".join("?" * len(paths))
        query = f"""
            SELECT path, tier, digest, title, date, agent, project, aliases, links,
                   (SELECT group_concat(tag, char(10) ORDER BY position) FROM tags WHERE file = files.id)
              FROM files WHERE path IN ({listed}) AND gone_at IS NULL"""
        with self._read() as db:
            return {row[0]: _to_note(row) for row in cast(Any, db.execute(query, tuple(paths)))}

    def counts(self) -> Counts:
        with self._read() as db:
            visible, hidden, transcripts = db.execute(
                """SELECT count(*) FILTER (WHERE gone_at IS NULL), count(gone_at),
                          count(*) FILTER (WHERE gone_at IS NULL AND kind = 'transcript')
                     FROM files WHERE kind NOT IN ('memory', 'experience') AND tier NOT IN ('container', 'unknown')"""
            ).get
            return Counts(visible, db.execute("SELECT count(*) FROM chunks").get, hidden, transcripts)

    def terms(self, text: str) -> list[Term]:
        with self._alone:
            return terms(text, self._tokenize)

    def stems(self, text: str) -> set[str]:
        with self._alone:
            return stems(text, self._tokenize)

    def statistics(self, terms: Sequence[Term]) -> Statistics:
        with self._read_moment() as db:
            self._forget_old_frequencies(db)
            frequencies = {term.stem: self._frequency(db, term) for term in terms}
            present = [term for term in terms if frequencies[term.stem]]
            if not present:
                return Statistics(0, 0.0, frequencies)
            rarest = min(present, key=lambda term: frequencies[term.stem])
            total = db.execute(
                "SELECT totals(words) FROM words WHERE words MATCH ? LIMIT 1", (match_any([rarest]),)
            ).get
        chunks, words = total.split()
        return Statistics(int(chunks), float(words) / int(chunks), frequencies)

    def _forget_old_frequencies(self, db: apsw.Connection) -> None:
        version = db.pragma("data_version")  # raised by every other connection's commit
        if version != self._seen_version:
            self._frequencies.clear()
            self._seen_version = version

    def _frequency(self, db: apsw.Connection, term: Term) -> int:
        if term not in self._frequencies:
            if term.prefix:
                bounds = _range(term.stem)
                found = db.execute("SELECT sum(doc) FROM vocabulary WHERE term >= ? AND term < ?", bounds).get
            else:
                found = db.execute("SELECT doc FROM vocabulary WHERE term = ?", (term.stem,)).get
            self._frequencies[term] = found or 0
        return self._frequencies[term]

    def match(
        self, terms: Sequence[Term], where: Where, limit: int, *, leading: Collection[Term] | None = None
    ) -> list[Match]:
        if not terms:
            return []
        with self._read_moment() as db:
            best = [row for row, _ in _best(db, terms, leading, where, limit)]
            found = self._look_up(db, best, match_any(terms), terms)
        if len(found) != len(best):
            raise IndexDamaged("the word index names a passage that is not there")
        return found

    def best(
        self, terms: Sequence[Term], where: Where, limit: int, *, leading: Collection[Term] | None = None
    ) -> list[tuple[int, float]]:
        if not terms:
            return []
        with self._read_moment() as db:
            return _best(db, terms, leading, where, limit)

    def look_up(self, chunks: Sequence[int], terms: Sequence[Term]) -> list[Match]:
        with self._read_moment() as db:
            return self._look_up(db, chunks, match_any(terms), terms)

    def _look_up(self, db: apsw.Connection, chunks: Sequence[int], wanted: str, terms: Sequence[Term]) -> list[Match]:
        listed = ", ".join(map(str, chunks))
        # The plus: to walk through all that match is quicker than to look each of these up.
        query = f"SELECT rowid, evidence(words) FROM words WHERE words MATCH ? AND +rowid IN ({listed})"
        evidence = dict(cast(Any, db.execute(query, (wanted,)))) if wanted and chunks else {}
        rows = cast(Any, db.execute(f"{_PASSAGE} WHERE c.id IN ({listed})"))
        passages = {row[0]: _to_passage(row) for row in rows}
        return [_to_match(c, passages[c], evidence.get(c), terms) for c in chunks if c in passages]

    def beside(self, chunks: Sequence[int]) -> dict[int, tuple[Neighbour | None, Neighbour | None]]:
        query = f"""
            SELECT o.id, c.position - o.position, c.id, c.speaker, instr(c.text, '?') > 0
              FROM chunks o JOIN chunks c
                ON c.file = o.file AND c.position IN (o.position - 1, o.position + 1)
             WHERE o.id IN ({", ".join(map(str, chunks))})"""
        found: dict[tuple[int, int], Neighbour] = {}
        with self._read() as db:
            for chunk, side, other, speaker, asks in cast(Any, db.execute(query)):
                found[chunk, side] = Neighbour(other, speaker, asks == 1)
        return {chunk: (found.get((chunk, -1)), found.get((chunk, 1))) for chunk in chunks}

    def admitted(self, where: Where) -> list[int] | None:
        query, values = _admitted(where)
        if not query:
            return None
        with self._read() as db:
            return [int(str(number)) for (number,) in db.execute(f"{query} ORDER BY c.id", values)]

    def texts_after(self, chunk: int, limit: int) -> list[ChunkText]:
        query = "SELECT id, digest, text FROM chunks WHERE id > ? ORDER BY id LIMIT ?"
        with self._read() as db:
            return [ChunkText(*row) for row in cast(Any, db.execute(query, (chunk, limit)))]

    def count_after(self, chunk: int) -> int:
        with self._read() as db:
            return int(db.execute("SELECT count(*) FROM chunks WHERE id > ?", (chunk,)).get)

    def passage(self, path: str, digest: str, number: int) -> Passage | None:
        low, high = _range(digest)
        condition = "WHERE f.path = ? AND c.digest >= ? AND c.digest < ? AND c.number = ?"
        with self._read() as db:
            return self._passage(db, condition, (path, low, high, number))

    def _passage(self, db: apsw.Connection, condition: str, values: tuple[Any, ...]) -> Passage | None:
        row = db.execute(f"{_PASSAGE} {condition}", values).fetchone()
        return _to_passage(cast(Any, row)) if row else None

    def get_meta(self, key: str) -> str | None:
        with self._read() as db:
            value: str | None = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).get
            return value

    def meta_keys(self, prefix: str) -> list[str]:
        with self._read() as db:
            query = "SELECT key FROM meta WHERE key >= ? AND key < ?"
            return [str(key) for (key,) in db.execute(query, _range(prefix))]

    def problems(self) -> tuple[Problem, ...]:
        with self._read() as db:
            return tuple(
                Problem(*row) for row in db.execute("SELECT * FROM problems ORDER BY path, severity, sentence")
            )

    def check(self) -> list[str]:
        """What is wrong with the file, if anything: the engine's own check, and rows that do not match."""
        with self._read() as db:
            found = [str(row[0]) for row in db.execute("PRAGMA integrity_check(20)")]
            rows, words = (db.execute(f"SELECT count(*) FROM {table}").get for table in ("chunks", "words_docsize"))
        complaints = [line for line in found if line != "ok"]
        if rows != words:
            complaints.append(f"{rows} passages, but {words} in the word index")
        return complaints

    def probe(self) -> None:
        """Write and read back: raises unless the file really can be used."""
        with self._write() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES ('probe', 'written')")
            if db.execute("SELECT value FROM meta WHERE key = 'probe'").get != "written":
                raise IndexDamaged("what was written was not read back")
            db.execute("DELETE FROM meta WHERE key = 'probe'")

    def journal_mode(self) -> str:
        with self._read() as db:
            return str(db.pragma("journal_mode"))

    def close(self) -> None:
        with self._alone, translated(self.file):
            self._db.close()
            self._keep = None


def _merge_log(db: apsw.Connection) -> None:
    """Said aloud, because closing would do it too, but would keep quiet when it fails."""
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _to_note(row: tuple[Any, ...]) -> NoteEntry:
    path, tier, digest, title, date, agent, project, aliases, links, tags = row
    listed = _items(aliases), _items(tags), _items(links)
    return NoteEntry(FileEntry(path, tier, digest, None), Note(title, *listed, date, agent, project))


def _to_passage(row: tuple[Any, ...]) -> Passage:
    _, path, tier, title, date, speaker, first, last, headings, text, digest, number = row
    return Passage(path, tier, title, date, first, last, _items(headings), text, digest, number, speaker)


def _to_match(chunk: int, passage: Passage, evidence: str | None, terms: Sequence[Term]) -> Match:
    if evidence is None:
        return Match(passage, (), 0.0, chunk)
    length, *counts = evidence.split()
    names = list(COLUMNS)
    triples = (tuple(map(int, count.split(","))) for count in counts)
    return Match(passage, tuple((terms[t].stem, names[c], n) for t, c, n in triples), float(length), chunk)


def _best(
    db: apsw.Connection, terms: Sequence[Term], leading: Collection[Term] | None, where: Where, limit: int
) -> list[tuple[int, float]]:
    condition, values = _condition(where)
    promising = _promising(terms, leading) if leading is not None else None
    if promising:
        narrower = f"AND +rowid IN (SELECT rowid FROM words WHERE words MATCH ?) {condition}"
        rows = _first(db, narrower, [match_any(terms), promising, *values], limit)
        if len(rows) >= limit:
            return rows
    return _first(db, condition, [match_any(terms), *values], limit)


def _first(db: apsw.Connection, condition: str, values: list[Any], limit: int) -> list[tuple[int, float]]:
    """The best rows with their BM25, and all that tie with the last: row numbers must not decide who is cut off."""
    query = _BEST.format(condition)
    rows = cast("list[tuple[int, float]]", db.execute(query, (*values, limit + 1)).fetchall())
    if len(rows) > limit and rows[limit][1] == rows[limit - 1][1]:
        every = cast("list[tuple[int, float]]", db.execute(query, (*values, -1)).fetchall())
        rows = [(row, score) for row, score in every if score <= rows[limit][1]]
    else:
        rows = rows[:limit]
    return [(row, -score) for row, score in rows]


def _condition(where: Where) -> tuple[str, list[Any]]:
    """The filters as a condition on the word index, to be applied before anything is ranked."""
    query, values = _admitted(where)
    # The plus keeps the planner from running the word query anew for every admitted row.
    return (f"AND +rowid IN ({query})" if query else "", values)


def _admitted(where: Where) -> tuple[str, list[Any]]:
    """The filters as a query for the chunks that pass them; empty where there are none."""
    clauses: list[str] = []
    values: list[Any] = []

    def any_of(options: list[tuple[str, tuple[str, ...]]]) -> None:
        if options:
            clauses.append("(" + " OR ".join(clause for clause, _ in options) + ")")
            values.extend(value for _, bound in options for value in bound)

    any_of([("f.kind = ?", (kind,)) for kind in where.kinds])
    any_of([("f.tier = ?", (tier,)) for tier in where.tiers])
    any_of([_path_clause(path) for path in where.paths])
    any_of([(_TAGGED, _below(tag)) for tag in where.tags])
    for column, names in (("f.agent", where.agents), ("f.project", where.projects)):
        nobody: list[tuple[str, tuple[str, ...]]] = [(f"{column} IS NULL", ())] if names and where.shared else []
        any_of([(f"{column} = ?", (name,)) for name in names] + nobody)
    any_of([("coalesce(c.date, f.day) >= ?", (where.since,))] if where.since else [])
    any_of([("coalesce(c.date, f.day) <= ?", (where.until,))] if where.until else [])
    if not clauses:
        return "", []
    return f"SELECT c.id FROM files f JOIN chunks c ON c.file = f.id WHERE {' AND '.join(clauses)}", values


def _path_clause(path: str) -> tuple[str, tuple[str, ...]]:
    if any(character in path for character in "*?["):
        return "f.path GLOB ?", (path.replace("[!", "[^"),)
    return "f.path = ? OR (f.path >= ? AND f.path < ?)", _below(path.rstrip("/"))


def _below(name: str) -> tuple[str, str, str]:
    """The name itself, and the bounds of all that is nested below it: "0" is the character after "/"."""
    return name, f"{name}/", f"{name}0"


def _range(prefix: str) -> tuple[str, str]:
    return prefix, prefix + "\U0010ffff"


def _promising(terms: Sequence[Term], leading: Collection[Term]) -> str | None:
    """What holds one of the leading terms, or two of the others; None where that is no less than all."""
    others = [term for term in terms if term not in leading]
    if not others:
        return None
    pairs = (f"({match_any([one])} AND ({match_any(others[i:])}))" for i, one in enumerate(others[:-1], 1))
    return " OR ".join(filter(None, (match_any([term for term in terms if term in leading]), *pairs)))


def _evidence(api: apsw.FTS5ExtensionApi, *_: object) -> str:
    """How long the row is, by the weights of its columns, then term, column and count wherever a term stands."""
    counts = (
        f"{term},{column},{len(api.phrase_column_offsets(term, column))}"
        for term in range(api.phrase_count)
        for column in api.phrase_columns(term)
    )
    length = sum(weight * api.column_size(column) for column, weight in enumerate(COLUMNS.values()))
    return " ".join((repr(length), *counts))


def _totals(api: apsw.FTS5ExtensionApi, *_: object) -> str:
    words = sum(weight * api.column_total_size(column) for column, weight in enumerate(COLUMNS.values()))
    return f"{api.row_count} {words!r}"


def _words(change: Change) -> list[tuple[str, ...]]:
    from memoro.store.columns import columns  # only writing needs it

    match change:
        case Write(file) | Extend(file) | Move(_, file):
            return [columns(file, chunk) for chunk in file.chunks]
    return []


def _entry(row: tuple[Any, ...]) -> FileEntry:
    path, tier, digest, size, mtime, ctime, inode, gone, emptied, cursor = row
    stamp = None if mtime is None else Stamp(size, mtime, ctime, inode)
    return FileEntry(path, tier, digest, stamp, gone, emptied == 1, cursor)


def _stamp_row(stamp: Stamp | None) -> tuple[int | None, ...]:
    return tuple(stamp) if stamp else (None, None, None, None)


def _list(items: Sequence[str]) -> str:
    """Items one a line: none of them can hold a line end."""
    return "\n".join(items)


def _items(listed: str | None) -> tuple[str, ...]:
    return tuple(listed.split("\n")) if listed else ()
