"""Cut a note into passages, each with its exact lines and the headings above it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise, takewhile
from typing import NamedTuple

from memoro.model.extracted_lines import is_extracted
from memoro.model.feedback import is_of_feedback
from memoro.model.guard import outside_transactions
from memoro.model.notes import Chunk
from memoro.model.tokens import tokens as tokens
from memoro.vault.daily_lines import project_of_line
from memoro.vault.markdown import Heading, Outline

# No person writes so many headings in one note. A passage for each would take minutes and find nothing.
MANY_SECTIONS = 5000


class _Piece(NamedTuple):
    """A line, or a part of a line that is too long by itself."""

    line: int
    text: str
    cost: int  # with its line end, so that the costs of lines add up to the cost of their passage
    partial: bool = False


class _Section(NamedTuple):
    first: int
    last: int
    headings: tuple[Heading, ...]


def chunk(lines: Sequence[str], outline: Outline, *, body: int, limit: int, overlap: int) -> tuple[Chunk, ...]:
    """Cut a note into chunks of at most `limit` tokens, each with its exact lines.

    A heading starts a new chunk; below it, blocks (paragraphs, lists, code fences) are packed
    greedily, and each chunk repeats up to `overlap` tokens of the lines before it. A fence is cut
    only if it alone is too long, and a line only if it alone is. The pieces of such a line are
    marked partial, so that nobody mistakes them for the whole line. In a note with more than
    MANY_SECTIONS headings, short sections share a chunk.
    """
    outside_transactions("Chunking")
    chunks: list[Chunk] = []
    fences = dict(outline.fences)
    sections = list(_sections(lines, outline, body))
    for section in sections if len(outline.headings) <= MANY_SECTIONS else _joined(sections, lines, limit):
        blocks = list(_blocks(lines, section, fences, limit))
        chunks += [_to_chunk(run, section.headings) for run in _pack(blocks, limit, overlap)]
    return tuple(chunks)


def _sections(lines: Sequence[str], outline: Outline, body: int) -> Iterator[_Section]:
    """Yield the sections between headings. A heading directly followed by a deeper one joins that section."""
    headings = outline.headings
    starts = [heading.line for heading in headings] + [len(lines) + 1]
    yield _Section(body, starts[0] - 1, ())
    path: list[Heading] = []
    first: int | None = None
    for heading, following, end in zip(headings, (*headings[1:], None), starts[1:], strict=False):
        while path and path[-1].level >= heading.level:
            path.pop()
        path.append(heading)
        first = first or heading.line
        deeper = following is not None and following.level > heading.level
        if deeper and not any(line.strip() for line in lines[heading.line : end - 1]):
            continue
        yield _Section(first, end - 1, tuple(path))
        first = None


def _joined(sections: Sequence[_Section], lines: Sequence[str], limit: int) -> Iterator[_Section]:
    """Yield neighbouring sections as one while they fit into a chunk, under the headings that they share."""
    joined, spent = sections[0], 0
    for section in sections:
        cost = sum(tokens(lines[number] + "\n") for number in range(section.first - 1, section.last))
        if spent and spent + cost > limit:
            yield joined
            joined, spent = section, cost
            continue
        shared = takewhile(lambda pair: pair[0] == pair[1], zip(joined.headings, section.headings, strict=False))
        headings = tuple(one for one, _ in shared) if spent else section.headings
        joined, spent = _Section(joined.first, section.last, headings), spent + cost
    yield joined


def _blocks(lines: Sequence[str], section: _Section, fences: Mapping[int, int], limit: int) -> Iterator[list[_Piece]]:
    """Yield paragraphs with the blank lines after them, and whole fences."""
    block: list[_Piece] = []
    number = section.first
    while number <= section.last:
        last = min(fences.get(number, 0), section.last)
        if last:  # a fence begins here
            while not lines[last - 1].strip():
                last -= 1  # blank lines at the end of an unclosed fence
            if block:
                yield block
            yield [piece for line in range(number, last + 1) for piece in _pieces(line, lines[line - 1], limit)]
            block = []
            number = last
        else:
            text = lines[number - 1]
            if text.strip() and block and not block[-1].text.strip():
                yield block
                block = []
            block += _pieces(number, text, limit)
        number += 1
    if block:
        yield block


def _pieces(number: int, text: str, limit: int) -> list[_Piece]:
    if tokens(text) <= limit:
        return [_Piece(number, text, tokens(text + "\n"))]
    return [_Piece(number, part, tokens(part + "\n"), partial=True) for part in cut(text, limit)]


def cut(text: str, limit: int) -> Iterator[str]:
    """Yield parts of a long line, each within the limit, cut at a space where one is near."""
    start = 0
    while start < len(text):
        size = 4 * limit
        while tokens(text[start : start + size]) > limit:
            size = max(1, size * 3 // 4)
        end = start + size
        if end < len(text):
            space = text.rfind(" ", start + size // 2, end)
            end = space + 1 if space > 0 else end
        yield text[start:end]
        start = end


def _pack(blocks: Sequence[list[_Piece]], limit: int, overlap: int) -> Iterator[list[_Piece]]:
    run: list[_Piece] = []
    spent = 0
    fresh = False  # whether the run holds more than its overlap
    for block in _fitting(blocks, limit):
        cost = _cost(block)
        if spent + cost > limit:
            if fresh:
                yield run
            run = _tail(run, min(overlap, limit - cost))
            spent, fresh = _cost(run), False
        run += block
        spent += cost
        fresh = fresh or any(piece.text.strip() for piece in block)
    if fresh:
        yield run


def _fitting(blocks: Sequence[list[_Piece]], limit: int) -> Iterator[list[_Piece]]:
    """Yield the blocks; split a block that is too long into its lines."""
    for block in blocks:
        if _cost(block) <= limit:
            yield block
        else:
            yield from ([piece] for piece in block)


def _tail(run: list[_Piece], limit: int) -> list[_Piece]:
    kept: list[_Piece] = []
    cost = 0
    for piece in reversed(run):
        cost += piece.cost
        if cost > limit or piece.partial:
            break
        kept.append(piece)
    return kept[::-1]


def _cost(pieces: Sequence[_Piece]) -> int:
    return sum(piece.cost for piece in pieces)


def _to_chunk(run: list[_Piece], headings: tuple[Heading, ...]) -> Chunk:
    written = [i for i, piece in enumerate(run) if piece.text.strip()]
    run = run[written[0] : written[-1] + 1]
    joints = ("" if one.line == following.line else "\n" for one, following in pairwise(run))
    text = run[0].text + "".join(joint + piece.text for joint, piece in zip(joints, run[1:], strict=True))
    return Chunk(
        text=text,
        start_line=run[0].line,
        end_line=run[-1].line,
        headings=tuple(h.title for h in headings if h.title and h.line <= run[-1].line),
        digest=hashlib.sha256(text.encode()).hexdigest(),
        partial=any(piece.partial for piece in run),
    )


def split_by_project(one: Chunk, lines: Sequence[str]) -> list[Chunk]:
    """Cut a chunk of a daily note so that all lines of a part belong to one project, or all to none."""
    own = lines[one.start_line - 1 : one.end_line]
    if not any(map(project_of_line, own)):
        return [one]
    if one.partial:
        return [one._replace(project=project_of_line(own[-1]))]
    parts: list[Chunk] = []
    first = 0
    for project, group in groupby(_projects(own)):
        count = len(list(group))
        parts.append(_part(one, own, range(first, first + count), project))
        first += count
    return parts


def split_by_privacy(one: Chunk, lines: Sequence[str], private: frozenset[int]) -> list[Chunk]:
    """Cut a chunk so that all lines of a part are private, or none."""
    numbers = range(one.start_line, one.end_line + 1)
    if private.isdisjoint(numbers):
        return [one]
    if one.partial:
        return [one._replace(private=True)]
    own = lines[one.start_line - 1 : one.end_line]
    parts: list[Chunk] = []
    first = 0
    for is_private, group in groupby(_flags(own, [number in private for number in numbers])):
        count = len(list(group))
        parts.append(_part(one, own, range(first, first + count), one.project)._replace(private=is_private))
        first += count
    return parts


def split_by_origin(one: Chunk, lines: Sequence[str]) -> list[Chunk]:
    """Cut a chunk of a daily note so that each line of extraction or feedback is a part of its own."""
    own = lines[one.start_line - 1 : one.end_line]
    starts = {at for at, line in enumerate(own) if is_extracted(line) or is_of_feedback(line)}
    if one.partial or not starts:
        return [one]
    cuts = sorted({0, len(own)} | starts | {at + 1 for at in starts})
    parts = [range(first, last) for first, last in pairwise(cuts)]
    return [_part(one, own, part, one.project) for part in parts if any(own[at].strip() for at in part)]


def _flags(lines: Sequence[str], private: Sequence[bool]) -> list[bool]:
    """Whether each line is private; a heading and a blank line go with what follows, so that neither stands alone."""
    found = list(private)
    following = private[-1]
    for at in range(len(lines) - 1, -1, -1):
        is_text = bool(lines[at].strip()) and not lines[at].startswith("#")
        found[at] = following = private[at] if is_text else private[at] or following
    return found


def _projects(lines: Sequence[str]) -> list[str | None]:
    """The project of each line; a heading has that of the line below it, and a blank line that of the one above."""
    found: list[str | None] = []
    for at, line in enumerate(lines):
        if line.strip() and not line.startswith("#"):
            found.append(project_of_line(line))
        elif line.strip() or not found:
            below = (one for one in lines[at:] if one.strip() and not one.startswith("#"))
            found.append(project_of_line(next(below, "")))
        else:
            found.append(found[-1])
    return found


def _part(one: Chunk, lines: Sequence[str], numbers: range, project: str | None) -> Chunk:
    written = [number for number in numbers if lines[number].strip()]
    text = "\n".join(lines[written[0] : written[-1] + 1])
    return one._replace(
        text=text,
        start_line=one.start_line + written[0],
        end_line=one.start_line + written[-1],
        digest=hashlib.sha256(text.encode()).hexdigest(),
        project=project,
    )
