"""Lowering what an export says about itself: anybody can write a file that calls its own content confirmed."""

from __future__ import annotations

from typing import Any

from memoro.ledger.exchange.records import ExportedMemory
from memoro.model.experiences import FIRST_CONFIDENCE, PREFERENCE, Experience
from memoro.model.memories import MOST_FEEDBACK, Memory
from memoro.model.vocabulary import TRUSTS, Trust

# What a file says about its own trust is only what somebody has written into a file: it can lower it, not raise it.
# A person can still do that, item by item, or for a whole export of their own.
MOST_TRUSTED: Trust = "agent_inferred"
_MOST_OUTCOMES = 10  # with more, the next outcomes would hardly count


def least(*levels: Trust) -> Trust:
    return min(levels, key=TRUSTS.index)


def lowered_memory(memory: Memory) -> Memory:
    """Return a memory with no more trust and feedback than a file may claim."""
    feedback = max(-MOST_FEEDBACK, min(MOST_FEEDBACK, memory.feedback))
    return memory._replace(trust=least(memory.trust, MOST_TRUSTED), feedback=feedback)


def lowered_experience(one: Experience) -> Experience:
    """Return an experience with no more trust, outcomes and confidence than a file may claim."""
    success = min(one.success, FIRST_CONFIDENCE) if one.type == PREFERENCE else one.success
    trust = least(one.trust, MOST_TRUSTED)
    return one._replace(trust=trust, success=success, outcomes=min(one.outcomes, _MOST_OUTCOMES))


def lowered(record: Any) -> Any:
    """Return a record of an export with everything in it lowered, the changes that its journal tells included."""
    match record:
        case Memory():
            return lowered_memory(record)
        case Experience():
            return lowered_experience(record)
        case ExportedMemory(memory, archived):
            return ExportedMemory(lowered_memory(memory), archived)
        case dict():
            return {name: _lowered_field(name, value) for name, value in record.items()}
        case tuple() if hasattr(record, "_fields"):
            fields = zip(record._fields, record, strict=True)
            return type(record)(*(_lowered_field(name, value) for name, value in fields))
        case tuple():
            return tuple(lowered(value) for value in record)
        case _:
            return record


def _lowered_field(name: str, value: Any) -> Any:
    if name == "trust" and value in TRUSTS:
        return least(value, MOST_TRUSTED)
    if name == "feedback" and isinstance(value, int):
        return max(-MOST_FEEDBACK, min(MOST_FEEDBACK, value))
    return lowered(value)
