"""The rows of experiences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import apsw

from memoro.model.experiences import Experience
from memoro.model.listing import ExperienceFilter, ListOrder
from memoro.model.vocabulary import ExperienceType
from memoro.store.encoding import is_number
from memoro.store.missing import no_experience
from memoro.store.sqlite.ledger.pages import experience_rows

_COLUMNS = Experience._fields
_EXPERIENCE = f"SELECT {', '.join(_COLUMNS)} FROM experiences"
_INSERT = f"INSERT INTO experiences ({', '.join(_COLUMNS)}, digest) VALUES ({', '.join('?' * (len(_COLUMNS) + 1))})"


class SqliteExperiences:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def count(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM experiences WHERE archived_at IS NULL").get)

    def get(self, number: int) -> Experience:
        found = self.find(number)
        if found is None:
            raise no_experience(number)
        return found

    def find(self, number: int) -> Experience | None:
        if not is_number(number):
            return None
        row = self._db.execute(f"{_EXPERIENCE} WHERE id = ?", (number,)).fetchone()
        return _to_experience(row) if row else None

    def _where(self, condition: str = "", values: Sequence[Any] = ()) -> Iterator[Experience]:
        for row in self._db.execute(f"{_EXPERIENCE} {condition} ORDER BY id", tuple(values)):
            yield _to_experience(row)

    def all(self) -> Iterator[Experience]:
        return self._where()

    def page(self, wanted: ExperienceFilter, order: ListOrder, limit: int) -> list[tuple[Experience, float | str]]:
        rows = experience_rows(self._db, ", ".join(_COLUMNS), wanted, order, limit)
        return [(_to_experience(row), value) for row, value in rows]

    def live(self, type: ExperienceType | None = None) -> Iterator[Experience]:
        return self._where("WHERE archived_at IS NULL AND (?1 IS NULL OR type = ?1)", (type,))

    def archived(self) -> Iterator[Experience]:
        return self._where("WHERE archived_at IS NOT NULL")

    def any_unused(self, since: str, now: str) -> bool:
        query = """SELECT 1 FROM experiences WHERE CASE WHEN archived_at IS NULL
                     THEN coalesce(used_at, created_at) < ? ELSE archived_at > ? END LIMIT 1"""
        return bool(self._db.execute(query, (since, now)).get)

    def by_digest(self, digest: bytes) -> list[Experience]:
        if not self._db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'experiences'").get:
            return []  # a copy of a ledger of the first format
        return list(self._where("WHERE digest = ?", (digest,)))

    def insert(self, experience: Experience, digest: bytes) -> Experience:
        values = dict(zip(_COLUMNS, _row(experience), strict=True)) | {"id": experience.id or None}
        self._db.execute(_INSERT, (*values.values(), digest))
        return experience._replace(id=self._db.last_insert_rowid())

    def replace(self, old: Experience, new: Experience) -> None:
        names = [name for name in _COLUMNS if getattr(old, name) != getattr(new, name)]
        if not names:
            return
        values = dict(zip(_COLUMNS, _row(new), strict=True))
        changes = ", ".join(f"{name} = ?" for name in names)
        self._db.execute(
            f"UPDATE experiences SET {changes} WHERE id = ?", (*(values[name] for name in names), old.id)
        )

    def delete(self, number: int) -> None:
        self._db.execute("DELETE FROM experiences WHERE id = ?", (number,))


def _row(experience: Experience) -> tuple[Any, ...]:
    return tuple((experience._asdict() | {"tags": "\n".join(experience.tags)}).values())


def _to_experience(row: Any) -> Experience:
    one = Experience(*row)
    return one._replace(tags=tuple(str(one.tags).split("\n")) if one.tags else ())
