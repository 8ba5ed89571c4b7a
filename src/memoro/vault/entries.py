"""The bullets of a note: find, add, edit and remove one by its id.

Everything here works on text and not on files. Untouched lines stay the same, byte for byte.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from memoro.errors import NoteNotFound, NoteUnwritable, Refused
from memoro.model.entry_ids import free_id
from memoro.vault.markdown import split_lines

# The start of a bullet, before its text. No pattern here ends in two parts that match the same letters: a line may be
# a megabyte long, and hostile.
_LEAD = re.compile(r"[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?")
_ID = re.compile(r"[A-Za-z0-9-]+")
_IN_NOTE = re.compile(r"([^#\n]+\.md)#\^?([A-Za-z0-9-]+)", re.IGNORECASE)
_AT_LINE = re.compile(r"([^\n]+\.md):(\d{1,9})", re.IGNORECASE)
_MAX_ID = 200  # ours have six characters; people make others
_HEADING = re.compile(r"(#{1,6})[ \t]+")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_BEGINS_LIKE_A_BULLET = re.compile(r"(?:(?:[-*+]|\[[ xX]\])(?: |$))+")
_INVISIBLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
# Text of a fresh file where nothing has been entered yet. A bare "none" may be somebody's answer.
_PLACEHOLDER = re.compile(
    r"(?i)[(_*]{1,3}(?:nothing|none|empty)(?: here)?(?: yet)?\.?[)_*]{1,3}"
    r"|(?:nothing|empty)(?: here)? yet\.?|…|\.\.\."
)


class Bullet(NamedTuple):
    id: str  # its block id, or the block id it would get
    text: str
    line: int  # 1-based
    last: int  # the last line that belongs to it
    marked: bool  # whether the id stands in the file


class EntryAddress(NamedTuple):
    """The name of one entry: its id, or its line; perhaps with the note that it stands in."""

    id: str = ""
    line: int | None = None
    path: str | None = None


class EditedNote(NamedTuple):
    text: str
    entry: Bullet


class _BulletLine(NamedTuple):
    lead: str  # spaces, sign, and the box of a task
    text: str

    @property
    def indent(self) -> int:
        return len(self.lead) - len(self.lead.lstrip())


def entries(text: str) -> list[Bullet]:
    """Return the bullets of a note outside frontmatter, code and comments, without placeholders, in order."""
    lines = split_lines(text)
    bare: list[tuple[str, str | None, int, int]] = []
    for number in _prose(lines).lines:
        bullet = _bullet(lines[number])
        if bullet and bullet.text and not _is_placeholder(lines[number]):
            last = _end(lines, number, bullet.indent)
            wording = " ".join([bullet.text, *(line.strip() for line in lines[number + 1 : last + 1])])
            bare.append((*_without_id(wording), number + 1, last + 1))
    taken = {own for _, own, _, _ in bare if own}
    alike: Counter[str] = Counter()
    found: list[Bullet] = []
    for wording, own, line, last in bare:
        if own is None:
            made = free_id(wording, taken, alike[wording])
            alike[wording] += 1
            taken.add(made)
            found.append(Bullet(id=made, text=wording, line=line, last=last, marked=False))
        else:
            found.append(Bullet(id=own, text=wording, line=line, last=last, marked=True))
    return found


def _bullet(line: str) -> _BulletLine | None:
    lead = _LEAD.match(line)
    return _BulletLine(lead[0], line[lead.end() :].rstrip(" \t")) if lead else None


def words_of(line: str) -> list[str]:
    """Return the text of a bullet line without its sign and id, as a list; empty if the line is none."""
    bullet = _bullet(line)
    return [_without_id(bullet.text)[0]] if bullet and bullet.text else []


def is_id(text: str) -> bool:
    """Return whether a text can be the id of an entry, without the mark before it."""
    return len(text) <= _MAX_ID and _ID.fullmatch(text) is not None


def _without_id(text: str) -> tuple[str, str | None]:
    """Split off the block id, as Obsidian writes it, from the end of a text."""
    wording, mark, own = text.rpartition("^")
    if mark and _ID.fullmatch(own) and wording[-1:] in (" ", "\t") and wording.strip():
        return wording.rstrip(" \t"), own
    return text, None


def add(text: str, wording: str, *, section: str | None = None, own: str | None = None) -> EditedNote:
    """Add an entry after the last of its section, or of the note; return an existing equal one instead.

    `own` is the id that a restored entry had before; an entry that has this id now is the same.
    """
    wording = one_line(wording)
    known = entries(text)
    for entry in known:
        if entry.text == wording or entry.id == own:
            return EditedNote(text, entry)
    lines = split_lines(text)
    at = _after(lines, section)
    own = own or free_id(wording, {entry.id for entry in known})
    first = at - 1 if at > 0 and _is_placeholder(lines[at - 1]) else at
    new = [line_of(Bullet(id=own, text=wording, line=0, last=0, marked=True))]
    if first > 0 and lines[first - 1].strip() and first not in {entry.last for entry in known}:
        new.insert(0, "")
    line = first + len(new)
    if at < len(lines) and lines[at].strip() and not _bullet(lines[at]):
        new.append("")
    made = Bullet(id=own, text=wording, line=line, last=line, marked=True)
    return EditedNote(_replaced(text, first, at, new), made)


def line_of(entry: Bullet) -> str:
    """Return the line of a new entry."""
    return f"- {entry.text} ^{entry.id}"


def parse_address(own: str) -> EntryAddress:
    """Parse `ID`, `^ID`, `PATH#^ID` or `PATH:LINE`, as `memoro entries` and a search show them."""
    if in_note := _IN_NOTE.fullmatch(own):
        return EntryAddress(id=in_note[2], path=in_note[1])
    if at_line := _AT_LINE.fullmatch(own):
        return EntryAddress(line=int(at_line[2]), path=at_line[1])
    return EntryAddress(id=own.removeprefix("^"))


def edit(text: str, own: str, wording: str) -> EditedNote:
    """Replace the text of one entry; it keeps its bullet, and keeps or gets its id."""
    wording, entry = one_line(wording), find(text, own)
    bullet = _bullet(split_lines(text)[entry.line - 1])
    assert bullet is not None
    made = Bullet(id=entry.id, text=wording, line=entry.line, last=entry.line, marked=True)
    return EditedNote(_replaced(text, entry.line - 1, entry.last, [f"{bullet.lead}{wording} ^{entry.id}"]), made)


def remove(text: str, own: str) -> EditedNote:
    """Remove one entry."""
    entry = find(text, own)
    return EditedNote(_replaced(text, entry.line - 1, entry.last, []), entry)


def find(text: str, own: str) -> Bullet:
    """Return the entry with exactly this id or at this line, never one whose text merely begins alike."""
    address = parse_address(own)
    found = [entry for entry in entries(text) if is_at(entry, address)]
    if not found:
        raise NoteNotFound(f"There is no entry {own!r}. `memoro entries` lists them.")
    if len(found) > 1:
        listed = " and ".join(str(entry.line) for entry in found)
        raise NoteUnwritable(
            f"Two entries have the id {own!r}, in lines {listed}. Name one by its line, such as "
            f"{address.path or 'MEMORY.md'}:{found[0].line}."
        )
    return found[0]


def is_at(entry: Bullet, address: EntryAddress) -> bool:
    """Return whether an address names this entry of its note."""
    return entry.id == address.id if address.line is None else entry.line <= address.line <= entry.last


class _Prose(NamedTuple):
    lines: list[int]  # line numbers, from 0
    end: int  # where an unclosed fence or comment begins, else the end of the note


def _prose(lines: Sequence[str]) -> _Prose:
    """Return the lines outside frontmatter, fences and comments."""
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
    """Return the mark that ends the comment which a line opens and does not close; else an empty text."""
    if line.count("%%") % 2:
        return "%%"
    return "-->" if "<!--" in line and "-->" not in line.rpartition("<!--")[2] else ""


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(("%%", "<!--"))


def _end(lines: Sequence[str], start: int, indent: int) -> int:
    """Return the last line of the entry that starts there: it includes plain text indented further."""
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
    """Return the line before which a new entry goes."""
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
    """Return the lines of a section by its heading; without a name, those of the last section with entries."""
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
    from memoro.model.suggestion import did_you_mean

    titles = [title for _, _, title in headings]
    raise NoteNotFound(
        f"There is no heading {section!r} in the note. Add it there, or name another.{did_you_mean(section, titles)}"
    )


def has_heading(text: str, title: str) -> bool:
    """Return whether a note has a heading that says this, in any case."""
    lines = split_lines(text)
    found = (_heading(lines[number]) for number in _prose(lines).lines)
    return any(one[1].casefold() == title.strip().casefold() for one in found if one)


def _heading(line: str) -> tuple[int, str] | None:
    found = _HEADING.match(line)
    return (len(found[1]), line[found.end() :].strip().rstrip("#").rstrip()) if found else None


def _is_placeholder(line: str) -> bool:
    bullet = _bullet(line)
    text = bullet.text if bullet else line.strip()
    return len(text) < 40 and bool(_PLACEHOLDER.fullmatch(text))


def plain(wording: str) -> str:
    """Return the words on one line, without an opened comment, which would swallow the rest of the note."""
    text = " ".join(_INVISIBLE.sub(" ", wording.encode("utf-8", "replace").decode()).split())
    while text.count("%%") % 2:
        text = text.replace("%%", "% %")
    return text.replace("<!--", "<! --") if _opens(text) == "-->" else text


def one_line(wording: str) -> str:
    """Return words for one bullet that cannot be taken for a second bullet, a task or another id."""
    words = plain(wording).split(" ")
    while len(words) > 1 and words[-1][:1] == "^" and _ID.fullmatch(words[-1], 1):
        words.pop()
    text = " ".join(words)
    text = text[found.end() :] if (found := _BEGINS_LIKE_A_BULLET.match(text)) else text
    if not text:
        raise Refused("An empty entry says nothing. Give it a sentence.")
    return text


def _replaced(text: str, first: int, last: int, new: Sequence[str]) -> str:
    """Return the text with lines `first` to `last` replaced; every other line keeps its own line end."""
    lines = text.split("\n")
    kept = [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    end = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    if first == last == len(kept) and kept and not kept[-1].endswith("\n"):
        kept[-1] = kept[-1].removesuffix(end[:-1]) + end  # it had no line end, or half of one, and gets one now
    made = [f"{line}{end}" for line in new]
    if made and first < last:  # the last new line ends as the replaced one did
        there = kept[last - 1]
        made[-1] = new[-1] + there[len(there.rstrip("\r\n")) :]
    return "".join([*kept[:first], *made, *kept[last:]])
