"""Memories that were useful together: linking them, and following the links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memoro.memories.rank import RankedMemory, rank_memory
from memoro.memories.view import View
from memoro.model.memories import Memory, faded

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

_FAINT = 0.1  # links that have faded below this are not shown


class Neighbourhood(NamedTuple):
    memory: Memory
    strength: float  # of the link that led here
    linked: tuple[Neighbourhood, ...]


def reinforced_together(tx: Transaction, number: int, session: str | None) -> tuple[int, ...]:
    """Returns the memories that a session was given along with this one, and reinforced too; notes that it did."""
    session = session or tx.given.last_session(number)
    if session is None:
        return ()
    return tuple(other for other in tx.given.mark_reinforced(session, number) if tx.memories.find(other))


def linked(tx: Transaction, found: Sequence[RankedMemory], limit: int, view: View) -> list[RankedMemory]:
    """Memories that are linked with the results and not among them, the strongest first."""
    now = view.now
    seen = {one.memory.id for one in found}
    near: list[RankedMemory] = []
    for one in found:
        for link in tx.links.of(one.memory.id):
            number, strength = link.other(one.memory.id), faded(link, now)
            memory = tx.memories.find(number) if number not in seen and strength >= _FAINT else None
            shown = view(memory) if memory else None
            if shown:
                seen.add(number)
                share = one.score * strength / (1 + strength)
                near.append(rank_memory(shown, 0.0, now)._replace(score=share, linked_to=one.memory.id))
    return sorted(near, key=lambda one: -one.score)[:limit]


def neighbourhood(
    tx: Transaction, root: Memory, depth: int, now: datetime, admits: Callable[[Memory], bool]
) -> Neighbourhood:
    """The admitted memories that are linked with the root, each once, as a tree of this depth."""
    seen = {root.id}

    def around(memory: Memory, strength: float, depth: int) -> Neighbourhood:
        links = sorted(tx.links.of(memory.id), key=lambda link: -faded(link, now)) if depth else []
        chosen = []
        for link in links:
            other = tx.memories.find(link.other(memory.id))
            if other and other.id not in seen and faded(link, now) >= _FAINT and admits(other):
                seen.add(other.id)
                chosen.append((other, faded(link, now)))
        return Neighbourhood(memory, strength, tuple(around(other, s, depth - 1) for other, s in chosen))

    return around(root, 1.0, depth)
