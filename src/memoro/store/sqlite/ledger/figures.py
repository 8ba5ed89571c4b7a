"""Counts over the rows of a ledger. Their values are imported where they are made: few callers ask for figures."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any, cast

import apsw

if TYPE_CHECKING:
    from memoro.model.figures import ChangeCount, HourCount, RecallFigures
    from memoro.model.vocabulary import Feedback

_HOUR = "substr(at, 1, 13)"


class SqliteFigures:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def memories(self) -> list[HourCount]:
        return self._created("memories")

    def experiences(self) -> list[HourCount]:
        return self._created("experiences")

    def _created(self, table: str) -> list[HourCount]:
        from memoro.model.figures import HourCount

        query = f"SELECT substr(created_at, 1, 13), count(*) FROM {table} GROUP BY 1 ORDER BY 1"
        return [HourCount(*row) for row in cast(Any, self._db.execute(query))]

    def changes(self, since: str) -> list[ChangeCount]:
        from memoro.model.figures import ChangeCount

        query = f"""SELECT {_HOUR}, kind, operation, count(*) FROM journal
                     WHERE at >= ? AND undone_by IS NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"""
        return [ChangeCount(*row) for row in cast(Any, self._db.execute(query, (since,)))]

    def recalls(self, since: str, limit: int) -> list[RecallFigures]:
        query = """SELECT r.at, r.form, r.detail, count(i.recall), group_concat(i.feedback, ' ' ORDER BY i.position)
                     FROM (SELECT * FROM recalls WHERE at >= ? ORDER BY id DESC LIMIT ?) r
                     LEFT JOIN recalled i ON i.recall = r.id GROUP BY r.id ORDER BY r.id DESC"""
        return [_to_figures(row) for row in self._db.execute(query, (since, limit))]


def _to_figures(row: Any) -> RecallFigures:
    from memoro.model.figures import RecallFigures

    at, form, packed, items, words = row
    detail = json.loads(zlib.decompress(packed))
    return RecallFigures(
        at=at,
        form=form,
        is_prompt=not detail.get("unasked"),
        items=items,
        tokens=int(detail.get("tokens", 0)),
        took_ms=float(detail.get("took_ms", 0.0)),
        feedback=cast("tuple[Feedback, ...]", tuple((words or "").split())),
    )
