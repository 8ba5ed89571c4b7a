"""Counts over the rows of a plain ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from memoro.model.figures import ChangeCount, HourCount, RecallFigures
from memoro.store.plain.tables import Tables


class PlainFigures:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def memories(self) -> list[HourCount]:
        return _by_hour(one.created_at for one in self._tables.memories.values())

    def experiences(self) -> list[HourCount]:
        return _by_hour(one.created_at for one in self._tables.experiences.values())

    def changes(self, since: str) -> list[ChangeCount]:
        entries = [one for one in self._tables.journal.values() if one.at >= since and one.undone_by is None]
        counted = Counter((one.at[:13], one.kind, one.operation) for one in entries)
        return [
            ChangeCount(hour=hour, kind=kind, operation=operation, total=count)
            for (hour, kind, operation), count in sorted(counted.items())
        ]

    def recalls(self, since: str, limit: int) -> list[RecallFigures]:
        newest = [one for _, one in sorted(self._tables.recalls.items(), reverse=True) if one.at >= since]
        found = []
        for recall in newest[:limit]:
            rows = [row for key, row in sorted(self._tables.recalled.items()) if key[0] == recall.number]
            found.append(
                RecallFigures(
                    at=recall.at,
                    form=recall.form,
                    is_prompt=not recall.detail.get("unasked"),
                    items=len(rows),
                    tokens=int(recall.detail.get("tokens", 0)),
                    took_ms=float(recall.detail.get("took_ms", 0.0)),
                    feedback=tuple(word for row in rows for word in row.feedback),
                )
            )
        return found


def _by_hour(stamps: Iterable[str]) -> list[HourCount]:
    counted = Counter(stamp[:13] for stamp in stamps)
    return [HourCount(hour, count) for hour, count in sorted(counted.items())]
