"""The index in one SQLite file: rows for notes and chunks, FTS5 for their words."""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import apsw

from memoro.errors import IndexDamaged, IndexOutdated, IndexTooNew, StoreError, StoreUnavailable
from memoro.model.answers import Held, Match, Passage, Statistics, Term, Where
from memoro.model.guard import write_transaction
from memoro.model.notes import FileEntry, Note, Problem
from memoro.model.vocabulary import MirroredKind
from memoro.store.lock import KernelLock
from memoro.store.ports import (
    ChunkText,
    Counts,
    DatedFile,
    FilesOfDay,
    IndexedConversation,
    IndexedSession,
    ItemMatch,
    MessageLocation,
    Neighbour,
    NoteEntry,
    WrittenBetween,
)
from memoro.store.sqlite import index_items as items
from memoro.store.sqlite import index_queries as queries
from memoro.store.sqlite.engine import Engine, connect, translated
from memoro.store.sqlite.schema import FORMAT, SCHEMA
from memoro.store.terms import match_any, stems, terms, tokenizer

if TYPE_CHECKING:
    from memoro.model.figures import IndexedCount
    from memoro.store.changes import Change

# The page cache. BM25 reads the length of every passage that it weighs: for 100,000 passages these fill 1.3 MB, and
# with SQLite's usual 2 MB every search would read and verify them again.
_CACHE_KIB = 16_000
# Rewriting the word index of so much takes some 50 milliseconds.
_SMALL_BYTES = 4 * 1024 * 1024
_ERASE_SECONDS = 600
_FILES_AT_ONCE = 20_000  # that are counted before a search may go on
_ERASED = "words_erased"  # in meta: how many chunks were gone when their words were last erased, and when


def create(file: str, engine: Engine) -> None:
    """Create an empty index in a new file, complete without its write-ahead log."""
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
    """One open index file. Threads may share it; each process opens its own."""

    _engine_error = apsw.Error  # when a program ends, `apsw` may be gone before the last index

    def __init__(
        self,
        file: str,
        engine: Engine,
        writers: KernelLock,
        *,
        refusal: StoreError | None = None,
        keep: object = None,
    ) -> None:
        """With a `refusal` the index is only read, and every write raises it. It holds `keep` until it is closed."""
        self.file = file
        self.refusal = refusal
        self._keep = keep
        self._writers = writers
        self._alone = threading.RLock()
        self._frequencies: dict[Term, int] = {}
        self._totals: tuple[int, float] | None = None  # passages, and the words of one on average
        self._item_counts = items.ItemCounts()
        self._seen_version = -1
        self._db = connect(file, engine, read_only=refusal is not None)
        with translated(file):
            try:
                self._check_format()
                if refusal is None:
                    self._db.pragma("secure_delete", True)  # text that its owner deleted is overwritten
                self._db.pragma("cache_size", -_CACHE_KIB)
                self._db.register_fts5_function("evidence", queries.evidence)
                self._db.register_fts5_function("totals", queries.totals)
                self._db.register_fts5_function("item_evidence", items.evidence)
                self._db.register_fts5_function("sizes", items.totals)
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
            raise IndexOutdated(found)

    def apply(self, changes: Sequence[Change]) -> list[int]:
        from memoro.store.sqlite import index_changes  # only writing needs it

        rows = [index_changes.words_of(change) for change in changes]
        with self._write() as db:
            gone = [
                number
                for change, words in zip(changes, rows, strict=True)
                for number in index_changes.carry_out(db, change, words)
            ]
            if gone:
                db.execute(index_changes.COUNT_GONE, (len(gone),))
        return gone

    @contextmanager
    def _write(self) -> Iterator[apsw.Connection]:
        """Wait in the kernel's queue, then write everything in the block or nothing."""
        if self.refusal is not None:
            raise self.refusal
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
                self._forget_counts()

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
        """Compact the word lists and empty the write-ahead log, after many writes."""
        with self._write() as db:
            db.execute("INSERT INTO words (words) VALUES ('optimize')")
        with self._alone, translated(self.file):
            _merge_log(self._db)

    def erase_deleted_words(self, now: float, *, if_quick: bool) -> None:
        gone, erased = self.get_meta("gone"), self.get_meta(_ERASED)
        if gone is None or (erased or "").partition("@")[0] == gone:
            return
        try:
            is_small = os.path.getsize(self.file) < _SMALL_BYTES
        except OSError:  # deleted meanwhile: the next search makes another
            return
        if not is_small and (if_quick or not _is_old(erased, now)):
            return
        self.settle()
        self.put_meta({_ERASED: f"{gone}@{now:.0f}"})

    def scrub(self) -> None:
        """Rewrite the word index and the file: until then both keep traces of deleted text."""
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
        """Yield the connection with one snapshot for all reads in the block."""
        with self._read() as db:
            db.execute("BEGIN")
            try:
                yield db
            finally:
                if db.in_transaction:  # an error has ended it already
                    db.execute("COMMIT")

    def files(self) -> dict[str, FileEntry]:
        query = """SELECT path, tier, digest, size, mtime_ns, ctime_ns, inode, gone_at, emptied, cursor
                     FROM files WHERE kind IN ('note', 'transcript')"""
        with self._read() as db:
            return {row[0]: queries.to_entry(row) for row in cast(Any, db.execute(query))}

    def ledger_paths(self) -> list[str]:
        with self._read() as db:
            return [str(path) for (path,) in db.execute(items.PATHS)]

    def unlisted(self, held: Held | None = None) -> list[int]:
        query, values = queries.unlisted_query(held)
        with self._read() as db:
            return [int(str(number)) for (number,) in db.execute(query, values)]

    def digests(self, path: str) -> list[str]:
        query = "SELECT c.digest FROM chunks c JOIN files f ON f.id = c.file WHERE f.path = ? ORDER BY c.position"
        with self._read() as db:
            return [str(digest) for (digest,) in db.execute(query, (path,))]

    def chunks_of(self, paths: Sequence[str]) -> list[int]:
        query = f"""
            SELECT c.id FROM chunks c JOIN files f ON f.id = c.file
             WHERE f.path IN ({", ".join("?" * len(paths))}) ORDER BY c.id"""
        with self._read() as db:
            return [int(str(number)) for (number,) in db.execute(query, tuple(paths))]

    def messages(self, ids: Sequence[int]) -> list[MessageLocation]:
        query = """
            SELECT m.id, f.path, m.line FROM messages m JOIN files f ON f.id = m.file
             WHERE m.id IN (SELECT value FROM json_each(?)) ORDER BY m.id, f.path"""
        with self._read() as db:
            return [MessageLocation(*row) for row in cast(Any, db.execute(query, (f"[{','.join(map(str, ids))}]",)))]

    def message_ids(self, path: str) -> list[int]:
        query = "SELECT m.id FROM messages m JOIN files f ON f.id = m.file WHERE f.path = ? ORDER BY m.id"
        with self._read() as db:
            return [int(str(number)) for (number,) in db.execute(query, (path,))]

    def conversations(self, prefix: str) -> list[IndexedConversation]:
        query = """
            SELECT f.path, f.title, f.date, f.agent, f.project, count(DISTINCT c.start_line), max(c.date)
              FROM files f LEFT JOIN chunks c ON c.file = f.id
             WHERE f.tier = 'transcript' AND f.gone_at IS NULL AND f.path >= ? AND f.path < ?
             GROUP BY f.id ORDER BY f.path"""
        with self._read() as db:
            rows = cast(Any, db.execute(query, queries.prefix_range(prefix)))
            return [
                IndexedConversation(
                    path=path, note=Note(title, date=date, agent=agent, project=project), messages=count, last=last
                )
                for path, title, date, agent, project, count, last in rows
            ]

    def sessions(self, where: Where, limit: int) -> list[IndexedSession]:
        query, values = queries.sessions_query(where, limit)
        with self._read() as db:
            return [IndexedSession(*row) for row in cast(Any, db.execute(query, values))]

    def files_of_day(self, day: str, written: WrittenBetween, limit: int) -> FilesOfDay:
        values = (day, written.first, written.end)
        with self._read() as db:
            rows = cast(Any, db.execute(queries.OF_DAY, (*values, limit)))
            found = tuple(DatedFile(*row)._replace(is_private=bool(row[-1])) for row in rows)
            return FilesOfDay(found, int(str(db.execute(queries.COUNT_OF_DAY, values).get)))

    def last_day_before(self, day: str) -> str | None:
        with self._read() as db:
            found = db.execute(queries.LAST_DAY_BEFORE, (day,)).get
        return None if found is None else str(found)

    def notes(self, paths: Sequence[str]) -> dict[str, NoteEntry]:
        query = f"{queries.NOTE} WHERE path IN ({', '.join('?' * len(paths))}) AND gone_at IS NULL"
        with self._read() as db:
            return {row[0]: queries.to_note(row) for row in cast(Any, db.execute(query, tuple(paths)))}

    def titled(self, titles: Sequence[str]) -> dict[str, NoteEntry]:
        named = f"title COLLATE NOCASE IN ({', '.join('?' * len(titles))})"
        query = f"{queries.NOTE} WHERE kind = 'note' AND {named} AND gone_at IS NULL"
        with self._read() as db:
            return {row[0]: queries.to_note(row) for row in cast(Any, db.execute(query, tuple(titles)))}

    def projects(self) -> list[str]:
        with self._read() as db:
            return [str(name) for (name,) in db.execute(queries.PROJECTS)]

    def without_project(self) -> dict[str, str]:
        with self._read() as db:
            return {str(path): str(session) for path, session in db.execute(queries.WITHOUT_PROJECT)}

    def projects_of_logs(self) -> dict[str, str]:
        with self._read() as db:
            return {str(path): str(project) for path, project in db.execute(queries.PROJECTS_OF_LOGS)}

    def counts(self) -> Counts:
        with self._read() as db:
            visible, hidden, transcripts = db.execute(
                """SELECT count(*) FILTER (WHERE gone_at IS NULL), count(gone_at),
                          count(*) FILTER (WHERE gone_at IS NULL AND kind = 'transcript')
                     FROM files WHERE kind IN ('note', 'transcript') AND tier NOT IN ('container', 'unknown')"""
            ).get
            return Counts(
                files=visible,
                chunks=db.execute("SELECT count(*) FROM chunks").get,
                hidden=hidden,
                transcripts=transcripts,
            )

    def inventory(self) -> list[IndexedCount]:
        found: dict[tuple[Any, ...], int] = {}
        with self._read() as db:
            last = int(db.execute("SELECT max(id) FROM files").get or 0)
        for first in range(0, last, _FILES_AT_ONCE):  # between two of them, searches have their turn
            with self._read() as db:
                for *key, total in queries.inventory(db, first, first + _FILES_AT_ONCE):
                    found[tuple(key)] = found.get(tuple(key), 0) + total
        return queries.to_inventory(found)

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
            if self._totals is None:
                rarest = min(present, key=lambda term: frequencies[term.stem])
                query = "SELECT totals(words) FROM words WHERE words MATCH ? LIMIT 1"
                chunks, words = db.execute(query, (match_any([rarest]),)).get.split()
                self._totals = int(chunks), float(words) / int(chunks)
            return Statistics(*self._totals, frequencies)

    def _forget_old_frequencies(self, db: apsw.Connection) -> None:
        version = db.pragma("data_version")  # every commit of another connection raises it
        if version != self._seen_version:
            self._forget_counts()
            self._seen_version = version

    def _forget_counts(self) -> None:
        self._frequencies.clear()
        self._totals = None
        self._item_counts.clear()

    def _frequency(self, db: apsw.Connection, term: Term) -> int:
        if term not in self._frequencies:
            if term.prefix:
                bounds = queries.prefix_range(term.stem)
                found = db.execute("SELECT sum(doc) FROM vocabulary WHERE term >= ? AND term < ?", bounds).get
            else:
                found = db.execute("SELECT doc FROM vocabulary WHERE term = ?", (term.stem,)).get
            self._frequencies[term] = found or 0
        return self._frequencies[term]

    def count_beginning(self, stem: str, most: int) -> int:
        query = "SELECT doc FROM vocabulary WHERE term >= ? AND term < ?"
        found = 0
        with self._read() as db:
            for (count,) in cast(Any, db.execute(query, queries.prefix_range(stem))):
                found += count
                if found > most:
                    break
        return found

    def item_statistics(self, kind: MirroredKind, terms: Sequence[Term]) -> Statistics:
        with self._read_moment() as db:
            self._forget_old_frequencies(db)
            return self._item_counts.statistics(db, kind, terms).items

    @contextmanager
    def item_matches(
        self, kind: MirroredKind, terms: Sequence[Term], shares: Mapping[str, float]
    ) -> Iterator[Iterator[ItemMatch]]:
        with self._alone:
            with translated(self.file):
                self._db.execute("BEGIN")
            walk = self._item_walk(kind, terms, shares)
            try:
                yield walk  # the ledger is read in this block: its errors pass
            finally:
                # A query that was left before its end would go on reading this moment, as long as anybody refers to
                # it: nobody could write by this connection after a commit of another, and the log would only grow.
                walk.close()
                with translated(self.file):
                    if self._db.in_transaction:  # an error has ended it already
                        self._db.execute("COMMIT")

    def _item_walk(
        self, kind: MirroredKind, terms: Sequence[Term], shares: Mapping[str, float]
    ) -> Generator[ItemMatch, None, None]:
        with translated(self.file):
            self._forget_old_frequencies(self._db)
            counts = self._item_counts.statistics(self._db, kind, terms)
            yield from items.walk(self._db, kind, terms, shares, counts)

    def match(
        self, terms: Sequence[Term], where: Where, limit: int, *, leading: Collection[Term] | None = None
    ) -> list[Match]:
        if not terms:
            return []
        with self._read_moment() as db:
            best = [row for row, _ in queries.best_rows(db, terms, leading, where, limit)]
            found = self._look_up(db, best, match_any(terms), terms)
        if len(found) != len(best):
            raise IndexDamaged("the word index names a passage that does not exist")
        return found

    def best(
        self, terms: Sequence[Term], where: Where, limit: int, *, leading: Collection[Term] | None = None
    ) -> list[tuple[int, float]]:
        if not terms:
            return []
        with self._read_moment() as db:
            return queries.best_rows(db, terms, leading, where, limit)

    def look_up(self, chunks: Sequence[int], terms: Sequence[Term]) -> list[Match]:
        with self._read_moment() as db:
            return self._look_up(db, chunks, match_any(terms), terms)

    def _look_up(self, db: apsw.Connection, chunks: Sequence[int], wanted: str, terms: Sequence[Term]) -> list[Match]:
        listed = ", ".join(map(str, chunks))
        # The plus makes SQLite scan all matches, which is faster than to look up each of these.
        query = f"SELECT rowid, evidence(words) FROM words WHERE words MATCH ? AND +rowid IN ({listed})"
        evidence = dict(cast(Any, db.execute(query, (wanted,)))) if wanted and chunks else {}
        rows = cast(Any, db.execute(f"{queries.PASSAGE} WHERE c.id IN ({listed})"))
        passages = {row[0]: queries.to_passage(row) for row in rows}
        return [queries.to_match(c, passages[c], evidence.get(c), terms) for c in chunks if c in passages]

    def neighbours(self, chunks: Sequence[int]) -> dict[int, tuple[Neighbour | None, Neighbour | None]]:
        query = f"""
            SELECT o.id, c.position - o.position, c.id, c.speaker, instr(c.text, '?') > 0
              FROM chunks o INDEXED BY chunks_by_number JOIN chunks c INDEXED BY chunks_by_place
                ON c.file = o.file AND c.position BETWEEN o.position - 1 AND o.position + 1 AND c.id <> o.id
             WHERE o.id IN ({", ".join(map(str, chunks))})"""  # with IN for the positions it takes twice as long
        found: dict[tuple[int, int], Neighbour] = {}
        with self._read() as db:
            for chunk, side, other, speaker, asks in cast(Any, db.execute(query)):
                found[chunk, side] = Neighbour(other, speaker, asks == 1)
        return {chunk: (found.get((chunk, -1)), found.get((chunk, 1))) for chunk in chunks}

    def admitted(self, where: Where) -> list[int] | None:
        query, values = queries.admitted_query(where)
        if not query:
            return None
        with self._read() as db:
            numbers = db.execute(f"SELECT group_concat(id) FROM ({query})", values).get  # one row: half the time
            return sorted(map(int, str(numbers).split(","))) if numbers is not None else []

    def texts_after(self, chunk: int, limit: int) -> list[ChunkText]:
        with self._read() as db:
            return [queries.to_chunk_text(row) for row in cast(Any, db.execute(queries.TEXTS, (chunk, limit)))]

    def count_after(self, chunk: int) -> int:
        with self._read() as db:
            return int(db.execute("SELECT count(*) FROM chunks WHERE id > ?", (chunk,)).get)

    def passage(self, path: str, digest: str, number: int) -> Passage | None:
        low, high = queries.prefix_range(digest)
        condition = "WHERE f.path = ? AND c.digest >= ? AND c.digest < ? AND c.number = ?"
        with self._read() as db:
            return self._passage(db, condition, (path, low, high, number))

    def _passage(self, db: apsw.Connection, condition: str, values: tuple[Any, ...]) -> Passage | None:
        row = db.execute(f"{queries.PASSAGE} {condition}", values).fetchone()
        return queries.to_passage(cast(Any, row)) if row else None

    def get_meta(self, key: str) -> str | None:
        with self._read() as db:
            value: str | None = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).get
            return value

    def meta_keys(self, prefix: str) -> list[str]:
        with self._read() as db:
            query = "SELECT key FROM meta WHERE key >= ? AND key < ?"
            return [str(key) for (key,) in db.execute(query, queries.prefix_range(prefix))]

    def problems(self) -> tuple[Problem, ...]:
        with self._read() as db:
            return tuple(
                Problem(*row) for row in db.execute("SELECT * FROM problems ORDER BY path, severity, sentence")
            )

    def check(self) -> list[str]:
        """Return complaints about the file: from the engine's own check, and about rows that do not match."""
        with self._read() as db:
            # The engine puts several findings into one row, below a line that names the database.
            rows_found = [str(row[0]) for row in db.execute("PRAGMA integrity_check(20)")]
            rows, words = (db.execute(f"SELECT count(*) FROM {table}").get for table in ("chunks", "words_docsize"))
        lines = [line for row in rows_found for line in row.splitlines()]
        complaints = [line for line in lines if line != "ok" and not line.startswith("***")]
        if rows != words:
            complaints.append(f"{rows} passages, but {words} in the word index")
        return complaints

    def probe(self) -> None:
        """Write and read back; raise unless the file really can be used."""
        with self._write() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES ('probe', 'written')")
            if db.execute("SELECT value FROM meta WHERE key = 'probe'").get != "written":
                raise IndexDamaged("a written value could not be read back")
            db.execute("DELETE FROM meta WHERE key = 'probe'")

    def journal_mode(self) -> str:
        if self.refusal is not None:
            return "none, for it is only read"
        with self._read() as db:
            return str(db.pragma("journal_mode"))

    def close(self) -> None:
        with self._alone, translated(self.file):
            self._db.close()
            self._keep = None

    def __del__(self) -> None:
        """Close the file for the last that used it: others read a newer one by now, and nobody calls `close`.

        A query that was left unread would keep a file open that is deleted, with all that is cached of it.
        """
        db = getattr(self, "_db", None)  # none, where it could not be opened
        try:
            if db is not None:
                db.close()
        except self._engine_error:
            return  # nobody uses it, so nobody is to be told


def _is_old(erased: str | None, now: float) -> bool:
    """Return whether words were last erased long enough ago; a time in the future counts as old."""
    at = float((erased or "").partition("@")[2] or 0)
    return not at <= now < at + _ERASE_SECONDS


def _merge_log(db: apsw.Connection) -> None:
    """Merge the write-ahead log. Closing does it too, but hides a failure."""
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
