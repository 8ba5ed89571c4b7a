"""Recognising a ledger or an archive: comparing the file that is open with the home's record of it."""

from __future__ import annotations

import apsw

from memoro.store.file_record import FileMark, FileRecord


class Recognition:
    """Compares each transaction's state of a file with the last one that this process saw, else with the record."""

    def __init__(self, record: FileRecord | None, query: str) -> None:
        """Without a record every file is recognised: a copy, or one in memory. `query` selects the mark."""
        self.record = record
        self._query = query
        self._seen: FileMark | None = None

    def mark(self, db: apsw.Connection) -> FileMark | None:
        """The state of the file in the transaction that is open; None where the file does not tell it."""
        if not self._query:
            return None
        try:
            identity, position = db.execute(self._query).fetchall()[0]
        except apsw.SQLError:  # it has none of our tables
            return None
        return FileMark(str(identity), int(str(position or 0))) if identity else None

    def check_missing(self) -> None:
        """Raise where the home had a file that is missing now."""
        if self.record is not None:
            self.record.check_missing()

    def check(self, db: apsw.Connection) -> FileMark | None:
        """Raise where the file is not the one that the home records: somebody has copied another one over it."""
        mark = self.mark(db)
        if self.record is not None and not (mark and self._seen and mark.continues(self._seen)):
            self.record.check(mark)
        self._seen = mark
        return mark

    def before_commit(self, db: apsw.Connection, before: FileMark | None) -> FileMark | None:
        """Announce a transaction that gives the file another identity; return the state that it makes."""
        after = self.mark(db)
        if before and after and before.identity != after.identity:
            self.announce(after)
        return after

    def announce(self, mark: FileMark | None) -> None:
        if self.record is not None and mark is not None:
            self.record.announce(mark)

    def committed(self, mark: FileMark | None) -> None:
        """Record a state that is durable now."""
        if self.record is not None and mark is not None and mark != self._seen:
            self.record.keep(mark)
        self._seen = mark

    def adopt(self, db: apsw.Connection) -> None:
        """Record a file that is new, or that was made before homes had records."""
        self._seen = self.mark(db)
        if self.record is not None and self._seen is not None and self.record.is_open():
            self.record.keep(self._seen)
