"""Two changes to one text, both kept where they touch different lines."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple


class _Hunk(NamedTuple):
    """Lines from `start` up to `end` become others; none where the two are equal: then lines come in between."""

    start: int
    end: int
    lines: tuple[str, ...]


def merged(base: Sequence[str], one: Sequence[str], other: Sequence[str]) -> list[str] | None:
    """The lines of `base` with the changes of both; None where they touch the same lines."""
    ours, theirs = _hunks(base, one), _hunks(base, other)
    if any(_clash(mine, yours) for mine in ours for yours in theirs):
        return None
    result = list(base)
    for hunk in sorted({*ours, *theirs}, reverse=True):
        result[hunk.start : hunk.end] = hunk.lines
    return result


def _hunks(base: Sequence[str], new: Sequence[str]) -> list[_Hunk]:
    matcher = SequenceMatcher(None, base, new, autojunk=False)
    return [_Hunk(i, j, tuple(new[k:m])) for tag, i, j, k, m in matcher.get_opcodes() if tag != "equal"]


def _clash(one: _Hunk, other: _Hunk) -> bool:
    if one == other:  # both did the same
        return False
    if one.start == one.end == other.start == other.end:  # both put something in the same place
        return True
    return one.start < other.end and other.start < one.end
