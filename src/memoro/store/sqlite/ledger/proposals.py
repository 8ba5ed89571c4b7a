"""The rows of proposals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import apsw

from memoro.model.vocabulary import ProposalState
from memoro.store.encoding import is_number
from memoro.store.missing import no_proposal

if TYPE_CHECKING:
    from memoro.model.proposals import Proposal

_COLUMNS = (
    "at, actor, agent, operation, detail, state, settled_at, evidence, origin, score, expires_at, project, reason"
)
_PROPOSAL = f"SELECT id, {_COLUMNS} FROM proposals"


class SqliteProposals:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def add(self, proposal: Proposal) -> int:
        from memoro.model.proposal_codec import encode_detail, encode_evidence  # only where there are proposals

        self._db.execute(
            f"INSERT INTO proposals ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(proposal.at, proposal.actor, proposal.agent, proposal.operation, encode_detail(proposal.change)),
                *(proposal.state, proposal.settled_at, encode_evidence(proposal.evidence)),
                *(proposal.origin, proposal.score, proposal.expires_at, proposal.project, proposal.reason),
            ),
        )
        return self._db.last_insert_rowid()

    def get(self, number: int) -> Proposal:
        row = self._db.execute(f"{_PROPOSAL} WHERE id = ?", (number,)).fetchone() if is_number(number) else None
        if row is None:
            raise no_proposal(number)
        return _to_proposal(row)

    def all(self, state: ProposalState | None = None) -> list[Proposal]:
        if state == "open":  # by an index of its own: few wait, and many were decided
            rows = self._db.execute(f"{_PROPOSAL} WHERE state = 'open' ORDER BY id")
        else:
            rows = self._db.execute(f"{_PROPOSAL} WHERE ?1 IS NULL OR state = ?1 ORDER BY id", (state,))
        return [_to_proposal(row) for row in rows]

    def settled(self, limit: int) -> list[Proposal]:
        query = f"{_PROPOSAL} WHERE settled_at IS NOT NULL ORDER BY settled_at DESC, id DESC LIMIT ?"
        return [_to_proposal(row) for row in self._db.execute(query, (limit,))]

    def settle(self, number: int, state: ProposalState, at: str | None) -> None:
        self._db.execute("UPDATE proposals SET state = ?, settled_at = ? WHERE id = ?", (state, at, number))

    def expire(self, number: int, at: str) -> None:
        self._db.execute("UPDATE proposals SET expires_at = ? WHERE id = ?", (at, number))

    def blank(self, number: int) -> None:
        self._db.execute(
            "UPDATE proposals SET detail = '{}', evidence = '[]', reason = '', state = 'rejected' WHERE id = ?",
            (number,),
        )


def _to_proposal(row: Any) -> Proposal:
    from memoro.model.proposal_codec import decode_detail, decode_evidence
    from memoro.model.proposals import Proposal

    (*_, operation, detail, state, settled_at, evidence, origin, score, expires_at, project, reason) = row
    id, at, actor, agent = row[:4]
    return Proposal(
        id=id,
        at=at,
        actor=actor,
        agent=agent,
        change=decode_detail(operation, detail),
        state=state,
        settled_at=settled_at,
        evidence=decode_evidence(evidence),
        origin=origin,
        score=score,
        expires_at=expires_at,
        project=project,
        reason=reason,
    )
