"""Contents, pending writes, watched lines and proposals of a plain ledger."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from memoro.model.ledger import WatchedLine
from memoro.model.proposals import ErasedProposal, Proposal
from memoro.model.vocabulary import ProposalState
from memoro.store.missing import no_proposal
from memoro.store.plain.tables import Tables, number_for


class PlainContents:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def keep(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        self._tables.contents[digest] = data
        return digest

    def get(self, digest: str) -> bytes | None:
        return self._tables.contents.get(digest)

    def holds(self, data: bytes) -> bool:
        return hashlib.sha256(data).hexdigest() in self._tables.contents

    def all(self) -> Iterator[tuple[str, bytes]]:
        yield from sorted(self._tables.contents.items())

    def delete(self, digest: str) -> None:
        self._tables.contents.pop(digest, None)
        for key, row in list(self._tables.recalled.items()):
            if row.content == digest:
                self._tables.recalled[key] = row._replace(content=None)


class PlainPending:
    def __init__(self, tables: Tables) -> None:
        self._rows = tables.pending

    def begin(self, entry: int) -> None:
        self._rows[entry] = None

    def end(self, entry: int) -> None:
        self._rows.pop(entry, None)

    def all(self) -> list[int]:
        return sorted(self._rows)


class PlainLines:
    def __init__(self, tables: Tables) -> None:
        self._rows = tables.lines

    def watch(self, line: WatchedLine) -> None:
        self._rows[line.entry] = line

    def all(self) -> list[WatchedLine]:
        return [line for _, line in sorted(self._rows.items())]

    def in_note(self, path: str, *, but: bytes | None = None) -> list[WatchedLine]:
        return [line for line in self.all() if line.path == path and (but is None or line.seen != but)]

    def saw(self, entry: int, state: bytes, *, returned: bool | None = None) -> None:
        if line := self._rows.get(entry):
            self._rows[entry] = line._replace(seen=state, returned=line.returned if returned is None else returned)

    def note_changed(self, path: str, before: bytes, after: bytes) -> None:
        for line in self.in_note(path):
            if line.seen == before:
                self.saw(line.entry, after)

    def note_moved(self, old: str, new: str) -> None:
        for line in self.in_note(old):
            self._rows[line.entry] = line._replace(path=new)

    def unwatch(self, entry: int) -> None:
        self._rows.pop(entry, None)


class PlainProposals:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._rows = tables.proposals

    def add(self, proposal: Proposal) -> int:
        number = number_for(self._tables, "proposals", 0)
        self._rows[number] = proposal._replace(id=number)
        return number

    def get(self, number: int) -> Proposal:
        if number not in self._rows:
            raise no_proposal(number)
        return self._rows[number]

    def all(self, state: ProposalState | None = None) -> list[Proposal]:
        return [proposal for _, proposal in sorted(self._rows.items()) if state in (None, proposal.state)]

    def settled(self, limit: int) -> list[Proposal]:
        decided = [proposal for proposal in self.all() if proposal.settled_at is not None]
        return sorted(decided, key=lambda one: (one.settled_at or "", one.id), reverse=True)[:limit]

    def settle(self, number: int, state: ProposalState, at: str | None) -> None:
        if number in self._rows:
            self._rows[number] = self._rows[number]._replace(state=state, settled_at=at)

    def expire(self, number: int, at: str) -> None:
        if number in self._rows:
            self._rows[number] = self._rows[number]._replace(expires_at=at)

    def blank(self, number: int) -> None:
        if number in self._rows:
            old = self._rows[number]
            erased = ErasedProposal(old.operation)
            self._rows[number] = old._replace(change=erased, evidence=(), reason="", state="rejected")
