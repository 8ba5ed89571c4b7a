"""Proposals as the columns of the ledger: the one place that writes and reads them.

`operation` and `detail` are those that version 0.1.0 wrote, so its proposals are read as they are.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from memoro.model.from_json import build
from memoro.model.proposals import (
    AddDailyLine,
    AddRule,
    ChangeMemory,
    EditEntry,
    ErasedProposal,
    Evidence,
    MoveEntry,
    PromoteMemory,
    ProposedChange,
    PutBackLines,
    RememberEntry,
    RemoveEntry,
    RemoveMemory,
    RetireEntry,
    RetireExperience,
    RetireMemory,
    RetireNote,
    StoreMemory,
    SupersedeMemory,
    WriteNote,
)

_KINDS: dict[str, type[tuple[Any, ...]]] = {
    "remember": RememberEntry,
    "edit": EditEntry,
    "remove": RemoveEntry,
    "daily": AddDailyLine,
    "put_back": PutBackLines,
    "store_memory": StoreMemory,
    "supersede_memory": SupersedeMemory,
    "change_memory": ChangeMemory,
    "remove_memory": RemoveMemory,
    "write_note": WriteNote,
    "retire_entry": RetireEntry,
    "move_entry": MoveEntry,
    "promote_memory": PromoteMemory,
    "retire_memory": RetireMemory,
    "retire_experience": RetireExperience,
    "retire_note": RetireNote,
    "add_rule": AddRule,
}


def encode_detail(change: ProposedChange) -> str:
    """Returns what a proposed change says, as a JSON object."""
    if isinstance(change, ErasedProposal):
        return change.detail
    said = change._asdict()
    if said.get("was", "") is None:
        del said["was"]
    return json.dumps(said, ensure_ascii=False)


def decode_detail(operation: str, detail: str) -> ProposedChange:
    """Returns the change that the columns tell of, or an ErasedProposal. It never raises."""
    try:
        change: ProposedChange = build(_KINDS[operation], json.loads(detail))  # type: ignore[assignment]
    except (ValueError, KeyError, RecursionError):
        return ErasedProposal(operation, detail)
    return change


def encode_evidence(evidence: Sequence[Evidence]) -> str:
    said = [{name: value for name, value in one._asdict().items() if value is not None} for one in evidence]
    return json.dumps(said, ensure_ascii=False)


def decode_evidence(text: str) -> tuple[Evidence, ...]:
    try:
        return tuple(build(Evidence, one) for one in json.loads(text))
    except (ValueError, TypeError, RecursionError):
        return ()
