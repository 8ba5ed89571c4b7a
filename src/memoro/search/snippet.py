"""The part of a passage that shows why it was found."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection

MAX_CHARACTERS = 700
_WINDOW = MAX_CHARACTERS // 4
_JOINER = "\u200d"


def snippet(text: str, stems: Callable[[str], Collection[str]], wanted: Collection[str]) -> str:
    """At most 700 characters: the whole passage, or the run of lines that holds most of the wanted words."""
    if len(text) <= MAX_CHARACTERS:
        return text
    lines = text.split("\n")
    held = [frozenset(wanted).intersection(stems(line)) for line in lines]
    start = max(range(len(lines)), key=lambda first: (_worth(lines, held, first), -first))
    return _cut("\n".join(lines[start:]), held[start], stems)


def led(lead: str, text: str) -> str:
    """Return a snippet with words before it, cut at its end where both would be too long."""
    room = MAX_CHARACTERS - len(lead) - 1
    if len(text) <= room:
        return f"{lead} {text}"
    end = room - 1
    while end > room - 40 and _joins(text, end):
        end -= 1
    return f"{lead} {text[:end].rstrip()}…"


def _worth(lines: list[str], held: list[frozenset[str]], first: int) -> tuple[int, int]:
    """Return how many different words, and how many lines with any, fit into a snippet that begins here."""
    room = MAX_CHARACTERS - 1
    words: set[str] = set()
    hits = 0
    for number in range(first, len(lines)):
        room -= len(lines[number])
        if room < 0 and number > first:  # of a first line that is too long, the part with a word is shown
            break
        words |= held[number]
        hits += bool(held[number])
        room -= 1
    return len(words), hits


def _cut(text: str, wanted: Collection[str], stems: Callable[[str], Collection[str]]) -> str:
    """Begin near the first wanted word where the first line alone is too long, and end at a character."""
    first_line = text.split("\n", 1)[0]
    if len(first_line) >= MAX_CHARACTERS and wanted:
        text = text[_before(_find(first_line, wanted, stems), first_line) :]
    if len(text) <= MAX_CHARACTERS:
        return text
    end = MAX_CHARACTERS - 1
    while end > MAX_CHARACTERS - 40 and _joins(text, end):
        end -= 1
    return text[:end].rstrip() + "…"


def _find(line: str, wanted: Collection[str], stems: Callable[[str], Collection[str]]) -> int:
    """Where the first wanted word stands; where there are no spaces, at most two windows before its end.

    By halving: to ask for the stems of every word by itself takes far longer than of many at once.
    """
    start, end = 0, len(line)
    while (middle := line.find(" ", (start + end) // 2, end)) > 0:
        if set(wanted).isdisjoint(stems(line[start:middle])):
            start = middle + 1
        else:
            end = middle
    for run in re.finditer(r"\S+", line[start:end]):
        for at in range(start + run.start(), start + run.end(), _WINDOW):
            if not set(wanted).isdisjoint(stems(line[at : min(at + 2 * _WINDOW, start + run.end())])):
                return at
    return 0


def _before(at: int, line: str) -> int:
    """A place to begin that shows a little of what comes before."""
    start = max(0, at - _WINDOW)
    space = line.find(" ", start, at)
    if start and space > 0:
        return space + 1
    while 0 < start < at and _joins(line, start):
        start += 1
    return start


def _joins(text: str, at: int) -> bool:
    """Return whether a cut here would split a character as readers see it."""
    is_mark = unicodedata.category(text[at])[0] == "M" or "\U0001f3fb" <= text[at] <= "\U0001f3ff"
    return is_mark or _JOINER in (text[at], text[at - 1])
