"""basic-memory: Markdown notes with observations, `- [category] text #tag (context)`. A memory for each of those."""

from __future__ import annotations

import re

from memoro.ledger.exchange.candidates import File, Files, Found, ImportCandidate, Reader, texts, when
from memoro.vault import frontmatter
from memoro.vault.markdown import Parsed, parse

# A box that can be ticked is a task, and `[[` or `](` begins a link.
_observation = re.compile(r"\s*[-*][ \t]+\[(?![ xX-]?\])([^\[\]()\n]{1,100})\](?![(\[])[ \t]+(\S.*)")
_relation = re.compile(r"\s*[-*][ \t]+[\w ]{1,60}\[\[[^\[\]\n]+\]\].*")
_context = re.compile(r"(?<![ \t])[ \t]+(\([^()]*\))$")
_whole_tag = re.compile(r"#[\w/-]+")
_tag = re.compile(r"(?:^|(?<=[\s(]))#([\w/-]+)")


def _looks_right(files: Files) -> bool:
    for file in files:
        note = parse(file.text, file.path)
        lines = _prose(note)
        if any(_observation.fullmatch(line) for _, line in lines) and (
            "permalink" in frontmatter.read(note.lines).fields or any(_relation.fullmatch(line) for _, line in lines)
        ):
            return True
    return _has_mostly_observations(files)


def _has_mostly_observations(files: Files) -> bool:
    bullets = [line for file in files for _, line in _prose(parse(file.text, file.path)) if line.startswith("- ")]
    observed = sum(bool(_observation.fullmatch(line)) for line in bullets)
    return observed > len(bullets) / 2


def _prose(note: Parsed) -> list[tuple[int, str]]:
    fenced = {number for first, last in note.outline.fences for number in range(first, last + 1)}
    return [
        (number, line)
        for number, line in enumerate(note.lines, 1)
        if number >= note.body and number not in fenced and line.lstrip()[:2] in ("- ", "* ")
    ]


def _read(files: Files) -> Found:
    for file in files:
        yield from _observations(file)


def _observations(file: File) -> Found:
    note = parse(file.text, file.path)
    fields = frontmatter.read(note.lines).fields
    own = (note.note.title, *texts(fields.get("tags")))
    created = when(fields.get("created")) or when(fields.get("date"))
    for number, line in _prose(note):
        if found := _observation.fullmatch(line):
            said, tags = _said(found[2].rstrip())
            yield ImportCandidate(
                place=file.at(number),
                content=said,
                tags=(found[1].strip(), *tags, *own),
                created_at=created,
                about=note.note.title or None,
            )


def _said(text: str) -> tuple[str, list[str]]:
    """The text without the tags at its end, with its context, and all tags."""
    tags = _tag.findall(text)
    context = _context.search(text)
    said = text[: context.start()] if context else text
    while _whole_tag.fullmatch((words := said.rpartition(" "))[2]) and words[0]:
        said = words[0].rstrip()
    return f"{said} {context[1]}" if context else said, tags


READER = Reader("basic-memory", _looks_right, _read)
