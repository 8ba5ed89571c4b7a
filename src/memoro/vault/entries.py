"""Entries: the bullets of a note, each a thing of its own that can be added, edited and removed by its id.

Everything here is about text and nothing about files. What is not touched stays as it is, to the byte.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from memoro.errors import NoteNotFound, NoteUnwritable, Refused
from memoro.vault.markdown import split_lines

# What stands before the text of a bullet. Patterns here never end in two things that fit the same letters: a line
# may be a megabyte long, and hostile.
_LEAD = re.compile(r"[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?")
_ID = re.compile(r"[A-Za-z0-9-]+")
_HEADING = re.compile(r"(#{1,6})[ \t]+")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_BEGINS_LIKE_A_BULLET = re.compile(r"(?:(?:[-*+]|\[[ xX]\])(?: |$))+")
_INVISIBLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
# What a fresh file says where nothing has been entered yet. A bare "none" may be somebody's answer.
_PLACEHOLDER = re.compile(
    r"(?i)[(_*]{1,3}(?:nothing|none|empty)(?: here)?(?: yet)?\.?[)_*]{1,3}"
    r"|(?:nothing|empty)(?: here)? yet\.?|…|\.\.\."
)
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


class _Bullet(NamedTuple):
    lead: str  # spaces, sign, and the box of a task
    text: str

    @property
    def indent(self) -> int:
        return len(self.lead) - len(self.lead.lstrip())


def entries(text: str) -> list[Entry]:
    """The bullets of a note outside frontmatter, code and comments, in their order. Placeholders are none."""
    lines = split_lines(text)
    bare: list[tuple[str, str | None, int, int]] = []
    for number in _prose(lines).lines:
        bullet = _bullet(lines[number])
        if bullet and bullet.text and not _is_placeholder(lines[number]):
            last = _end(lines, number, bullet.indent)
            said = " ".join([bullet.text, *(line.strip() for line in lines[number + 1 : last + 1])])
            bare.append((*_without_id(said), number + 1, last + 1))
    taken = {own for _, own, _, _ in bare if own}
    alike: Counter[str] = Counter()
    found: list[Entry] = []
    for said, own, line, last in bare:
        if own is None:
            made = _free_id(said, taken, alike[said])
            alike[said] += 1
            taken.add(made)
            found.append(Entry(made, said, line, last, False))
        else:
            found.append(Entry(own, said, line, last, True))
    return found


def _bullet(line: str) -> _Bullet | None:
    lead = _LEAD.match(line)
    return _Bullet(lead[0], line[lead.end() :].rstrip(" \t")) if lead else None


def words_of(line: str) -> list[str]:
    """What a bullet says on one line, without its sign and its id; nothing where it is no bullet, or says nothing."""
    bullet = _bullet(line)
    return [_without_id(bullet.text)[0]] if bullet and bullet.text else []


def _without_id(text: str) -> tuple[str, str | None]:
    """A text and the block id, as Obsidian writes it, that stands behind it."""
    said, mark, own = text.rpartition("^")
    if mark and _ID.fullmatch(own) and said[-1:] in (" ", "\t") and said.strip():
        return said.rstrip(" \t"), own
    return text, None


def add(text: str, said: str, *, section: str | None = None, own: str | None = None) -> Edited:
    """With one entry more: below the last of its section, or of the note. One that is there already is given back.

    `own` is the id that it had before, if it comes back; whatever has that id now is it.
    """
    said = one_line(said)
    known = entries(text)
    for entry in known:
        if entry.text == said or entry.id == own:
            return Edited(text, entry)
    lines = split_lines(text)
    at = _after(lines, section)
    own = own or _free_id(said, {entry.id for entry in known})
    first = at - 1 if at > 0 and _is_placeholder(lines[at - 1]) else at
    new = [line_of(Entry(own, said, 0, 0, True))]
    if first > 0 and lines[first - 1].strip() and first not in {entry.last for entry in known}:
        new.insert(0, "")
    line = first + len(new)
    if at < len(lines) and lines[at].strip() and not _bullet(lines[at]):
        new.append("")
    return Edited(_replaced(text, first, at, new), Entry(own, said, line, line, True))


def line_of(entry: Entry) -> str:
    """An entry as it is written when it is new."""
    return f"- {entry.text} ^{entry.id}"


def edit(text: str, own: str, said: str) -> Edited:
    """With other words for one entry, which keeps its bullet, and keeps or gets its id."""
    said, entry = one_line(said), find(text, own)
    bullet = _bullet(split_lines(text)[entry.line - 1])
    assert bullet is not None
    made = Entry(entry.id, said, entry.line, entry.line, True)
    return Edited(_replaced(text, entry.line - 1, entry.last, [f"{bullet.lead}{said} ^{entry.id}"]), made)


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


class _Prose(NamedTuple):
    lines: list[int]  # their numbers, from 0
    end: int  # where a fence or comment begins that is never closed, else the end of the note


def _prose(lines: Sequence[str]) -> _Prose:
    """The lines outside frontmatter, fences and comments."""
    start = 0
    if lines and lines[0].rstrip() == "---":
        ends = (i for i, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "..."))
        start = next(ends, -1) + 1
    found: list[int] = []
    fence, comment, opened_at = "", "", 0
    for number in range(start, len(lines)):
        line = lines[number]
        if comment:
            comment = "" if comment in line else comment
            continue
        marker = _FENCE.match(line)
        if fence:
            closes = marker and marker[1].startswith(fence) and not line[marker.end() :].strip()
            fence = "" if closes else fence
            continue
        opened_at = number
        if marker and not (marker[1][0] == "`" and "`" in line[marker.end() :]):
            fence = marker[1]
            continue
        comment = _opens(line)
        if not comment and not _is_comment(line):
            found.append(number)
    return _Prose(found, opened_at if fence or comment else len(lines))


def _opens(line: str) -> str:
    """What will end the comment that a line opens and does not close, if it does."""
    if line.count("%%") % 2:
        return "%%"
    return "-->" if "<!--" in line and "-->" not in line.rpartition("<!--")[2] else ""


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(("%%", "<!--"))


def _end(lines: Sequence[str], start: int, indent: int) -> int:
    """The last line of the entry that starts there: lines further in go with it, if they are plain text."""
    last = start
    for number in range(start + 1, len(lines)):
        line = lines[number]
        text = line.lstrip()
        apart = not text or _LEAD.match(line) or _FENCE.match(line) or _is_comment(line) or _opens(line)
        if apart or text.startswith(("|", ">", "#")) or len(line) - len(text) <= indent:
            break
        last = number
    return last


def _after(lines: Sequence[str], section: str | None) -> int:
    """Where a new entry goes: the number of the line before which it is put."""
    prose = _prose(lines)
    first, last = _bounds(lines, prose, section)
    bullets = [(n, bullet) for n in prose.lines if first <= n < last and (bullet := _bullet(lines[n]))]
    if bullets:
        number, bullet = bullets[-1]
        return _end(lines, number, bullet.indent) + 1
    at = min(last, prose.end)
    while at > first and not lines[at - 1].strip():
        at -= 1
    return at


def _bounds(lines: Sequence[str], prose: _Prose, section: str | None) -> tuple[int, int]:
    """The lines of a section, by its heading; without one named, those of the last section that has entries."""
    headings = [(n, *found) for n in prose.lines if (found := _heading(lines[n]))]
    if section is None:
        has_entries = any(_bullet(lines[n]) and not _is_placeholder(lines[n]) for n in prose.lines)
        second = next((title for _, level, title in headings if level == 2), None)
        if has_entries or second is None:
            return 0, len(lines)
        section = second
    for position, (number, level, title) in enumerate(headings):
        if title.casefold() == section.strip().casefold():
            below = (n for n, other, _ in headings[position + 1 :] if other <= level)
            return number + 1, next(below, len(lines))
    raise NoteNotFound(f"There is no heading {section!r} in the note.")


def _heading(line: str) -> tuple[int, str] | None:
    found = _HEADING.match(line)
    return (len(found[1]), line[found.end() :].strip().rstrip("#").rstrip()) if found else None


def _is_placeholder(line: str) -> bool:
    bullet = _bullet(line)
    text = bullet.text if bullet else line.strip()
    return len(text) < 40 and bool(_PLACEHOLDER.fullmatch(text))


def _free_id(said: str, taken: set[str], salt: int = 0) -> str:
    """Made from the words, so that an entry written by hand has a name before it has an id."""
    while True:
        number = int.from_bytes(hashlib.sha256(f"{said}\n{salt}".encode("utf-8", "replace")).digest()[:8], "big")
        made = _LETTERS[number % 26]
        for _ in range(5):
            number //= 36
            made += _DIGITS[number % 36]
        if made not in taken:
            return made
        salt += 1


def plain(said: str) -> str:
    """Words on one line that open no comment, in which all that comes after them would vanish."""
    text = " ".join(_INVISIBLE.sub(" ", said.encode("utf-8", "replace").decode()).split())
    while text.count("%%") % 2:
        text = text.replace("%%", "% %")
    return text.replace("<!--", "<! --") if _opens(text) == "-->" else text


def one_line(said: str) -> str:
    """Words that can stand in one bullet, and cannot be taken for a second one, a task or another's id."""
    words = plain(said).split(" ")
    while len(words) > 1 and words[-1][:1] == "^" and _ID.fullmatch(words[-1], 1):
        words.pop()
    text = " ".join(words)
    text = text[found.end() :] if (found := _BEGINS_LIKE_A_BULLET.match(text)) else text
    if not text:
        raise Refused("An empty entry says nothing. Give it a sentence.")
    return text


def _replaced(text: str, first: int, last: int, new: Sequence[str]) -> str:
    """The text with these lines in place of some; every other line keeps its own end."""
    lines = text.split("\n")
    kept = [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    end = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    if first == last == len(kept) and kept and not kept[-1].endswith("\n"):
        kept[-1] = kept[-1].removesuffix(end[:-1]) + end  # it had no end, or half of one, and gets one now
    made = [f"{line}{end}" for line in new]
    if made and first < last:  # in place of others, the last one ends as theirs did
        there = kept[last - 1]
        made[-1] = new[-1] + there[len(there.rstrip("\r\n")) :]
    return "".join([*kept[:first], *made, *kept[last:]])
