"""Two texts as one list of lines: what stayed, what goes, what comes."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Literal, NamedTuple, TypeAlias

Sign: TypeAlias = Literal[" ", "-", "+"]


class DiffLine(NamedTuple):
    sign: Sign
    text: str


def diff_lines(old: str, new: str) -> tuple[DiffLine, ...]:
    """The lines of both texts. Without the lines of one sign, the other text is left, line by line."""
    before, after = old.splitlines(), new.splitlines()
    made: list[DiffLine] = []
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            made += [DiffLine(" ", line) for line in before[a:b]]
            continue
        made += [DiffLine("-", line) for line in before[a:b]]
        made += [DiffLine("+", line) for line in after[c:d]]
    return tuple(made)
