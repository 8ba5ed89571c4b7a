"""Pages of the lists of memories and experiences of a plain ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from memoro.model.experiences import Experience, outcome_of
from memoro.model.listing import ExperienceFilter, ListOrder, MemoryFilter, ascii_lower, spellings
from memoro.model.memories import Memory, holds_at, moment, strength
from memoro.model.notes import MEMORY
from memoro.store.plain.tables import Tables

Row = TypeVar("Row", Memory, Experience)
Value = float | str


def memory_page(tables: Tables, wanted: MemoryFilter, order: ListOrder, limit: int) -> list[tuple[Memory, Value]]:
    def value(memory: Memory) -> Value:
        given = [recall for (recall, _), row in tables.recalled.items() if row.item == f"{MEMORY}{memory.id}"]
        match order.sort:
            case "feedback":
                return memory.feedback
            case "score":
                return strength(memory, moment(order.at))
            case "uses":
                return len(given)
            case "used":
                return max(given, default=0)
            case _:
                return 0

    shown = [one for one in tables.memories.values() if _is_wanted_memory(one, wanted, order.at)]
    return _page(shown, value, order, limit)


def experience_page(
    tables: Tables, wanted: ExperienceFilter, order: ListOrder, limit: int
) -> list[tuple[Experience, Value]]:
    def value(one: Experience) -> Value:
        match order.sort:
            case "success":
                return one.success
            case "uses":
                return one.uses
            case "used":
                return one.used_at or one.created_at
            case _:
                return 0

    shown = [one for one in tables.experiences.values() if _is_wanted_experience(one, wanted)]
    return _page(shown, value, order, limit)


def _page(
    rows: Iterable[Row], value: Callable[[Row], Value], order: ListOrder, limit: int
) -> list[tuple[Row, Value]]:
    newest_first = order.sort != "oldest"
    keyed = sorted(((value(row), row.id, row) for row in rows), key=lambda one: one[:2], reverse=newest_first)
    if order.after:
        start = (order.after.value, order.after.number)
        keyed = [one for one in keyed if (one[:2] < start if newest_first else one[:2] > start)]
    return [(row, by) for by, _, row in keyed[:limit]]


def _is_wanted_memory(memory: Memory, wanted: MemoryFilter, at: str) -> bool:
    states = {
        "current": holds_at(memory, at),
        "superseded": memory.superseded_by is not None,
        "invalid": memory.superseded_by is None and not holds_at(memory, at),
    }
    named = ("agent", "project", "source", "session", "trust")
    return (
        states.get(wanted.state, True)
        and _is_named(memory, wanted, named)
        and all(_stands_in(word, (memory.content, *memory.tags)) for word in wanted.words)
    )


def _is_wanted_experience(one: Experience, wanted: ExperienceFilter) -> bool:
    return (
        (one.archived_at is not None) == wanted.archived
        and wanted.outcome in (None, outcome_of(one))
        and _is_named(one, wanted, ("type", "agent", "project", "source", "trust"))
        and all(_stands_in(word, (one.intent, one.solution_json, *one.tags)) for word in wanted.words)
    )


def _is_named(row: Memory | Experience, wanted: MemoryFilter | ExperienceFilter, named: Sequence[str]) -> bool:
    is_tagged = wanted.tag is None or wanted.tag in row.tags
    return is_tagged and all(getattr(wanted, name) in (None, getattr(row, name)) for name in named)


def _stands_in(word: str, texts: Sequence[str]) -> bool:
    ways = [ascii_lower(one) for one in spellings(word)]
    return any(way in ascii_lower(text) for text in texts for way in ways)
