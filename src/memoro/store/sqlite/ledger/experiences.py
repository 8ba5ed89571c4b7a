"""The rows of experiences, and the words of their intents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import apsw

from memoro.errors import MemoryNotFound
from memoro.model.answers import Term
from memoro.model.experiences import Experience
from memoro.model.words import searchable
from memoro.store.sqlite.ledger.words import fits

_COLUMNS = Experience._fields
_EXPERIENCE = f"SELECT {', '.join(_COLUMNS)} FROM experiences"
_INSERT = f"INSERT INTO experiences ({', '.join(_COLUMNS)}, digest) VALUES ({', '.join('?' * (len(_COLUMNS) + 1))})"


class ExperienceRows:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def are_kept(self) -> bool:
        """Whether this file has them: the archive and ledgers of the first format do not."""
        return bool(self._db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'experiences'").get)

    def count(self) -> int:
        """Of those that are not archived."""
        return int(self._db.execute("SELECT count(*) FROM experiences WHERE archived_at IS NULL").get)

    def get(self, number: int) -> Experience:
        found = self.find(number)
        if found is None:
            raise MemoryNotFound(
                f"There is no experience:{number}. `memoro experience list` shows those that there are."
            )
        return found

    def find(self, number: int) -> Experience | None:
        if not 0 < number < 2**63:  # what SQLite cannot hold names nothing
            return None
        row = self._db.execute(f"{_EXPERIENCE} WHERE id = ?", (number,)).fetchone()
        return _to_experience(row) if row else None

    def all(self, condition: str = "", values: Sequence[Any] = ()) -> Iterator[Experience]:
        for row in self._db.execute(f"{_EXPERIENCE} {condition} ORDER BY id", tuple(values)):
            yield _to_experience(row)

    def any_unused(self, since: str, now: str) -> bool:
        """Whether one that is not archived was last used before then, or one was archived at a time yet to come."""
        query = """SELECT 1 FROM experiences WHERE CASE WHEN archived_at IS NULL
                     THEN coalesce(used_at, created_at) < ? ELSE archived_at > ? END LIMIT 1"""
        return bool(self._db.execute(query, (since, now)).get)

    def by_digest(self, digest: bytes) -> list[Experience]:
        return list(self.all("WHERE digest = ?", (digest,)))

    def insert(self, experience: Experience, digest: bytes) -> Experience:
        """Add one, under its own number if it has one (not 0), else under a number never used before."""
        values = dict(zip(_COLUMNS, _row(experience), strict=True)) | {"id": experience.id or None}
        self._db.execute(_INSERT, (*values.values(), digest))
        kept = experience._replace(id=self._db.last_insert_rowid())
        self._add_words(kept)
        return kept

    def replace(self, old: Experience, new: Experience) -> None:
        """Make its row say something else. What it is about and what was done stay: else it would be another one."""
        names = [name for name in _COLUMNS if getattr(old, name) != getattr(new, name)]
        if not names:
            return
        values = dict(zip(_COLUMNS, _row(new), strict=True))
        changes = ", ".join(f"{name} = ?" for name in names)
        self._db.execute(
            f"UPDATE experiences SET {changes} WHERE id = ?", (*(values[name] for name in names), old.id)
        )
        if "tags" in names:
            self._db.execute("DELETE FROM experience_words WHERE rowid = ?", (old.id,))
            self._add_words(new)

    def delete(self, number: int) -> None:
        self._db.execute("DELETE FROM experience_words WHERE rowid = ?", (number,))
        self._db.execute("DELETE FROM experiences WHERE id = ?", (number,))

    def _add_words(self, one: Experience) -> None:
        row = (one.id, searchable(one.intent), searchable(" ".join(one.tags)))
        self._db.execute("INSERT INTO experience_words (rowid, intent, tags) VALUES (?, ?, ?)", row)

    def highest(self) -> int:
        """The highest number that was ever given, or kept from being given."""
        return int(self._db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'experiences'").get or 0)

    def reserve(self, number: int) -> None:
        """Never give this number, nor one below it, to a new experience."""
        self._db.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'experiences'", (number,))
        if not self._db.changes():
            self._db.execute("INSERT INTO sqlite_sequence VALUES ('experiences', ?)", (number,))

    def matches(self, words: Sequence[Term]) -> Iterator[tuple[Experience, float]]:
        """Every experience whose intent or tags hold any of the words, best first, each with its fit; lazily."""
        for number, fit in fits(self._db, "experience_words", words):
            found = self.find(number)
            if found is not None:
                yield found, fit


def _row(experience: Experience) -> tuple[Any, ...]:
    return tuple((experience._asdict() | {"tags": "\n".join(experience.tags)}).values())


def _to_experience(row: Any) -> Experience:
    one = Experience(*row)
    return one._replace(tags=tuple(str(one.tags).split("\n")) if one.tags else ())
