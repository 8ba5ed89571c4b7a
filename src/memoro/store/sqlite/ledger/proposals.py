"""The rows of proposals."""

from __future__ import annotations

import json
from typing import Any

import apsw

from memoro.model.proposals import Proposal
from memoro.model.vocabulary import ProposalState
from memoro.store.encoding import is_number, to_json
from memoro.store.missing import no_proposal

_PROPOSAL = "SELECT id, at, actor, agent, operation, detail, state, settled_at FROM proposals"


class SqliteProposals:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def add(self, proposal: Proposal) -> int:
        self._db.execute(
            """INSERT INTO proposals (at, actor, agent, operation, detail, state, settled_at)
               VALUES (?, ?, ?, ?, ?, ?, ?)""",
            (
                *(proposal.at, proposal.actor, proposal.agent, proposal.operation),
                *(to_json(proposal.detail), proposal.state, proposal.settled_at),
            ),
        )
        return self._db.last_insert_rowid()

    def get(self, number: int) -> Proposal:
        row = self._db.execute(f"{_PROPOSAL} WHERE id = ?", (number,)).fetchone() if is_number(number) else None
        if row is None:
            raise no_proposal(number)
        return _to_proposal(row)

    def all(self, state: ProposalState | None = None) -> list[Proposal]:
        rows = self._db.execute(f"{_PROPOSAL} WHERE ?1 IS NULL OR state = ?1 ORDER BY id", (state,))
        return [_to_proposal(row) for row in rows]

    def settle(self, number: int, state: ProposalState, at: str) -> None:
        self._db.execute("UPDATE proposals SET state = ?, settled_at = ? WHERE id = ?", (state, at, number))

    def blank(self, number: int) -> None:
        self._db.execute("UPDATE proposals SET detail = '{}', state = 'rejected' WHERE id = ?", (number,))


def _to_proposal(row: Any) -> Proposal:
    id, at, actor, agent, operation, detail, state, settled_at = row
    return Proposal(
        id=id,
        at=at,
        actor=actor,
        agent=agent,
        operation=operation,
        detail=json.loads(detail),
        state=state,
        settled_at=settled_at,
    )
