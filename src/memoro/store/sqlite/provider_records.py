"""The provider records of a home, in `providers.db`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import fsum
from typing import Any, Literal, NamedTuple, TypeVar, cast

import apsw

from memoro.errors import LedgerDamaged, StoreUnavailable
from memoro.model.home import IN_MEMORY
from memoro.providers.records import (
    ENDED,
    ERASED_REASON,
    Agreement,
    BatchJob,
    BreakerState,
    ServerFacts,
    UsageRow,
)
from memoro.store.files import why_read_only
from memoro.store.sqlite.database_file import TAILS, remove
from memoro.store.sqlite.durable import DurableDatabase, Shape
from memoro.store.sqlite.engine import Engine

FILE = "providers.db"
FORMAT = 1
SCHEMA = """
CREATE TABLE usage (
    day TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    purpose TEXT NOT NULL,
    is_batch INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    texts INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    dollars REAL NOT NULL,
    unpriced INTEGER NOT NULL,
    cached INTEGER NOT NULL,
    PRIMARY KEY (day, provider, model, purpose, is_batch)
) WITHOUT ROWID;
CREATE TABLE facts (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (kind, name)
) WITHOUT ROWID;
CREATE TABLE rejected (
    digest BLOB NOT NULL,
    space TEXT NOT NULL,
    why TEXT NOT NULL,
    PRIMARY KEY (digest, space)
) WITHOUT ROWID;
CREATE INDEX rejected_by_space ON rejected (space);
CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    space TEXT NOT NULL,
    created_at REAL NOT NULL,
    detail TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE job_texts (
    job TEXT NOT NULL REFERENCES jobs,
    position INTEGER NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (job, position)
) WITHOUT ROWID;
CREATE INDEX job_texts_by_digest ON job_texts (digest);
"""
_SHAPE = Shape(format=FORMAT, schema=SCHEMA, migrations={})
_AT_ONCE = 2000  # digests in one statement or one write; SQLite allows a few thousand
_COUNT = f"""
INSERT INTO usage VALUES ({", ".join("?" * len(UsageRow._fields))})
ON CONFLICT DO UPDATE SET {", ".join(f"{one} = {one} + excluded.{one}" for one in UsageRow._fields[5:])}
"""
_JOB_COLUMNS = ("id", "space", "created_at")  # the other fields stand in `detail`
_PUT_JOB = """
INSERT INTO jobs VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET space = excluded.space, created_at = excluded.created_at, detail = excluded.detail
"""

_ERASE_REASONS = (
    "UPDATE facts SET value = json_set(value, '$.why', ?) WHERE kind = 'breaker' AND value ->> '$.why' != ''",
    f"""UPDATE jobs SET detail = json_set(detail, '$.why', ?)
         WHERE detail ->> '$.why' != '' AND detail ->> '$.state' IN {ENDED}""",
)

# What is kept by name, each as a JSON value: an agreement, a suspicion and calibrations by space, what is known of a
# server by `server_name`, a breaker by host, failures of batch jobs by provider, and when records were lost.
_Kind = Literal[
    "agreement", "suspicion", "calibration", "begun_calibration", "server", "breaker", "batch_failures", "lost_at"
]
_OF_A_SPACE: tuple[_Kind, ...] = ("agreement", "suspicion", "calibration", "begun_calibration")

_R = TypeVar("_R")


class SqliteProviderRecords:
    """Durable: a job whose id was lost would be paid for again. The first write makes the file."""

    def __init__(self, home: str, engine: Engine) -> None:
        self._home = home
        self._file = os.path.join(home, FILE)
        self._database = DurableDatabase(self._file, engine, _SHAPE)
        self._empty = DurableDatabase(IN_MEMORY, engine._replace(wal=False, vfs=None), _SHAPE)

    def _read(self, work: Callable[[apsw.Connection], _R]) -> _R:
        """Read one moment of the file. A missing one is as one that is empty, and so is one that cannot be mended."""
        try:
            if os.path.exists(self._file):
                with self._database.read() as db:
                    return work(db)
        except LedgerDamaged:
            self._set_aside()
        except StoreUnavailable:
            if not why_read_only(self._home):
                raise
        with self._empty.read() as db:
            return work(db)

    def _write(self, work: Callable[[apsw.Connection], object]) -> None:
        if refusal := why_read_only(self._home):
            raise refusal
        try:
            with self._database.write() as db:
                work(db)
        except LedgerDamaged:
            self._set_aside()
            with self._database.write() as db:
                work(db)

    def _delete(self, work: Callable[[apsw.Connection], object]) -> None:
        """Change what is kept; nothing where no file is."""
        if os.path.exists(self._file):
            self._write(work)

    def _set_aside(self) -> None:
        """Begin anew where the file is damaged, and keep its bytes: no damage may stop a search or a sync."""
        if why_read_only(self._home):
            return
        with self._database.alone():
            self._database.close()
            if is_damaged := self._database.is_damaged():
                os.replace(self._file, self._damaged)
                for tail in TAILS[1:]:
                    remove(self._file + tail)
            for tail in TAILS:  # while this copy is there, nothing is written
                remove(self._database.damaged_copy + tail)
        if is_damaged:
            now = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"
            with self._database.write() as db:
                db.execute(f"INSERT OR REPLACE INTO facts VALUES ('lost_at', '', json_quote({now}))")

    @property
    def _damaged(self) -> str:
        return os.path.join(self._home, "providers.damaged")

    def count(self, row: UsageRow, space: str | None = None) -> None:
        def work(db: apsw.Connection) -> None:
            db.execute(_COUNT, row)
            agreed = None if space is None else _agreement(_get(db, "agreement", space))
            if space is not None and agreed is not None and agreed.dollars is not None:
                left = max(0.0, agreed.dollars - row.dollars)
                _put(db, "agreement", space, agreed._replace(dollars=left)._asdict())

        self._write(work)

    def usage(self, since: str = "") -> list[UsageRow]:
        def work(db: apsw.Connection) -> list[UsageRow]:
            found = db.execute("SELECT * FROM usage WHERE day >= ? ORDER BY 1, 2, 3, 4, 5", (since,)).fetchall()
            return [UsageRow(*row)._replace(is_batch=bool(row[4])) for row in cast("list[UsageRow]", found)]

        return self._read(work)

    def spent(self, day: str) -> float:
        return fsum(row.dollars for row in self.usage(day) if row.day == day)

    def agreement(self, space: str) -> Agreement | None:
        return _agreement(self._fact("agreement", space))

    def agree(self, space: str, agreement: Agreement | None) -> None:
        self._put_fact("agreement", space, None if agreement is None else agreement._asdict())

    def facts(self, server: str) -> ServerFacts:
        return ServerFacts(**_known_fields(self._fact("server", server), ServerFacts))

    def learn(self, server: str, facts: ServerFacts) -> None:
        def work(db: apsw.Connection) -> None:
            before = _known_fields(_get(db, "server", server), ServerFacts)
            _put(db, "server", server, before | {key: one for key, one in facts._asdict().items() if one is not None})

        self._write(work)

    def forget_facts(self, server: str) -> None:
        self._delete(lambda db: _put(db, "server", server, None))

    def breaker(self, host: str) -> BreakerState:
        return BreakerState(**_known_fields(self._fact("breaker", host), BreakerState))

    def set_breaker(self, host: str, state: BreakerState) -> None:
        self._put_fact("breaker", host, state._asdict())

    def rejected(self, space: str, digests: Sequence[str]) -> dict[str, str]:
        def work(db: apsw.Connection) -> dict[str, str]:
            found: dict[str, str] = {}
            for start in range(0, len(digests), _AT_ONCE):
                some = [bytes.fromhex(one) for one in digests[start : start + _AT_ONCE]]
                marks = ", ".join("?" * len(some))
                query = f"SELECT digest, why FROM rejected WHERE space = ? AND digest IN ({marks})"
                found |= {_hex(digest): str(why) for digest, why in db.execute(query, (space, *some))}
            return found

        return self._read(work)

    def reject(self, space: str, reasons: Mapping[str, str]) -> None:
        rows = [(bytes.fromhex(digest), space, why) for digest, why in reasons.items()]
        self._write(lambda db: db.executemany("INSERT OR REPLACE INTO rejected VALUES (?, ?, ?)", rows))

    def rejected_count(self, space: str) -> int:
        return self._read(lambda db: _number(db, "SELECT count(*) FROM rejected WHERE space = ?", space))

    def retry_rejected(self, space: str) -> None:
        self._delete(lambda db: db.execute("DELETE FROM rejected WHERE space = ?", (space,)))

    def suspicion(self, space: str) -> str | None:
        return _text(self._fact("suspicion", space))

    def suspect(self, space: str, why: str | None) -> None:
        self._put_fact("suspicion", space, why)

    def jobs(self, space: str | None = None) -> list[BatchJob]:
        def work(db: apsw.Connection) -> list[BatchJob]:
            query = "SELECT id, space, created_at, detail FROM jobs ORDER BY created_at DESC, id"
            return [_job(cast("tuple[str, str, float, str]", row)) for row in db.execute(query)]

        return [job for job in self._read(work) if space in (None, job.space)]

    def put_job(self, job: BatchJob, digests: Sequence[str] | None = None) -> None:
        def work(db: apsw.Connection) -> None:
            db.execute(_PUT_JOB, (job.id, job.space, job.created_at, _detail(job)))
            if digests is not None:
                db.execute("DELETE FROM job_texts WHERE job = ?", (job.id,))
                texts = [(job.id, place, bytes.fromhex(one)) for place, one in enumerate(digests)]
                db.executemany("INSERT INTO job_texts VALUES (?, ?, ?)", texts)

        self._write(work)

    def job_digests(self, job: str) -> list[str]:
        query = "SELECT digest FROM job_texts WHERE job = ? ORDER BY position"
        return self._read(lambda db: [_hex(digest) for (digest,) in db.execute(query, (job,))])

    def settle_texts(self, job: str, digests: Sequence[str]) -> None:
        rows = [(job, bytes.fromhex(one)) for one in digests]
        for start in range(0, len(rows), _AT_ONCE):  # a search that counts its request waits for one part alone
            some = rows[start : start + _AT_ONCE]
            self._write(partial(_settle, rows=some))

    def batch_failures(self, provider: str) -> int:
        found = self._fact("batch_failures", provider)
        return found if isinstance(found, int) else 0

    def set_batch_failures(self, provider: str, failures: int) -> None:
        self._put_fact("batch_failures", provider, failures)

    def calibration(self, space: str) -> str | None:
        return _text(self._fact("calibration", space))

    def put_calibration(self, space: str, document: str | None) -> None:
        self._put_fact("calibration", space, document)

    def begun_calibration(self, space: str) -> str | None:
        return _text(self._fact("begun_calibration", space))

    def put_begun_calibration(self, space: str, document: str | None) -> None:
        self._put_fact("begun_calibration", space, document)

    def forget(self, digests: Sequence[str]) -> None:
        remove(self._damaged)
        if not digests or not os.path.exists(self._file):
            return
        rows = [(bytes.fromhex(one),) for one in digests]

        def work(db: apsw.Connection) -> None:
            for table in ("rejected", "job_texts"):
                db.executemany(f"DELETE FROM {table} WHERE digest = ?", rows)
            db.execute("DELETE FROM facts WHERE kind = 'begun_calibration'")
            for query in _ERASE_REASONS:
                db.execute(query, (ERASED_REASON,))

        self._write(work)
        self._database.merge_log()

    def drop_space(self, space: str) -> None:
        def work(db: apsw.Connection) -> None:
            db.execute("DELETE FROM rejected WHERE space = ?", (space,))
            for kind in _OF_A_SPACE:
                _put(db, kind, space, None)

        self._delete(work)

    def lost_at(self) -> str | None:
        return _text(self._fact("lost_at", ""))

    def _fact(self, kind: _Kind, name: str) -> object:
        return self._read(lambda db: _get(db, kind, name))

    def _put_fact(self, kind: _Kind, name: str, value: object) -> None:
        self._write(lambda db: _put(db, kind, name, value))

    def close(self) -> None:
        self._database.close()
        self._empty.close()


def _get(db: apsw.Connection, kind: _Kind, name: str) -> object:
    """Return what is kept of this kind under this name; None where nothing is."""
    found = db.execute("SELECT value FROM facts WHERE kind = ? AND name = ?", (kind, name)).get
    return None if found is None else json.loads(str(found))


def _put(db: apsw.Connection, kind: _Kind, name: str, value: object) -> None:
    if value is None:
        db.execute("DELETE FROM facts WHERE kind = ? AND name = ?", (kind, name))
    else:
        db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", (kind, name, json.dumps(value)))


def _known_fields(value: object, of: type[NamedTuple]) -> dict[str, Any]:
    """Return those of the stored fields that this version knows."""
    return {key: one for key, one in value.items() if key in of._fields} if isinstance(value, dict) else {}


def _settle(db: apsw.Connection, rows: Sequence[tuple[str, bytes]]) -> None:
    db.executemany("DELETE FROM job_texts WHERE job = ? AND digest = ?", rows)


def _agreement(value: object) -> Agreement | None:
    return None if value is None else Agreement(**_known_fields(value, Agreement))


def _detail(job: BatchJob) -> str:
    return json.dumps({key: one for key, one in job._asdict().items() if key not in _JOB_COLUMNS})


def _job(row: tuple[str, str, float, str]) -> BatchJob:
    job, space, created_at, detail = row
    return BatchJob(id=job, space=space, created_at=created_at, **_known_fields(json.loads(detail), BatchJob))


def _number(db: apsw.Connection, query: str, value: str) -> int:
    return int(str(db.execute(query, (value,)).get))


def _hex(digest: object) -> str:
    return cast("bytes", digest).hex()


def _text(value: object) -> str | None:
    return None if value is None else str(value)
