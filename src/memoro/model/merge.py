"""Merge two changes of one text where they touch different lines."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple


class _Hunk(NamedTuple):
    """Lines `start` up to `end` are replaced; where both are equal, lines are inserted."""

    start: int
    end: int
    lines: tuple[str, ...]


def merged(base: Sequence[str], one: Sequence[str], other: Sequence[str]) -> list[str] | None:
    """Return the lines of `base` with both changes; None where they touch the same lines."""
    first_hunks, second_hunks = _hunks(base, one), _hunks(base, other)
    if any(_clash(first, second) for first in first_hunks for second in second_hunks):
        return None
    result = list(base)
    for hunk in sorted({*first_hunks, *second_hunks}, reverse=True):
        result[hunk.start : hunk.end] = hunk.lines
    return result


def _hunks(base: Sequence[str], new: Sequence[str]) -> list[_Hunk]:
    matcher = SequenceMatcher(None, base, new, autojunk=False)
    return [_Hunk(i, j, tuple(new[k:m])) for tag, i, j, k, m in matcher.get_opcodes() if tag != "equal"]


def _clash(one: _Hunk, other: _Hunk) -> bool:
    if one == other:  # both made the same change
        return False
    if one.start == one.end == other.start == other.end:  # both insert at the same place
        return True
    return one.start < other.end and other.start < one.end
