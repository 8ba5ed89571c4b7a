"""Parse a Markdown note: headings, fences, tags, links, dates."""

from __future__ import annotations

import re
from typing import NamedTuple

from memoro.model.dates import find_date
from memoro.model.notes import Note
from memoro.model.privacy import note_privacy
from memoro.vault import frontmatter
from memoro.vault.frontmatter import Frontmatter
from memoro.vault.superseded import superseded

_fence = re.compile(r"\s*(?:>\s*|(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,}|~{3,})(.*)")
_atx = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_underline = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_not_a_paragraph = re.compile(r"\s*(?:[-*+>|#]|`{3}|~{3}|\d+[.)]\s|$)|    ")
_inline_code = re.compile(r"`[^`\n]*`")
_tag = re.compile(r"(?:^|(?<=[\s(,;]))#([\w/-]{1,100})", re.MULTILINE)
_wikilink = re.compile(r"\[\[([^\[\]|#\n]{1,200})")
_link = re.compile(r"\[\[([^\]|#]*)[^\]]*\]\]")  # [[Name]], [[Name|shown]]
_markdown_link = re.compile(r"\]\(([^()\s]{1,200}\.md)")
_DATE_FIELDS = ("date", "day", "created", "started")
# A heading is indexed with every passage below it; a heading of a megabyte would become a thousand megabytes.
MAX_TITLE = 300


class Heading(NamedTuple):
    line: int  # 1-based, the first of its lines
    level: int
    title: str


class Outline(NamedTuple):
    headings: tuple[Heading, ...]
    fences: tuple[tuple[int, int], ...]  # first and last line of each code fence


class Parsed(NamedTuple):
    note: Note
    lines: list[str]
    outline: Outline
    body: int  # the first line after the frontmatter
    warnings: tuple[str, ...]


def split_lines(text: str) -> list[str]:
    r"""Split into lines as editors count them: only `\n` ends a line; a `\r` before it is dropped."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line[:-1] if line.endswith("\r") else line for line in lines]


def parse(text: str, path: str) -> Parsed:
    lines = split_lines(text)
    front = frontmatter.read(lines)
    shape = outline(lines, front.lines)
    prose = _inline_code.sub("", "\n".join(_outside_fences(lines, shape, front.lines)))
    date, date_warning = _date(path, front)
    title = _title(path, front, shape)
    note = Note(
        title=title,
        aliases=_unique(frontmatter.strings(front.fields.get("aliases", front.fields.get("alias")))),
        tags=_tags(front, prose),
        links=_unique([*_wikilink.findall(prose), *_markdown_link.findall(prose)]),
        date=date,
        agent=_text(front.fields.get("agent")),
        project=_project(front),
        superseded=superseded(front, lines[front.lines :], title),
        session=_text(front.fields.get("session")),
        privacy=note_privacy(path, front.fields, title, lines[front.lines :]),
    )
    warnings = tuple(w for w in (front.warning, date_warning) if w)
    return Parsed(note=note, lines=lines, outline=shape, body=front.lines + 1, warnings=warnings)


def outline(lines: list[str], skip: int) -> Outline:
    """Return headings and code fences after the first `skip` lines. A heading inside a fence does not count."""
    headings: list[Heading] = []
    fences: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for number, line in enumerate(lines[skip:], skip + 1):
        marker = _fence.match(line) if "```" in line or "~~~" in line else None
        if opened is not None:
            if marker and _closes(marker, opened[1]):
                fences.append((opened[0], number))
                opened = None
        elif marker and not (marker[1][0] == "`" and "`" in marker[2]):
            opened = (number, marker[1])
        elif found := _heading(lines, number, skip):
            headings.append(found)
    if opened is not None:
        fences.append((opened[0], len(lines)))
    return Outline(tuple(headings), tuple(fences))


def _closes(marker: re.Match[str], opening: str) -> bool:
    same_kind = marker[1][0] == opening[0] and len(marker[1]) >= len(opening)
    return same_kind and not marker[2].strip()


def _heading(lines: list[str], number: int, skip: int) -> Heading | None:
    line = lines[number - 1]
    if "#" in line[:4] and (atx := _atx.match(line)):
        return Heading(number, len(atx[1]), _without_closing_hashes(atx[2] or "")[:MAX_TITLE])
    if line[:1] in "=- " and number - 1 > skip and (rule := _underline.match(line)):
        above = lines[number - 2]
        if not _not_a_paragraph.match(above):
            return Heading(number - 1, 1 if rule[1][0] == "=" else 2, above.strip()[:MAX_TITLE])
    return None


def _without_closing_hashes(title: str) -> str:
    title = title.strip()
    shorter = title.rstrip("#")
    return shorter.rstrip() if not shorter or shorter[-1] in " \t" else title


def _outside_fences(lines: list[str], shape: Outline, skip: int) -> list[str]:
    kept: list[str] = []
    start = skip
    for first, last in shape.fences:
        kept += lines[start : first - 1]
        start = last
    return kept + lines[start:]


def _title(path: str, front: Frontmatter, shape: Outline) -> str:
    first = next((h.title for h in shape.headings if h.level == 1 and h.title), None)
    name = path.rpartition("/")[2].rpartition(".")[0]
    return _text(front.fields.get("title")) or first or name


def _tags(front: Frontmatter, prose: str) -> tuple[str, ...]:
    listed = frontmatter.strings(front.fields.get("tags", front.fields.get("tag")))
    own = [tag for item in listed for tag in item.split()]
    inline = _tag.findall(prose) if "#" in prose else []
    named = (tag.strip("#/").casefold() for tag in [*own, *inline])
    return _unique([tag for tag in named if tag and not tag.isdigit()])


def _date(path: str, front: Frontmatter) -> tuple[str | None, str | None]:
    """Return the date of the note's event: from its file name, else from its frontmatter."""
    if found := find_date(path.rpartition("/")[2]):
        return found, None
    for field in _DATE_FIELDS:
        value = front.fields.get(field)
        if isinstance(value, str) and value.strip():
            found = find_date(value)
            warning = None if found else f"Its {field} {value.strip()[:40]!r} is not a date; write YYYY-MM-DD."
            return found, warning
    return None, None


def _project(front: Frontmatter) -> str | None:
    """Return the project that the frontmatter names, as a text or a link; None where it names several."""
    value = front.fields.get("project")
    while isinstance(value, list) and len(value) == 1:  # an unquoted [[link]] is a list in a list
        value = value[0]
    named = [_link.sub(r"\1", one).strip() for one in frontmatter.strings(value)]
    return named[0] or None if len(named) == 1 else None


def with_project(note: Note, path: str) -> Note:
    """Return the note with the project that its frontmatter, its tag `#project/NAME` or its folder names.

    A note with the tags of several projects belongs to none.
    """
    if note.project is not None:
        return note
    tagged = [tag.removeprefix("project/") for tag in note.tags if tag.startswith("project/")]
    folders = path.split("/")[:-1]
    inside = [folders[at + 1] for at, name in enumerate(folders[:-1]) if name.casefold() == "projects"]
    named = tagged or inside[:1]
    return note._replace(project=named[0]) if len(named) == 1 else note


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _unique(items: list[str]) -> tuple[str, ...]:
    """Return each item once, in order, on one line each."""
    return tuple(dict.fromkeys(" ".join(item.split()) for item in items if item.strip()))
