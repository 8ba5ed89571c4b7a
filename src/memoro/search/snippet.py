"""The part of a passage that shows why it was found."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection

MAX_CHARACTERS = 700
_JOINERS = frozenset("\u200d\ufe0e\ufe0f")


def snippet(text: str, stems: Callable[[str], Collection[str]], wanted: Collection[str]) -> str:
    """At most 700 characters: the whole passage, or the run of lines that holds most of the wanted words."""
    if len(text) <= MAX_CHARACTERS:
        return text
    lines = text.split("\n")
    held = [frozenset(wanted).intersection(stems(line)) for line in lines]
    start = max(range(len(lines)), key=lambda first: (_worth(lines, held, first), -first))
    return _cut("\n".join(lines[start:]), held[start], stems)


def _worth(lines: list[str], held: list[frozenset[str]], first: int) -> tuple[int, int]:
    """How many different words, and how many lines with any, fit into a snippet that begins here."""
    room = MAX_CHARACTERS
    words: set[str] = set()
    hits = 0
    for line, found in zip(lines[first:], held[first:], strict=True):
        words |= found
        hits += bool(found)
        room -= len(line) + 1
        if room < 0:
            break
    return len(words), hits


def _cut(text: str, wanted: Collection[str], stems: Callable[[str], Collection[str]]) -> str:
    """Begin near the first wanted word where the first line alone is too long, and end at a character."""
    first_line = text.split("\n", 1)[0]
    if len(first_line) > MAX_CHARACTERS and wanted:
        step = MAX_CHARACTERS // 4
        blocks = range(0, len(first_line), step)
        at = next((i for i in blocks if set(wanted) & set(stems(first_line[i : i + 2 * step]))), 0)
        space = text.find(" ", at, at + step)
        text = text[space + 1 if at and space > 0 else at :]
    if len(text) <= MAX_CHARACTERS:
        return text
    end = MAX_CHARACTERS - 1
    while end > MAX_CHARACTERS - 40 and _joins(text, end):
        end -= 1
    return text[:end].rstrip() + "…"


def _joins(text: str, at: int) -> bool:
    """Whether a cut here would part what is one character to a reader."""
    return bool(unicodedata.combining(text[at])) or text[at] in _JOINERS or text[at - 1] in _JOINERS
