"""Tell which texts were made from another: hooks and agents shorten what they write down, and repeat its words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from memoro.model.extracted_lines import parse_line
from memoro.model.words import UNSPACED

OVERLAP = 0.6  # of the runs of words of the shorter text that the other repeats
_RUN = 3  # words
_SHORTEST = 12  # letters; less is repeated by chance
_WORD = re.compile(r"\w+")
_MARKS = re.compile(r"^\s*(?:#{1,6}\s+|[-*+]\s+)?(?:\[[ xX]\]\s+)?(?:\d\d:\d\d\s+)?")
_JOINED = re.compile(r" — | → |; | \(|`: | #project/")
_BLOCK_ID = re.compile(r"\s\^[A-Za-z0-9-]+\s*$")


class DerivedLine(NamedTuple):
    """A line of a note that was made from a text."""

    path: str
    line: int | None  # None: the line is gone from the note, and only history holds it
    text: str  # the whole line


class DerivedCopy(NamedTuple):
    """Something that was made from a forgotten text."""

    id: str  # memory:N, experience:N, narrative:N, PATH:LINE, or PATH where only the history of the note holds it
    text: str  # empty once it is forgotten


def copy_of_line(line: DerivedLine) -> DerivedCopy:
    return DerivedCopy(f"{line.path}:{line.line}" if line.line else line.path, line.text.strip())


def statement_of(line: str) -> str:
    """Return what a line of a note says, without its bullet, time, block id and the mark of a cut."""
    return _BLOCK_ID.sub("", _MARKS.sub("", line, count=1)).strip().removesuffix("…").rstrip()


def made_from(sources: Iterable[str]) -> Callable[[str], bool]:
    """Return a test whether a text repeats one of these texts in large part, or is a part of one."""
    known = [(_bare(source), _runs(source)) for source in sources]

    def is_made(text: str) -> bool:
        if (said := parse_line(text)) and any(_holds(bare, said.text) for bare, _ in known):
            return True  # however short: an extracted line has the very words of its message
        statement = statement_of(text)
        parts = {statement, *_JOINED.split(statement)}  # hooks join a question with its answer, a title with a result
        return any(_repeats(part, bare, runs) for part in parts if part for bare, runs in known)

    return is_made


def repeats_most_of(source: str) -> Callable[[str], bool]:
    """Return a test whether a text repeats most of this text, among whatever else it says."""
    runs = _runs(source)
    return lambda text: len(runs) > 1 and len(runs & _runs(text)) >= OVERLAP * len(runs)


def _holds(bare: str, text: str) -> bool:
    own = _bare(text)
    return bool(own) and f" {own} " in f" {bare} "


def _repeats(text: str, bare: str, runs: set[tuple[str, ...]]) -> bool:
    own, own_runs = _bare(text), _runs(text)
    fewer = min(len(own_runs), len(runs))
    if fewer > 1:
        return len(own_runs & runs) >= OVERLAP * fewer
    shorter, longer = sorted((own, bare), key=len)
    return _weight(shorter) >= _SHORTEST and shorter in longer


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _bare(text: str) -> str:
    return " ".join(_words(text))


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _words(text)
    return {tuple(words[start : start + _RUN]) for start in range(len(words) - _RUN + 1)}


def _weight(text: str) -> int:
    """Count letters; one of a script without spaces says as much as three others."""
    return len(text) + 2 * len(re.findall(f"[{UNSPACED}]", text))
