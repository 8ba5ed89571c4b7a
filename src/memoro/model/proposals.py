"""Changes that agents suggest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from memoro.model.vocabulary import ProposalState


class Proposal(NamedTuple):
    """A change that an agent suggests. Nothing happens until a person accepts it."""

    id: int
    at: str
    actor: str
    agent: str | None
    operation: str
    detail: Mapping[str, Any]
    state: ProposalState
    settled_at: str | None = None
