"""Markdown as a list of thoughts: bullets with all that hangs on them, and paragraphs, each below its headings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from memoro.vault import frontmatter
from memoro.vault.markdown import Heading, outline, split_lines

_bullet = re.compile(r"(\s*)(?:[-*+]|\d{1,9}[.)])[ \t]+")
_nothing = re.compile(r"\s*(?:([-*_])(?:[ \t]*\1){2,}[ \t]*|<!--(?:(?!-->).)*-->\s*)")
_block_id = re.compile(r"(?<![ \t])[ \t]+\^[A-Za-z0-9-]{6,}[ \t]*$", re.MULTILINE)


class Block(NamedTuple):
    line: int
    text: str
    headings: tuple[str, ...]
    is_bullet: bool


def blocks(text: str) -> Iterator[Block]:
    """Each bullet and each paragraph. A line such as "Preferences:" before a list counts as a heading of it."""
    found = [block for block in _blocks(text) if block.text]
    lead: tuple[str, ...] = ()
    for block, following in pairwise([*found, None]):
        if block is None:  # the end
            break
        if not block.is_bullet:
            lead = ()
            if following and following.is_bullet and _leads(block) and following.headings == block.headings:
                lead = (block.text.strip("*_: "),)
                continue
        yield block._replace(headings=(*block.headings, *lead))


def _leads(block: Block) -> bool:
    said = block.text.rstrip("*_ ")
    return "\n" not in said and said.endswith(":") and bool(said.strip("*_: "))


def _blocks(text: str) -> Iterator[Block]:
    lines = split_lines(text)
    skip = frontmatter.read(lines).lines
    shape = outline(lines, skip)
    headings = {heading.line: heading for heading in shape.headings}
    fenced = {number for first, last in shape.fences for number in range(first, last + 1)}
    path: list[Heading] = []
    open_block = _Open(line=0, indent=-1, lines=[], headings=())
    underline = 0
    for number, line in enumerate(lines[skip:], skip + 1):
        if number == underline:
            continue
        if heading := headings.get(number):
            yield open_block.closed()
            path = [*(one for one in path if one.level < heading.level), heading]
            open_block = _Open(line=number, indent=-1, lines=[], headings=_titles(path))
            underline = 0 if line.lstrip().startswith("#") else number + 1
        elif number not in fenced and (bullet := _bullet.match(line)) and open_block.may_be_followed(bullet):
            yield open_block.closed()
            open_block = _Open(
                line=number, indent=len(bullet[1]), lines=[line[bullet.end() :]], headings=_titles(path)
            )
        elif open_block.goes_on_with(line, fenced=number in fenced):
            open_block.lines.append(line)
        else:
            yield open_block.closed()
            open_block = _Open(
                line=number,
                indent=-1,
                lines=[] if not line.strip() or _nothing.fullmatch(line) else [line],
                headings=_titles(path),
            )
    yield open_block.closed()


def _titles(path: Iterable[Heading]) -> tuple[str, ...]:
    return tuple(heading.title for heading in path if heading.title)


class _Open(NamedTuple):
    """A block while its lines are read."""

    line: int
    indent: int  # of the bullet; -1: a paragraph
    lines: list[str]
    headings: tuple[str, ...]

    def may_be_followed(self, bullet: re.Match[str]) -> bool:
        return self.indent < 0 or len(bullet[1]) <= self.indent + 1

    def goes_on_with(self, line: str, *, fenced: bool) -> bool:
        if fenced or not self.lines:
            return bool(self.lines)
        if not line.strip():
            return self.indent >= 0  # what is indented after an empty line still belongs to the bullet
        if _nothing.fullmatch(line):
            return False
        after_gap = not self.lines[-1].strip()
        return not after_gap or (self.indent >= 0 and line.startswith((" " * (self.indent + 2), "\t")))

    def closed(self) -> Block:
        first, *rest = self.lines or [""]
        margin = min((len(one) - len(one.lstrip()) for one in rest if one.strip()), default=0)
        said = "\n".join([first, *(one[margin:].rstrip() for one in rest)])
        return Block(
            line=self.line, text=_block_id.sub("", said).strip(), headings=self.headings, is_bullet=self.indent >= 0
        )
