"""The rows of sessions: what each was given, and what became of it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import apsw

from memoro.model.recalls import SessionTotals, StoredItem, StoredRecall
from memoro.model.scope import Scope
from memoro.model.sessions import Session, Use
from memoro.model.vocabulary import Feedback
from memoro.store.encoding import is_number
from memoro.store.sqlite.ledger.contents import SqliteContents

_SESSION = """SELECT s.id, s.started_at, s.archived_at, s.agent, s.project, s.title, s.bound,
                     (SELECT count(*) FROM recalls r WHERE r.session = s.id),
                     (SELECT count(*) FROM recalls r JOIN recalled i ON i.recall = r.id WHERE r.session = s.id),
                     (SELECT max(r.at) FROM recalls r WHERE r.session = s.id) AS last_at
                FROM sessions s"""
_RECALL = "SELECT id, session, at, form, message, boundary, detail FROM recalls"
_READ_AT_ONCE = 200  # recalls, of some kilobytes each


class SqliteSessions:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._texts = SqliteContents(db)

    def find(self, session: str) -> Session | None:
        row = self._db.execute(f"{_SESSION} WHERE s.id = ?", (session,)).fetchone()
        return _to_session(row) if row else None

    def all(self, *, archived: bool, limit: int = -1, after: tuple[str, str] | None = None) -> list[Session]:
        at, name = after or (None, None)
        moment = "coalesce(last_at, s.started_at)"
        query = f"""{_SESSION} WHERE (?1 OR s.archived_at IS NULL)
                      AND (?2 IS NULL OR {moment} < ?2 OR ({moment} = ?2 AND s.id > ?3))
                    ORDER BY {moment} DESC, s.id LIMIT ?4"""
        return [_to_session(row) for row in self._db.execute(query, (archived, at, name, limit))]

    def last_of_projects(self, limit: int) -> list[Session]:
        query = "SELECT max(started_at || '|' || id) FROM sessions GROUP BY project ORDER BY 1 DESC LIMIT ?"
        rows = cast(Any, self._db.execute(query, (limit,)).fetchall())
        return [found for (last,) in rows if (found := self.find(last.partition("|")[2]))]

    def insert(self, session: Session) -> None:
        scope = session.scope
        sets = {"paths": scope.paths, "tiers": scope.tiers, "tags": scope.tags}
        self._db.execute(
            """INSERT INTO sessions (id, started_at, archived_at, agent, project, title, bound)
               VALUES (?, ?, ?, ?, ?, ?, ?)""",
            (
                *(session.id, session.started_at, session.archived_at, scope.agent, scope.project, session.title),
                _json({name: values for name, values in sets.items() if values}),
            ),
        )

    def put_archived(self, session: str, at: str | None) -> None:
        self._db.execute("UPDATE sessions SET archived_at = ? WHERE id = ?", (at, session))

    def add(self, row: StoredRecall, items: Sequence[StoredItem], key: bytes | None) -> int:
        self._db.execute(
            "INSERT INTO recalls (session, key, at, form, message, boundary, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (row.session, key, row.at, row.form, row.message, row.boundary, _packed(row.detail)),
        )
        number = self._db.last_insert_rowid()
        self._db.executemany(
            "INSERT INTO recalled (recall, position, item, content) VALUES (?, ?, ?, ?)",
            [(number, position, one.item, self._content(one.text)) for position, one in enumerate(items)],
        )
        return number

    def keep(self, text: str) -> str:
        return self._texts.keep(text.encode())

    def kept(self, name: str) -> str | None:
        data = self._texts.get(name)
        return None if data is None else data.decode()

    def _content(self, text: str | None) -> int | None:
        if text is None:
            return None
        name = self._texts.keep(text.encode())
        return int(self._db.execute("SELECT id FROM contents WHERE digest = ?", (bytes.fromhex(name),)).get)

    def by_key(self, key: bytes) -> StoredRecall | None:
        row = self._db.execute(f"{_RECALL} WHERE key = ?", (key,)).fetchone()
        return _to_recall(row) if row else None

    def recall(self, session: str, number: int | None) -> StoredRecall | None:
        query = f"{_RECALL} WHERE session = ?1 AND (?2 IS NULL OR id = ?2) ORDER BY id DESC LIMIT 1"
        row = self._db.execute(query, (session, number)).fetchone() if number is None or is_number(number) else None
        return _to_recall(row) if row else None

    def recalls(self, session: str) -> list[StoredRecall]:
        return [_to_recall(row) for row in self._db.execute(f"{_RECALL} WHERE session = ? ORDER BY id", (session,))]

    def numbered(self, number: int) -> StoredRecall | None:
        row = self._db.execute(f"{_RECALL} WHERE id = ?", (number,)).fetchone() if is_number(number) else None
        return _to_recall(row) if row else None

    def last_with(self, item: str, session: str | None = None) -> StoredRecall | None:
        query = f"""{_RECALL} WHERE (?2 IS NULL OR session = ?2)
                      AND id IN (SELECT recall FROM recalled WHERE item = ?1) ORDER BY id DESC LIMIT 1"""
        row = self._db.execute(query, (item, session)).fetchone()
        return _to_recall(row) if row else None

    def neighbours(self, first: str, end: str) -> tuple[str | None, str | None]:
        query = "SELECT (SELECT max(at) FROM recalls WHERE at < ?), (SELECT min(at) FROM recalls WHERE at >= ?)"
        before, after = cast(Any, self._db.execute(query, (first, end)).fetchone())
        return before, after

    def all_recalls(self) -> Iterator[StoredRecall]:
        query, last = f"{_RECALL} WHERE id > ? ORDER BY id LIMIT {_READ_AT_ONCE}", 0
        while rows := self._db.execute(query, (last,)).fetchall():
            found = [_to_recall(row) for row in rows]
            yield from found
            last = found[-1].number

    def recalls_between(self, begin: str, end: str) -> list[StoredRecall]:
        query = f"{_RECALL} WHERE at >= ? AND at < ? ORDER BY id"
        return [_to_recall(row) for row in self._db.execute(query, (begin, end))]

    def recalls_of(self, prefix: str) -> list[StoredRecall]:
        query = f"{_RECALL} WHERE id IN (SELECT recall FROM recalled WHERE item >= ? AND item < ?) ORDER BY id"
        return [_to_recall(row) for row in self._db.execute(query, _beginning_with(prefix))]

    def replace_recall(self, recall: StoredRecall) -> None:
        self._db.execute(
            "UPDATE recalls SET message = ?, detail = ? WHERE id = ?",
            (recall.message, _packed(recall.detail), recall.number),
        )

    def items(self, recall: int) -> list[StoredItem]:
        query = """SELECT i.item, c.data, i.feedback FROM recalled i
                     LEFT JOIN contents c ON c.id = i.content WHERE i.recall = ? ORDER BY i.position"""
        return [
            StoredItem(item, None if data is None else zlib.decompress(data).decode(), _words(words))
            for item, data, words in cast(Any, self._db.execute(query, (recall,)))
        ]

    def given_texts(self) -> dict[str, set[str]]:
        held: dict[str, set[str]] = {}
        query = "SELECT i.item, c.digest FROM recalled i JOIN contents c ON c.id = i.content"
        for item, digest in cast(Any, self._db.execute(query)):
            held.setdefault(bytes(digest).hex(), set()).add(item)
        return held

    def forget_text(self, digest: str) -> None:
        content = "(SELECT id FROM contents WHERE digest = ?)"
        self._db.execute(f"UPDATE recalled SET content = NULL WHERE content = {content}", (bytes.fromhex(digest),))

    def uses(self, item: str) -> list[Use]:
        query = """SELECT i.item, r.session, r.id, r.at, r.message, i.feedback FROM recalled i
                     JOIN recalls r ON r.id = i.recall WHERE i.item = ? ORDER BY r.id DESC"""
        return [_to_use(row) for row in self._db.execute(query, (item,))]

    def feedback(self, items: Sequence[str] | None = None) -> Iterator[tuple[str, tuple[Feedback, ...]]]:
        if items is None:
            for item, words in cast(Any, self._db.execute("SELECT item, feedback FROM recalled")):
                yield item, _words(words)
            return
        for item in dict.fromkeys(items):
            for (words,) in cast(Any, self._db.execute("SELECT feedback FROM recalled WHERE item = ?", (item,))):
                yield item, _words(words)

    def of_note(self, path: str) -> list[tuple[str, str]]:
        query = """SELECT DISTINCT i.item, c.digest FROM recalled i JOIN contents c ON c.id = i.content
                    WHERE (i.item >= ? AND i.item < ?) OR (i.item >= ? AND i.item < ?)"""
        whole = _beginning_with(f"{path}:")  # of a note that was loaded whole, such as MEMORY.md:1-20
        rows = cast(Any, self._db.execute(query, (*_beginning_with(f"note:{path}#"), *whole)).fetchall())
        return [(item, self.kept(bytes(digest).hex()) or "") for item, digest in rows]

    def note(self, item: str, word: Feedback, session: str | None = None) -> int | None:
        query = """SELECT r.id, i.position, i.feedback FROM recalled i JOIN recalls r ON r.id = i.recall
                    WHERE i.item = ?1 AND (?2 IS NULL OR r.session = ?2) ORDER BY r.id DESC LIMIT 1"""
        row = cast(Any, self._db.execute(query, (item, session)).fetchone())
        if row is None or word in _words(row[2]):
            return None
        recall, position, before = row
        self._put(recall, position, (*_words(before), word))
        return int(recall)

    def note_again(self, recall: int, item: str, word: Feedback) -> None:
        self.take_back(recall, item, word)
        query = "SELECT position, feedback FROM recalled WHERE recall = ? AND item = ?"
        for position, words in cast(Any, self._db.execute(query, (recall, item)).fetchall()):
            self._put(recall, position, (*_words(words), word))

    def take_back(self, recall: int, item: str, word: Feedback) -> None:
        query = "SELECT position, feedback FROM recalled WHERE recall = ? AND item = ?"
        for position, words in cast(Any, self._db.execute(query, (recall, item)).fetchall()):
            self._put(recall, position, tuple(one for one in _words(words) if one != word))

    def _put(self, recall: int, position: int, words: Sequence[str]) -> None:
        self._db.execute(
            "UPDATE recalled SET feedback = ? WHERE recall = ? AND position = ?",
            (" ".join(words) or None, recall, position),
        )

    def totals(self) -> SessionTotals:
        query = "SELECT count(*), count(archived_at), (SELECT count(*) FROM recalls) FROM sessions"
        sessions, archived, recalls = cast(Any, self._db.execute(query).fetchone())
        return SessionTotals(sessions, archived, recalls)


def _to_session(row: Any) -> Session:
    id, started_at, archived_at, agent, project, title, sets, *counts = row
    kept = {name: tuple(values) for name, values in json.loads(sets).items()}
    scope = Scope(
        agent=agent,
        project=project,
        paths=kept.get("paths", ()),
        tiers=kept.get("tiers", ()),
        tags=kept.get("tags", ()),
    )
    return Session(id, started_at, archived_at, title, scope, *counts)


def _to_recall(row: Any) -> StoredRecall:
    return StoredRecall(*row)._replace(detail=json.loads(zlib.decompress(row[6])))


def _to_use(row: Any) -> Use:
    return Use(*row)._replace(feedback=_words(row[5]))


def _words(text: str | None) -> tuple[Feedback, ...]:
    return cast("tuple[Feedback, ...]", tuple(text.split())) if text else ()


def _json(fields: Mapping[str, Any]) -> str:
    return json.dumps(dict(fields), ensure_ascii=False, separators=(",", ":"))


def _packed(fields: Mapping[str, Any]) -> bytes:
    """As JSON, in about a quarter of the space: paths and headings come again and again."""
    return zlib.compress(_json(fields).encode())


def _beginning_with(prefix: str) -> tuple[str, str]:
    """The bounds of all texts that begin so: the second ends with the next character."""
    return prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)
