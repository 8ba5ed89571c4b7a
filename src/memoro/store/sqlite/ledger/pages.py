"""Pages of the lists of memories and experiences. Each page begins behind a row, so writes do not shift it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import apsw

from memoro.model.experiences import FAILED_BELOW, PREFERENCE, WORKED_FROM
from memoro.model.listing import ExperienceFilter, ListOrder, MemoryFilter, spellings
from memoro.model.memories import MOST_FEEDBACK, PER_DAY, UNTRUSTED, usefulness
from memoro.model.notes import MEMORY
from memoro.store.encoding import is_text

Value = float | str
_TOUCHED = "coalesce(hit_at, created_at)"
_HOLDS = f"coalesce(valid_from, '') <= max(:at, {_TOUCHED}) AND :at < coalesce(valid_to, '~')"
_STATES = {
    "current": f"superseded_by IS NULL AND {_HOLDS}",
    "superseded": "superseded_by IS NOT NULL",
    "invalid": f"superseded_by IS NULL AND NOT ({_HOLDS})",
}
_OUTCOMES = {
    "failed": f"success < {FAILED_BELOW}",
    "partly": f"success >= {FAILED_BELOW} AND success < {WORKED_FROM}",
    "worked": f"success >= {WORKED_FROM}",
}
_MEMORIES_GIVEN = f"item >= '{MEMORY}' AND item < '{MEMORY[:-1]};'"  # `;` follows `:`


def _usefulness() -> str:
    """The factor of feedback in SQL, value by value: the same numbers as `usefulness` returns."""

    def cases(untrusted: bool) -> str:
        trust = UNTRUSTED[0] if untrusted else "user_said"
        whens = (f"WHEN {n} THEN {usefulness(n, trust)!r}" for n in range(-MOST_FEEDBACK, MOST_FEEDBACK + 1))
        return f"CASE max(-{MOST_FEEDBACK}, min({MOST_FEEDBACK}, feedback)) {' '.join(whens)} END"

    listed = ", ".join(f"'{one}'" for one in UNTRUSTED)
    return f"CASE WHEN trust IN ({listed}) THEN {cases(True)} ELSE {cases(False)} END"


_DAYS = f"max(0.0, julianday(:at) - julianday({_TOUCHED}))"
_SORTED_BY = {
    "newest": "0",
    "oldest": "0",
    "feedback": "feedback",
    "score": f"({_usefulness()}) / (1 + {PER_DAY} * {_DAYS})",
    "success": "success",
    "uses": "uses",
    "used": "coalesce(used_at, created_at)",
}
_GIVEN_BY = {"uses": "count(*)", "used": "max(recall)"}  # recalls are numbered in the order in which they were made


class _Columns(NamedTuple):
    """A table, and the columns of it that are read."""

    name: str
    columns: str


class _Conditions(NamedTuple):
    """Conditions that all must hold, and the values that they name."""

    texts: tuple[str, ...]
    values: dict[str, Any]

    def where(self, *more: str) -> str:
        return " AND ".join((*self.texts, *more)) or "1"


def memory_rows(
    db: apsw.Connection, columns: str, wanted: MemoryFilter, order: ListOrder, limit: int
) -> Iterator[tuple[Any, Value]]:
    """Rows of memories in the order of a list, each with the value by which it is sorted."""
    conditions = _memory_conditions(wanted)
    if order.sort not in _GIVEN_BY:
        yield from _sorted_rows(db, _Columns("memories", columns), conditions, order, limit)
        return
    count = 0
    if order.after is None or order.after.value:
        for row in _given_rows(db, columns, conditions, order, limit):
            count += 1
            yield row
    if count < limit:
        never = f"NOT EXISTS (SELECT 1 FROM recalled WHERE item = '{MEMORY}' || id)"
        rest = conditions._replace(texts=(*conditions.texts, never))
        after = order.after if order.after is not None and not order.after.value else None
        newest = ListOrder("newest", order.at, after)
        yield from _sorted_rows(db, _Columns("memories", columns), rest, newest, limit - count)


def _given_rows(
    db: apsw.Connection, columns: str, conditions: _Conditions, order: ListOrder, limit: int
) -> Iterator[tuple[Any, Value]]:
    """Memories that were given to sessions."""
    given = f"""SELECT CAST(substr(item, {len(MEMORY) + 1}) AS INTEGER) AS number, {_GIVEN_BY[order.sort]} AS given
                  FROM recalled WHERE {_MEMORIES_GIVEN} GROUP BY item"""
    behind = ["(given, id) < (:value, :number)"] if order.after else []
    query = f"""SELECT {columns}, given FROM ({given}) JOIN memories ON id = number
                 WHERE {conditions.where(*behind)} ORDER BY given DESC, id DESC LIMIT :limit"""
    return _rows(db, query, _values(conditions, order, limit))


def experience_rows(
    db: apsw.Connection, columns: str, wanted: ExperienceFilter, order: ListOrder, limit: int
) -> Iterator[tuple[Any, Value]]:
    """Rows of experiences in the order of a list, each with the value by which it is sorted."""
    return _sorted_rows(db, _Columns("experiences", columns), _experience_conditions(wanted), order, limit)


def _sorted_rows(
    db: apsw.Connection, table: _Columns, conditions: _Conditions, order: ListOrder, limit: int
) -> Iterator[tuple[Any, Value]]:
    by, descending = _SORTED_BY[order.sort], order.sort != "oldest"
    if by == "0":
        behind = f"id {'<' if descending else '>'} :number"
        ordered = f"id {'DESC' if descending else 'ASC'}"
    else:
        behind, ordered = f"({by}, id) < (:value, :number)", f"{by} DESC, id DESC"
    found = conditions.where(*([behind] if order.after else []))
    query = f"SELECT {table.columns}, {by} FROM {table.name} WHERE {found} ORDER BY {ordered} LIMIT :limit"
    return _rows(db, query, _values(conditions, order, limit))


def _values(conditions: _Conditions, order: ListOrder, limit: int) -> dict[str, Any]:
    after = {"value": order.after.value, "number": order.after.number} if order.after else {}
    return {**conditions.values, **after, "at": order.at, "limit": limit}


def _rows(db: apsw.Connection, query: str, values: dict[str, Any]) -> Iterator[tuple[Any, Value]]:
    if not all(is_text(value) for value in values.values() if isinstance(value, str)):
        return  # no row holds what the database cannot keep
    for row in db.execute(query, values):
        *columns, value = row
        yield columns, value


def _memory_conditions(wanted: MemoryFilter) -> _Conditions:
    texts = [_STATES[wanted.state]] if wanted.state in _STATES else []
    named = ("agent", "project", "source", "session", "trust")
    return _conditions(texts, wanted, named, ("content", "tags"))


def _experience_conditions(wanted: ExperienceFilter) -> _Conditions:
    texts = [f"archived_at IS {'NOT ' if wanted.archived else ''}NULL"]
    if wanted.outcome:
        texts += [f"type <> '{PREFERENCE}'", _OUTCOMES[wanted.outcome]]
    named = ("type", "agent", "project", "source", "trust")
    return _conditions(texts, wanted, named, ("intent", "solution_json", "tags"))


def _conditions(
    texts: Iterable[str],
    wanted: MemoryFilter | ExperienceFilter,
    named: Sequence[str],
    searched: Sequence[str],
) -> _Conditions:
    values: dict[str, Any] = {name: getattr(wanted, name) for name in named if getattr(wanted, name) is not None}
    chosen = [*texts, *(f"{name} = :{name}" for name in values)]
    if wanted.tag is not None:
        values["tag"] = f"\n{wanted.tag}\n"
        chosen.append("instr(char(10) || tags || char(10), :tag)")
    for place, word in enumerate(wanted.words):
        ways = {f"word{place}_{way}": f"%{_escaped(one)}%" for way, one in enumerate(spellings(word))}
        values |= ways
        chosen.append(
            "(" + " OR ".join(f"{column} LIKE :{way} ESCAPE '\\'" for column in searched for way in ways) + ")"
        )
    return _Conditions(tuple(chosen), values)


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
