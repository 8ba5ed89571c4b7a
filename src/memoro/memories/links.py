"""Memories that were useful together: linking them, and following the links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memoro.memories.rank import Recalled, weighed
from memoro.model.memories import Link, Memory, faded, grown, stamp

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

_FAINT = 0.1  # links that have faded below this are not shown


class Neighbourhood(NamedTuple):
    memory: Memory
    strength: float  # of the link that led here
    linked: tuple[Neighbourhood, ...]


def link(tx: Transaction, number: int, session: str | None, now: datetime) -> list[int]:
    """Link a memory with the others that the session was given along with it and reinforced too."""
    if session is None:
        return []
    others = [n for n in tx.given.mark_reinforced(session, number) if tx.memories.find(n)]
    strengthen(tx, number, others, now)
    return others


def strengthen(tx: Transaction, number: int, others: Sequence[int], now: datetime) -> None:
    for other in others:
        old = tx.links.between(number, other) or Link(min(number, other), max(number, other), 0.0, stamp(now))
        tx.links.put(grown(old, now))


def unlink(tx: Transaction, number: int, others: Sequence[int]) -> None:
    """Take back what one use added to the links of a memory."""
    for other in others:
        old = tx.links.between(number, other)
        if old:
            tx.links.put(old._replace(strength=old.strength - 1))


def linked(
    tx: Transaction, found: Sequence[Recalled], limit: int, view: Callable[[Memory], Memory | None], now: datetime
) -> list[Recalled]:
    """What is linked with the results and not among them, the strongest first."""
    seen = {one.memory.id for one in found}
    near: list[Recalled] = []
    for one in found:
        for link in tx.links.of(one.memory.id):
            number, strength = link.other(one.memory.id), faded(link, now)
            memory = tx.memories.find(number) if number not in seen and strength >= _FAINT else None
            shown = view(memory) if memory else None
            if shown:
                seen.add(number)
                share = one.score * strength / (1 + strength)
                near.append(weighed(shown, 0.0, now)._replace(score=share, linked_to=one.memory.id))
    return sorted(near, key=lambda one: -one.score)[:limit]


def neighbourhood(
    tx: Transaction, memory: Memory, strength: float, depth: int, seen: set[int], now: datetime
) -> Neighbourhood:
    links = sorted(tx.links.of(memory.id), key=lambda link: -faded(link, now)) if depth else []
    chosen = []
    for link in links:
        other = tx.memories.find(link.other(memory.id))
        if other and other.id not in seen and faded(link, now) >= _FAINT:
            seen.add(other.id)
            chosen.append((other, faded(link, now)))
    return Neighbourhood(
        memory, strength, tuple(neighbourhood(tx, other, s, depth - 1, seen, now) for other, s in chosen)
    )
