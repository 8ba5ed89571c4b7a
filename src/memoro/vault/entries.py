"""Entries: the bullets of a note, each a thing of its own that can be added, edited and removed by its id.

Everything here is about text and nothing about files. What is not touched stays as it is, to the byte.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import NamedTuple

from memoro.errors import NoteNotFound, NoteUnwritable
from memoro.vault.markdown import split_lines

# A bullet, with what stands before its text and perhaps a block id, as Obsidian writes it, behind it.
_BULLET = re.compile(
    r"(?P<lead>[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)(?P<text>.*?)(?:[ \t]+\^(?P<id>[A-Za-z0-9-]+))?[ \t]*"
)
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
# What a fresh file says where nothing has been entered yet.
_PLACEHOLDER = re.compile(r"(?i)\(?_?\(?(?:nothing|none|empty)(?: here)?(?: yet)?\.?\)?_?\)?|…|\.\.\.")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = _LETTERS + "0123456789"


class Entry(NamedTuple):
    id: str  # its block id, or what its block id would be
    text: str
    line: int  # 1-based
    last: int  # the last line that belongs to it
    marked: bool  # whether the id stands in the file


class Edited(NamedTuple):
    text: str
    entry: Entry


def entries(text: str) -> list[Entry]:
    """The bullets of a note outside frontmatter, code and comments, in their order."""
    lines = split_lines(text)
    found: list[Entry] = []
    taken = {match["id"] for line in lines if (match := _BULLET.fullmatch(line)) and match["id"]}
    for number in _prose(lines):
        match = _BULLET.fullmatch(lines[number])
        if match and match["text"]:
            last = _end(lines, number, len(match["lead"]) - len(match["lead"].lstrip()))
            said = " ".join([match["text"], *(line.strip() for line in lines[number + 1 : last + 1])])
            own = match["id"] or _free_id(said, taken)
            taken.add(own)
            found.append(Entry(own, said, number + 1, last + 1, match["id"] is not None))
    return found


def add(text: str, said: str, *, section: str | None = None, own: str | None = None) -> Edited:
    """With one entry more: below the last of its section, or of the note. One that is there already is given back.

    `own` is the id that it had before, if it comes back.
    """
    said = _one_line(said)
    for entry in entries(text):
        if entry.text == said:
            return Edited(text, entry)
    lines = split_lines(text)
    at = _after(lines, section)
    own = own or _free_id(said, {entry.id for entry in entries(text)})
    first = at - 1 if at > 0 and _is_placeholder(lines[at - 1]) else at
    new = [line_of(Entry(own, said, 0, 0, True))]
    if first > 0 and lines[first - 1].strip() and not _BULLET.fullmatch(lines[first - 1]):
        new.insert(0, "")
    line = first + len(new)
    if at < len(lines) and lines[at].strip() and not _BULLET.fullmatch(lines[at]):
        new.append("")
    return Edited(_replaced(text, first, at, new), Entry(own, said, line, line, True))


def line_of(entry: Entry) -> str:
    """An entry as it is written when it is new."""
    return f"- {entry.text} ^{entry.id}"


def edit(text: str, own: str, said: str) -> Edited:
    """With other words for one entry, which keeps its bullet, and keeps or gets its id."""
    said, entry = _one_line(said), find(text, own)
    lines = split_lines(text)
    match = _BULLET.fullmatch(lines[entry.line - 1])
    assert match is not None
    made = Entry(entry.id, said, entry.line, entry.line, True)
    return Edited(_replaced(text, entry.line - 1, entry.last, [f"{match['lead']}{said} ^{entry.id}"]), made)


def remove(text: str, own: str) -> Edited:
    """Without one entry."""
    entry = find(text, own)
    return Edited(_replaced(text, entry.line - 1, entry.last, []), entry)


def find(text: str, own: str) -> Entry:
    """The entry of exactly this id: never one whose text merely begins alike."""
    found = [entry for entry in entries(text) if entry.id == own.removeprefix("^")]
    if not found:
        raise NoteNotFound(f"There is no entry {own!r}.")
    if len(found) > 1:
        listed = " and ".join(str(entry.line) for entry in found)
        raise NoteUnwritable(f"Two entries have the id {own!r}, in lines {listed}. Give one of them another.")
    return found[0]


def _prose(lines: Sequence[str]) -> list[int]:
    """The numbers of lines outside frontmatter, fences and comments."""
    start = 0
    if lines and lines[0].rstrip() == "---":
        ends = (i for i, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "..."))
        start = next(ends, -1) + 1
    found, fence, comment = [], "", ""
    for number in range(start, len(lines)):
        line = lines[number]
        opened = _FENCE.match(line)
        if fence:
            fence = "" if opened and opened[1].startswith(fence) else fence
        elif comment:
            comment = "" if comment in line else comment
        elif opened:
            fence = opened[1]
        else:
            comment = _opens(line)
            if not comment and not line.lstrip().startswith(("%%", "<!--")):
                found.append(number)
    return found


def _opens(line: str) -> str:
    """What will end the comment that a line opens and does not close, if it does."""
    if line.count("%%") % 2:
        return "%%"
    return "-->" if "<!--" in line and "-->" not in line.rpartition("<!--")[2] else ""


def _end(lines: Sequence[str], start: int, indent: int) -> int:
    """The last line of the entry that starts there: lines further in, without a bullet of their own, go with it."""
    last = start
    for number in range(start + 1, len(lines)):
        line = lines[number]
        deeper = len(line) - len(line.lstrip()) > indent
        if not line.strip() or not deeper or _BULLET.fullmatch(line) or _FENCE.match(line):
            break
        last = number
    return last


def _after(lines: Sequence[str], section: str | None) -> int:
    """Where a new entry goes: the number of the line before which it is put."""
    prose = _prose(lines)
    first, last = _bounds(lines, prose, section)
    bullets = [n for n in prose if first <= n < last and _BULLET.fullmatch(lines[n])]
    if bullets:
        lead = _BULLET.fullmatch(lines[bullets[-1]])
        assert lead is not None
        return _end(lines, bullets[-1], len(lead["lead"]) - len(lead["lead"].lstrip())) + 1
    at = last
    while at > first and not lines[at - 1].strip():
        at -= 1
    return at


def _bounds(lines: Sequence[str], prose: Sequence[int], section: str | None) -> tuple[int, int]:
    """The lines of a section, by its heading; without one named, those of the last section that has entries."""
    headings = [(n, len(m[1]), m[2]) for n in prose if (m := _HEADING.fullmatch(lines[n]))]
    if section is None:
        has_entries = any(_BULLET.fullmatch(lines[n]) for n in prose)
        second = next((n for n, level, _ in headings if level == 2), None)
        if has_entries or second is None:
            return 0, len(lines)
        section = next(title for n, _, title in headings if n == second)
    for position, (number, level, title) in enumerate(headings):
        if title.casefold() == section.casefold():
            below = (n for n, other, _ in headings[position + 1 :] if other <= level)
            return number + 1, next(below, len(lines))
    raise NoteNotFound(f"There is no heading {section!r} in the note.")


def _is_placeholder(line: str) -> bool:
    match = _BULLET.fullmatch(line)
    return bool(_PLACEHOLDER.fullmatch(match["text"] if match else line.strip())) and bool(line.strip())


def _free_id(said: str, taken: set[str]) -> str:
    """Made from the words, so that an entry written by hand has a name before it has an id."""
    salt = 0
    while True:
        number = int.from_bytes(hashlib.sha256(f"{said}\n{salt}".encode()).digest()[:8], "big")
        made = _LETTERS[number % 26]
        for _ in range(5):
            number //= 36
            made += _DIGITS[number % 36]
        if made not in taken:
            return made
        salt += 1


def _one_line(said: str) -> str:
    """Words that can stand in one bullet, and cannot be taken for a second one, a heading or another's id."""
    text = " ".join(said.split())
    text = re.sub(r"(?:\s+\^[A-Za-z0-9-]+)+$", "", text)
    text = re.sub(r"^(?:[-*+]\s+)+", "", text)
    if not text:
        raise NoteUnwritable("An empty entry says nothing. Give it a sentence.")
    return text


def _replaced(text: str, first: int, last: int, new: Sequence[str]) -> str:
    """The text with these lines in place of some; every other line keeps its own end."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    mark = "\r" if text.count("\r\n") * 2 > text.count("\n") else ""
    if mark and new and last == len(lines) and lines and not lines[-1].endswith(mark) and first == last:
        lines[-1] += mark  # it had no end, and gets one now
    lines[first:last] = [f"{line}{mark}" for line in new]
    ended = text.endswith("\n") or last >= len(text.split("\n")) - 1
    return "\n".join(lines) + ("\n" if lines and ended else "")
