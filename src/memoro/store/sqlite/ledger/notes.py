"""The rows that writing notes needs: contents as they were, writes under way, lines to look after, proposals."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

import apsw

from memoro.errors import MemoryNotFound
from memoro.model.vocabulary import ProposalState

DROPPED = b""  # in place of what a note was seen to be: a save of an older version has dropped the line
_PROPOSAL = "SELECT id, at, actor, agent, operation, detail, state, settled_at FROM proposals"


class Proposal(NamedTuple):
    """A change that an agent suggests; nothing happens until it is accepted."""

    id: int
    at: str
    actor: str
    agent: str | None
    operation: str
    detail: Mapping[str, Any]
    state: ProposalState
    settled_at: str | None = None


class Line(NamedTuple):
    """A line that was appended to a note that others save too."""

    entry: int
    path: str
    line: str
    seen: bytes  # what the whole note was after it, as `seen` tells it
    returned: bool  # it was dropped once by a save of an older version, and put back


class NoteRows:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def keep(self, data: bytes) -> str:
        """Keep the bytes of a file; the name to ask for them by."""
        digest = hashlib.sha256(data).digest()
        self._db.execute(
            "INSERT OR IGNORE INTO contents (digest, data) VALUES (?, ?)", (digest, zlib.compress(data, 1))
        )
        return digest.hex()

    def kept(self, digest: str) -> bytes | None:
        row = self._db.execute("SELECT data FROM contents WHERE digest = ?", (bytes.fromhex(digest),)).get
        return zlib.decompress(row) if row is not None else None

    def holds(self, data: bytes) -> bool:
        return self.kept(hashlib.sha256(data).hexdigest()) is not None

    def all_kept(self) -> Iterator[tuple[str, bytes]]:
        for digest, data in cast(Any, self._db.execute("SELECT digest, data FROM contents")):
            yield bytes(digest).hex(), zlib.decompress(data)

    def drop(self, digest: str) -> None:
        self._db.execute("DELETE FROM contents WHERE digest = ?", (bytes.fromhex(digest),))

    def begin(self, entry: int) -> None:
        self._db.execute("INSERT INTO pending VALUES (?)", (entry,))

    def end(self, entry: int) -> None:
        self._db.execute("DELETE FROM pending WHERE entry = ?", (entry,))

    def pending(self) -> list[int]:
        return [int(str(entry)) for (entry,) in self._db.execute("SELECT entry FROM pending ORDER BY entry")]

    def look_after(self, entry: int, path: str, line: str, whole: bytes) -> None:
        self._db.execute(
            "INSERT INTO lines (entry, path, line, seen) VALUES (?, ?, ?, ?)", (entry, path, line, seen(whole))
        )

    def looked_after(self, path: str | None = None, *, but: bytes | None = None) -> list[Line]:
        """All of them, or those of one note; without those that were seen last as `but` tells it."""
        query = """SELECT entry, path, line, seen, returned FROM lines
                    WHERE (?1 IS NULL OR path = ?1) AND (?2 IS NULL OR seen <> ?2) ORDER BY entry"""
        return [
            Line(entry, path, line, bytes(whole), returned == 1)
            for entry, path, line, whole, returned in cast(Any, self._db.execute(query, (path, but)))
        ]

    def changed(self, path: str, before: bytes, after: bytes) -> None:
        """By a write of our own, with nobody else's in between."""
        self._db.execute("UPDATE lines SET seen = ? WHERE path = ? AND seen = ?", (seen(after), path, seen(before)))

    def saw(self, entry: int, whole: bytes | None, *, returned: bool | None = None) -> None:
        """The note is this now, by a write of our own; None: a save of others has dropped the line."""
        self._db.execute(
            "UPDATE lines SET seen = ?, returned = coalesce(?, returned) WHERE entry = ?",
            (DROPPED if whole is None else seen(whole), returned, entry),
        )

    def moved(self, old: str, new: str) -> None:
        self._db.execute("UPDATE lines SET path = ? WHERE path = ?", (new, old))

    def leave(self, entry: int) -> None:
        """Look after a line no longer: what its owner makes of it is right."""
        self._db.execute("DELETE FROM lines WHERE entry = ?", (entry,))

    def propose(self, at: str, actor: str, agent: str | None, operation: str, detail: Mapping[str, Any]) -> int:
        self._db.execute(
            "INSERT INTO proposals (at, actor, agent, operation, detail, state) VALUES (?, ?, ?, ?, ?, 'open')",
            (at, actor, agent, operation, json.dumps(dict(detail), ensure_ascii=False)),
        )
        return self._db.last_insert_rowid()

    def proposal(self, number: int) -> Proposal:
        row = self._db.execute(f"{_PROPOSAL} WHERE id = ?", (number,)).fetchone() if 0 < number < 2**63 else None
        if row is None:
            raise MemoryNotFound(f"There is no proposal {number}. `memoro proposals` lists them.")
        return _to_proposal(row)

    def proposals(self, state: ProposalState | None = "open") -> list[Proposal]:
        rows = self._db.execute(f"{_PROPOSAL} WHERE ?1 IS NULL OR state = ?1 ORDER BY id", (state,))
        return [_to_proposal(row) for row in rows]

    def unsay(self, number: int) -> None:
        self._db.execute("UPDATE proposals SET detail = '{}', state = 'rejected' WHERE id = ?", (number,))

    def settle(self, number: int, state: ProposalState, at: str) -> None:
        self._db.execute("UPDATE proposals SET state = ?, settled_at = ? WHERE id = ?", (state, at, number))


def seen(data: bytes) -> bytes:
    """Tells one state of a note from another."""
    return hashlib.sha256(data).digest()[:16]


def _to_proposal(row: Any) -> Proposal:
    proposal = Proposal(*row)
    return proposal._replace(detail=json.loads(str(proposal.detail)))
