"""Results by conversation: of each its best passage, and what it is called."""

from __future__ import annotations

from collections.abc import Sequence

from memoro.model.answers import Hit
from memoro.store.ports import Index

GROUPS = ("conversation",)
WIDER = 5  # passages looked at for each group wanted: those of one conversation come together


def by_conversation(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The best hit of each conversation, with how many there were; hits of other kinds stay as they are."""
    best: dict[str, Hit] = {}
    for hit in hits:
        key = hit.path if hit.kind == "transcript" else hit.id
        known = best.get(key)
        best[key] = known._replace(passages=known.passages + 1) if known else hit
    return tuple(best.values())


def described(index: Index, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits, those of conversations with title, agent and project."""
    notes = index.notes(list(dict.fromkeys(hit.path for hit in hits if hit.kind == "transcript")))

    def told(hit: Hit) -> Hit:
        if hit.path not in notes:
            return hit
        note = notes[hit.path].note
        return hit._replace(title=note.title, agent=note.agent, project=note.project)

    return tuple(map(told, hits))
