"""A note cut into what the reading view shows: its properties, the passage that was opened, and what surrounds it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memoro.notes.loaded_entries import LoadedEntry

MOST_CHARACTERS = 150_000  # of a note that are shown at once
_BEFORE, _AFTER = 200, 400  # lines around the passage, of a longer note
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


class LineSpan(NamedTuple):
    """Lines of a note, counted from 1, both included."""

    first: int
    last: int


class Heading(NamedTuple):
    """A heading, and the lines from it to the next one."""

    level: int
    text: str
    span: LineSpan


class NoteParts(NamedTuple):
    """The text of a note in parts. Together they are its lines, or those of the window around the passage."""

    properties: str  # the frontmatter, without its fences
    before: str
    passage: str
    after: str
    window: LineSpan  # the lines that are shown


class Block(NamedTuple):
    """Some lines of an always-loaded note: an entry, or the text between two."""

    text: str
    entry: LoadedEntry | None = None
    is_opened: bool = False  # it is in the passage that was opened
    is_first: bool = False  # of those in it


def note_parts(lines: Sequence[str], passage: LineSpan | None) -> NoteParts:
    """Cut a note. Without a passage, all of it comes after."""
    window, front = _window(lines, passage), _frontmatter(lines)
    body = max(window.first, front + 1)
    first, last = (passage.first, passage.last) if passage else (body, body - 1)
    first, last = max(first, body), max(last, body - 1)
    return NoteParts(
        properties="\n".join(lines[1 : front - 1]) if front else "",
        before="\n".join(lines[body - 1 : first - 1]),
        passage="\n".join(lines[first - 1 : last]),
        after="\n".join(lines[last : window.last]),
        window=window,
    )


def _window(lines: Sequence[str], passage: LineSpan | None) -> LineSpan:
    if sum(map(len, lines)) <= MOST_CHARACTERS:
        return LineSpan(1, len(lines))
    first, last = passage or LineSpan(1, 1)
    return LineSpan(max(1, first - _BEFORE), min(len(lines), last + _AFTER))


def _frontmatter(lines: Sequence[str]) -> int:
    """The last line of the frontmatter; 0 where there is none."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next((number for number, line in enumerate(lines[1:], 2) if line.rstrip() in ("---", "...")), 0)


def headings(lines: Sequence[str]) -> list[Heading]:
    """The headings of a note, in order. Lines of code that look like one are none."""
    found = list(_headings(lines))
    ends = [number - 1 for number, _, _ in (*found, (len(lines) + 1, 0, ""))][1:]
    return [
        Heading(level, text, LineSpan(first, last)) for (first, level, text), last in zip(found, ends, strict=True)
    ]


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    fence, body = "", _frontmatter(lines)
    for number, line in enumerate(lines, 1):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence and number > body and (found := _HEADING.fullmatch(line)):
            yield number, len(found[1]), found[2]


def blocks(lines: Sequence[str], entries: Sequence[LoadedEntry], passage: LineSpan | None) -> list[Block]:
    """Cut an always-loaded note into its entries and the text between them."""
    found: list[Block] = []
    end = _frontmatter(lines)
    for entry in entries:
        between = "\n".join(lines[end : entry.line - 1])
        found += [Block(between)] if between.strip() else []
        is_opened = passage is not None and entry.line <= passage.last and entry.last_line >= passage.first
        is_first = is_opened and not any(block.is_opened for block in found)
        found.append(Block(text=entry.text, entry=entry, is_opened=is_opened, is_first=is_first))
        end = entry.last_line
    rest = "\n".join(lines[end:])
    return [*found, Block(rest)] if rest.strip() else found
