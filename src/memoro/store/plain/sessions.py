"""Sessions of a plain ledger."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from memoro.errors import StoreError
from memoro.model.recalls import SessionTotals, StoredItem, StoredRecall
from memoro.model.sessions import Session, Use
from memoro.model.vocabulary import Feedback
from memoro.store.plain.tables import RecalledRow, Tables, number_for
from memoro.store.plain.writes import PlainContents


class PlainSessions:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._texts = PlainContents(tables)

    def find(self, session: str) -> Session | None:
        row = self._tables.sessions.get(session)
        if row is None:
            return None
        recalls = self.recalls(session)
        items = sum(len(self._positions(recall.number)) for recall in recalls)
        return row._replace(recalls=len(recalls), items=items, last_at=max((one.at for one in recalls), default=None))

    def all(self, *, archived: bool, limit: int = -1, after: tuple[str, str] | None = None) -> list[Session]:
        known = [session for name in sorted(self._tables.sessions) if (session := self.find(name))]
        shown = [session for session in known if archived or session.archived_at is None]
        ordered = sorted(shown, key=lambda one: one.last_at or one.started_at, reverse=True)
        if after is not None:
            at, name = after
            moments = [(one.last_at or one.started_at, one) for one in ordered]
            ordered = [one for moment, one in moments if moment < at or (moment == at and one.id > name)]
        return ordered if limit < 0 else ordered[:limit]

    def last_of_projects(self, limit: int) -> list[Session]:
        ordered = sorted(self._tables.sessions.values(), key=lambda one: (one.started_at, one.id))
        last = {one.scope.project: one.id for one in ordered}
        newest = [one.id for one in reversed(ordered) if last[one.scope.project] == one.id]
        return [found for name in newest[:limit] if (found := self.find(name))]

    def insert(self, session: Session) -> None:
        if session.id in self._tables.sessions:
            raise StoreError(f"There is a session {session.id!r} already.")
        self._tables.sessions[session.id] = session._replace(recalls=0, items=0, last_at=None)

    def put_archived(self, session: str, at: str | None) -> None:
        if row := self._tables.sessions.get(session):
            self._tables.sessions[session] = row._replace(archived_at=at)

    def totals(self) -> SessionTotals:
        rows = self._tables.sessions.values()
        archived = sum(one.archived_at is not None for one in rows)
        return SessionTotals(sessions=len(rows), archived=archived, recalls=len(self._tables.recalls))

    def add(self, recall: StoredRecall, items: Sequence[StoredItem], key: bytes | None) -> int:
        if key is not None and key in self._tables.recall_keys:
            raise StoreError("There is a recall with this key already.")
        number = number_for(self._tables, "recalls", 0)
        self._tables.recalls[number] = recall._replace(number=number, detail=_plain(recall.detail))
        if key is not None:
            self._tables.recall_keys[key] = number
        for position, one in enumerate(items):
            content = None if one.text is None else self.keep(one.text)
            self._tables.recalled[number, position] = RecalledRow(one.item, content)
        return number

    def by_key(self, key: bytes) -> StoredRecall | None:
        return self._tables.recalls.get(self._tables.recall_keys.get(key, 0))

    def recall(self, session: str, number: int | None) -> StoredRecall | None:
        return next((one for one in reversed(self.recalls(session)) if number in (None, one.number)), None)

    def recalls(self, session: str) -> list[StoredRecall]:
        return [recall for recall in self.all_recalls() if recall.session == session]

    def numbered(self, number: int) -> StoredRecall | None:
        return self._tables.recalls.get(number)

    def last_with(self, item: str, session: str | None = None) -> StoredRecall | None:
        gave = {number for (number, _), row in self._rows() if row.item == item}
        found = [one for one in self.all_recalls() if one.number in gave and session in (None, one.session)]
        return found[-1] if found else None

    def neighbours(self, first: str, end: str) -> tuple[str | None, str | None]:
        times = [recall.at for recall in self.all_recalls()]
        before = max((at for at in times if at < first), default=None)
        return before, min((at for at in times if at >= end), default=None)

    def all_recalls(self) -> Iterator[StoredRecall]:
        return iter([recall for _, recall in sorted(self._tables.recalls.items())])

    def recalls_between(self, begin: str, end: str) -> list[StoredRecall]:
        return [recall for recall in self.all_recalls() if begin <= recall.at < end]

    def recalls_of(self, prefix: str) -> list[StoredRecall]:
        found = {number for (number, _), row in self._rows() if row.item.startswith(prefix)}
        return [recall for recall in self.all_recalls() if recall.number in found]

    def replace_recall(self, recall: StoredRecall) -> None:
        self._tables.recalls[recall.number] = self._tables.recalls[recall.number]._replace(
            message=recall.message, detail=_plain(recall.detail)
        )

    def items(self, recall: int) -> list[StoredItem]:
        rows = [self._tables.recalled[position] for position in self._positions(recall)]
        return [StoredItem(row.item, self.kept(row.content) if row.content else None, row.feedback) for row in rows]

    def keep(self, text: str) -> str:
        return self._texts.keep(text.encode())

    def kept(self, digest: str) -> str | None:
        data = self._texts.get(digest)
        return None if data is None else data.decode()

    def given_texts(self) -> dict[str, set[str]]:
        held: dict[str, set[str]] = {}
        for _, row in self._rows():
            if row.content is not None:
                held.setdefault(row.content, set()).add(row.item)
        return held

    def forget_text(self, digest: str) -> None:
        for position, row in self._rows():
            if row.content == digest:
                self._tables.recalled[position] = row._replace(content=None)

    def uses(self, item: str) -> list[Use]:
        rows = [(self._tables.recalls[number], row) for (number, _), row in self._rows() if row.item == item]
        return [
            Use(
                item=item,
                session=recall.session,
                recall=recall.number,
                at=recall.at,
                message=recall.message,
                feedback=row.feedback,
            )
            for recall, row in reversed(rows)
        ]

    def feedback(self, items: Sequence[str] | None = None) -> Iterator[tuple[str, tuple[Feedback, ...]]]:
        if items is None:
            yield from ((row.item, row.feedback) for _, row in self._rows())
            return
        for item in dict.fromkeys(items):
            yield from ((item, row.feedback) for _, row in self._rows() if row.item == item)

    def of_note(self, path: str) -> list[tuple[str, str]]:
        rows = dict.fromkeys(row for _, row in self._rows() if row.item.startswith((f"note:{path}#", f"{path}:")))
        return list(dict.fromkeys((row.item, self.kept(row.content) or "") for row in rows if row.content))

    def note(self, item: str, word: Feedback, session: str | None = None) -> int | None:
        for (number, position), row in reversed(self._rows()):
            if row.item == item and session in (None, self._tables.recalls[number].session):
                if word in row.feedback:
                    return None
                self._tables.recalled[number, position] = row._replace(feedback=(*row.feedback, word))
                return number
        return None

    def note_again(self, recall: int, item: str, word: Feedback) -> None:
        self.take_back(recall, item, word)
        for position in self._positions(recall):
            row = self._tables.recalled[position]
            if row.item == item:
                self._tables.recalled[position] = row._replace(feedback=(*row.feedback, word))

    def take_back(self, recall: int, item: str, word: Feedback) -> None:
        for position in self._positions(recall):
            row = self._tables.recalled[position]
            if row.item == item:
                left = tuple(one for one in row.feedback if one != word)
                self._tables.recalled[position] = row._replace(feedback=left)

    def _rows(self) -> list[tuple[tuple[int, int], RecalledRow]]:
        return sorted(self._tables.recalled.items())

    def _positions(self, recall: int) -> list[tuple[int, int]]:
        return sorted(position for position in self._tables.recalled if position[0] == recall)


def _plain(detail: object) -> dict[str, object]:
    """As it comes back from JSON, in which every store keeps it."""
    plain: dict[str, object] = json.loads(json.dumps(detail))
    return plain
