"""The facts that were extracted from conversations and hold no longer; and messages that said one of them again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoro.index.mirror import validity
from memoro.ledger.access import Once
from memoro.model.answers import EndedFact
from memoro.model.memories import EXTRACTION, Memory, holds_at, stamp
from memoro.model.notes import MEMORY
from memoro.model.results import RepetitionResult

if TYPE_CHECKING:
    from memoro.ledger.access import LedgerAccess
    from memoro.ledger.ports import Transaction

_CHANGES = 50  # of one fact that are followed


def ended_facts(access: LedgerAccess, origins: Sequence[str], texts: Sequence[str]) -> list[EndedFact]:
    """Return those from these messages, or with these very texts, that do not hold now.

    A message that said again what a memory held is found too: the memory tells whether that holds.
    """
    now = stamp(access.now())
    with access.ledger.reading() as tx:
        found = tx.memories.ended_facts(origins) if origins else []
        alike = [one for text in texts for one in tx.memories.by_digest(access.digest(tx, text))]
        found += [one for one in alike if one.source == EXTRACTION and one not in found]
        stated = [(one.origin, one.content, one) for one in found if one.origin]
        repeated = [(origin, access.kept(tx, said_again(origin))) for origin in origins]
        stated += [(origin, "", one) for origin, same in repeated if same and (one := tx.memories.find(same.memory))]
        return [
            _fact(tx, one)._replace(origin=origin, text=text)
            for origin, text, one in stated
            if one.valid_to and not holds_at(one, now)
        ]


def said_again(origin: str) -> Once[RepetitionResult]:
    """Return under what the ledger keeps the memory that a message repeats, where it states nothing else."""
    return Once(f"memoro:said again:{origin}", ("said again",), RepetitionResult)


def _fact(tx: Transaction, memory: Memory) -> EndedFact:
    held = validity(memory)
    newest = _newest(tx, memory)
    return EndedFact(
        origin=memory.origin or "",
        text=memory.content,
        first=held.first,
        last=held.last or held.first,
        superseded_by=f"{MEMORY}{newest}" if newest else None,
    )


def _newest(tx: Transaction, memory: Memory) -> int | None:
    """Return the memory that stands at the end of those that took each other's place."""
    newest = memory.superseded_by
    for _ in range(_CHANGES):
        following = tx.memories.find(newest) if newest else None
        if following is None or following.superseded_by is None:
            break
        newest = following.superseded_by
    return newest
