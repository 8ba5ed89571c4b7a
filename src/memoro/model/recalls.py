"""Recalls as the ledger stores them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from memoro.model.vocabulary import Feedback, RecallForm


class StoredRecall(NamedTuple):
    """One recall of a session. `detail` holds what needs no column of its own."""

    number: int
    session: str
    at: str
    form: RecallForm
    message: str
    boundary: str
    detail: Mapping[str, Any]


class StoredItem(NamedTuple):
    """One item of a recall."""

    item: str
    text: str | None  # None: it was forgotten
    feedback: tuple[Feedback, ...] = ()


class SessionTotals(NamedTuple):
    sessions: int
    archived: int  # of the sessions
    recalls: int
