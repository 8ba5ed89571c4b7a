"""The note of a session as text: written, read back, extended and rewritten. What its owner changed stays. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from memoro.model.session_digest import SessionDigest
from memoro.vault.markdown import split_lines

NoteSection = Literal["Topics", "Tools", "Decisions", "Errors", "Files", "Commands", "Open"]
SECTIONS: tuple[NoteSection, ...] = get_args(NoteSection)  # in the order in which a note has them
SaidLines = Mapping[NoteSection, Sequence[str]]
UNTITLED = "Session"
_FRONT = re.compile(r"---\r?\n(?:.*\n)*?---")
_BULLET = re.compile(r"^\s{0,3}(?:[-*+]|\d{1,3}[.)])\s+(.*)$")
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
_DONE = re.compile(r"^\[[xX]\]\s|^~~.*~~\W*$")
_BLOCK_ID = re.compile(r"\s\^[A-Za-z0-9-]+\s*$")


class OwnChanges(NamedTuple):
    """What of a note Memoro wrote, and what of that its owner took out."""

    written: frozenset[str] = frozenset()  # lines
    taken_out: frozenset[str] = frozenset()


def lines_of(digest: SessionDigest) -> SaidLines:
    """Return the lines of a digest by the sections of a note."""
    return {
        "Decisions": digest.decisions,
        "Errors": digest.errors,
        "Files": [f"`{file}`" for file in digest.files],
        "Commands": digest.commands,
        "Open": digest.open,
    }


def new_note(title: str, about: Mapping[str, str | None], said: SaidLines) -> str:
    """Return a note with the sections that have lines."""
    front = "".join(f"{key}: {quoted(value)}\n" for key, value in about.items() if value)
    sections = ((section, said.get(section, ())) for section in SECTIONS)
    body = "".join(f"\n## {section}\n\n{_bullets(lines)}" for section, lines in sections if lines)
    return f"---\n{front}---\n\n# {title or UNTITLED}\n{body}"


def extended_note(text: str, ended: str, said: SaidLines) -> str:
    """Return the same note with what is new below each heading, and another end; all else stays as it is."""
    text = _with_end(text, ended)
    for section in SECTIONS:
        text = _with_lines(text, section, said.get(section, ()))
    return text


def rewritten_note(text: str, fresh: str, ended: str, own: OwnChanges) -> str:
    """Return a note that says what `fresh` says, with all that its owner wrote, and nothing that they took out."""
    wanted = set(split_lines(fresh))
    kept = [line for line in text.split("\n") if _stays(line, wanted, own)]
    text = _without_empty_sections("\n".join(kept))
    text = _with_title(text, _title_line(fresh), own)
    said = {
        section: [line for line in lines if f"- {line}" not in own.taken_out]
        for section, lines in _sections(fresh).items()
        if section in SECTIONS
    }
    return extended_note(text, ended, said)


def _stays(line: str, wanted: set[str], own: OwnChanges) -> bool:
    bare = line.removesuffix("\r")
    return not bare.startswith("- ") or bare in wanted or bare not in own.written


def changed_by_owner(versions: Iterable[tuple[bytes, bytes]], now: bytes) -> OwnChanges:
    """Return what Memoro wrote in a note, and its owner took out, by the versions before and after each write."""
    written: set[str] = set()
    taken_out: set[str] = set()
    last: set[str] = set()
    for before, after in versions:
        had, has = _line_set(before), _line_set(after)
        taken_out |= last - had
        written |= has - had
        last = has
    taken_out |= last - _line_set(now)
    return OwnChanges(frozenset(written), frozenset(taken_out))


def read_digest(text: str) -> SessionDigest:
    """Return what a session's note says, as its owner left it: what they ticked off or struck through is done.

    Notes of earlier versions have other sections too, which are left out.
    """
    body = text[found.end() :] if (found := _FRONT.match(text)) else text
    sections = _sections(body)

    def of(section: NoteSection) -> tuple[str, ...]:
        return tuple(sections.get(section, ()))

    title = _title_line(body).removeprefix("# ").strip()
    return SessionDigest(
        title="" if title == UNTITLED else title,
        decisions=of("Decisions"),
        files=tuple(file.strip("`") for file in of("Files")),
        commands=of("Commands"),
        errors=of("Errors"),
        open=of("Open"),
    )


def _sections(text: str) -> dict[str, list[str]]:
    """Return the items below each heading that is known, whatever its level and its bullets."""
    found: dict[str, list[str]] = {}
    known = {section.casefold(): section for section in SECTIONS}
    current: list[str] | None = None
    for line in split_lines(text):
        heading = _HEADING.match(line)
        if heading:
            section = known.get(heading[2].strip("*_: ").casefold())
            current = found.setdefault(section, []) if section else None
        elif current is not None and (bullet := _BULLET.match(line)):
            current.append(bullet[1])
        elif current is not None and line.strip():
            if current and line[:1].isspace():
                current[-1] = f"{current[-1]} {line.strip()}"
            else:
                current.append(line.strip())
    return {section: [_item(one) for one in lines if _item(one)] for section, lines in found.items()}


def _item(text: str) -> str:
    if _DONE.match(text):
        return ""
    return _BLOCK_ID.sub("", re.sub(r"^\[.\]\s+", "", text)).strip()


def _title_line(text: str) -> str:
    return next((line for line in split_lines(text) if line.startswith("# ")), "")


def _line_set(data: bytes) -> set[str]:
    return set(split_lines(data.decode("utf-8", "surrogateescape"))) if data else set()


def _with_title(text: str, title: str, own: OwnChanges) -> str:
    """Return the note with another title, unless its owner gave it one."""
    now = _title_line(text)
    if not title or not now or now not in own.written:
        return text
    return re.sub(rf"(?m)^{re.escape(now)}(?=\r?$)", lambda _found: title, text, count=1)


def _with_end(text: str, ended: str) -> str:
    front = _FRONT.match(text)
    end = front.end() if front else 0
    return re.sub(r"(?m)^ended: [^\r\n]*", f"ended: {ended}", text[:end], count=1) + text[end:]


def _without_empty_sections(text: str) -> str:
    """Return the note without headings of Memoro's that have nothing below them."""
    names = "|".join(SECTIONS)
    return re.sub(rf"(?m)^## (?:{names})[ \t]*\r?\n(?:[ \t]*\r?\n)*(?=#{{1,2}} |\Z)", "", text)


def _with_lines(text: str, section: NoteSection, said: Sequence[str]) -> str:
    """Return the note with bullets that are new below a heading, after the last line that stands there."""
    lines = split_lines(text)
    there = set(lines)
    new = [f"- {one}" for one in said if f"- {one}" not in there]
    if not new:
        return text
    headings = [n for n, line in enumerate(lines) if re.match(r"#{1,2} ", line)]
    first = next((n + 1 for n in headings if lines[n].strip() == f"## {section}"), None)
    if first is None:
        return _with_section(text, section, new)
    last = next((n for n in headings if n >= first), len(lines))
    while last > first and not lines[last - 1].strip():
        last -= 1
    return _inserted(text, last, ["", *new] if last == first else new)


def _with_section(text: str, section: NoteSection, new: Sequence[str]) -> str:
    """Return the note with a new section, before the first of those that come after it."""
    lines = split_lines(text)
    later = {f"## {name}" for name in SECTIONS[SECTIONS.index(section) + 1 :]}
    before = next((n for n, line in enumerate(lines) if line.strip() in later), None)
    if before is None:
        last = len(lines)
        while last and not lines[last - 1].strip():
            last -= 1
        return _inserted(text, last, ["", f"## {section}", "", *new])
    return _inserted(text, before, [f"## {section}", "", *new, ""])


def _inserted(text: str, line: int, new: Sequence[str]) -> str:
    """Return the text with lines inserted after its first `line` lines, with its own line ends."""
    end = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    at = sum(len(one) + 1 for one in text.split("\n")[:line])
    head, tail = text[:at], text[at:]
    missing = end if head and not head.endswith("\n") else ""
    return f"{head}{missing}{''.join(f'{one}{end}' for one in new)}{tail}"


def _bullets(lines: Sequence[str]) -> str:
    return "".join(f"- {line}\n" for line in lines)


def quoted(value: str) -> str:
    """Return a value as YAML reads it back: plain where that is safe."""
    from memoro.vault.entries import plain  # reading a note does not need it

    value = plain(value)
    if re.fullmatch(r"\w[\w./@-]*(?:[ :][\w./@-]+)*", value):
        return value
    return json.dumps(value, ensure_ascii=False)
