"""Links between notes that lead nowhere. A link counts as broken only where no path, name, title or alias fits it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from memoro.curate.snapshot.state import BrokenLink
from memoro.model.dates import find_date
from memoro.model.personal_names import plain
from memoro.vault.markdown import outline, split_lines

_WIKI = re.compile(
    r"(?P<embed>!?)\[\[(?P<target>[^\[\]|#^\n]{1,200})(?P<part>[#^][^\[\]|\n]*)?(?:\|(?P<shown>[^\[\]\n]*))?\]\]"
)
_PLAIN = re.compile(r"(?<!!)\[(?P<shown>[^\[\]\n]{1,200})\]\((?P<target>[^()\s:#]{1,200}\.md)(?P<part>#[^()\s]*)?\)")
_CODE = re.compile(r"`[^`\n]*`")
_FILE = re.compile(r"\.[A-Za-z0-9]{1,8}$")  # a link to an attachment, unless it ends in .md


class NoteLink(NamedTuple):
    """A link to a note, as it stands in a text."""

    line: int
    link: str
    target: str  # without the heading or block that it leads to
    shown: str
    is_wiki: bool


class LinkTargets(NamedTuple):
    """The notes of a vault by all that a link may call them."""

    paths: Mapping[str, str]  # by the path in small letters, without its ending
    stems: Mapping[str, tuple[str, ...]]  # by the bare name: all notes that have it
    names: frozenset[str] = frozenset()  # titles and aliases


def links_in(text: str) -> list[NoteLink]:
    """Return the links to notes, outside code. Days, attachments and places in the same note are left out."""
    lines = split_lines(text)
    code = {line for first, last in outline(lines, 0).fences for line in range(first, last + 1)}
    found: list[NoteLink] = []
    for number, line in enumerate(lines, 1):
        if number in code or ("](" not in line and "[[" not in line):
            continue
        prose = _CODE.sub(lambda one: " " * len(one[0]), line)
        for pattern in (_WIKI, _PLAIN):
            for one in pattern.finditer(prose):
                target = one["target"].strip()
                is_wiki = pattern is _WIKI
                if _may_be_note(target, is_embed=is_wiki and bool(one["embed"])):
                    shown = (one["shown"] or target.rpartition("/")[2]).strip()
                    plain = target if is_wiki else unquote(target)
                    found.append(NoteLink(line=number, link=one[0], target=plain, shown=shown, is_wiki=is_wiki))
    return found


def link_targets(paths: Iterable[str], names: Iterable[str] = ()) -> LinkTargets:
    by_path: dict[str, str] = {}
    stems: dict[str, list[str]] = {}
    for path in paths:
        by_path.setdefault(_key(path), path)
        stems.setdefault(_key(path.rpartition("/")[2]), []).append(path)
    return LinkTargets(by_path, {stem: tuple(each) for stem, each in stems.items()}, frozenset(map(plain, names)))


def leads_somewhere(link: NoteLink, targets: LinkTargets, folder: str) -> bool:
    """Return whether a note is where the link says, or has the name that it says. `folder` holds the linking note."""
    key = _key(link.target)
    if (
        key in targets.paths
        or _key(_joined(folder, link.target)) in targets.paths
        or plain(link.target) in targets.names
    ):
        return True
    return link.is_wiki and "/" not in key and key in targets.stems


def broken_link(link: NoteLink, path: str, targets: LinkTargets) -> BrokenLink:
    """Return a link that leads nowhere; with one that would, where exactly one note elsewhere has the name."""
    elsewhere: Sequence[str] = targets.stems.get(_key(link.target.rpartition("/")[2]), ())
    instead = None
    if len(elsewhere) == 1:
        new = elsewhere[0].removesuffix(".md") if link.is_wiki and not link.target.endswith(".md") else elsewhere[0]
        instead = link.link.replace(link.target, new, 1)
    return BrokenLink(
        path=path, line=link.line, link=link.link, shown=link.shown, instead=instead if instead != link.link else None
    )


def _may_be_note(target: str, *, is_embed: bool) -> bool:
    if not target or "://" in target or find_date(target):  # the note of a day may come yet
        return False
    return target.lower().endswith(".md") or not (is_embed or _FILE.search(target))


def _joined(folder: str, target: str) -> str:
    """Return the path of a target relative to a folder; `..` that leads out of the vault leads nowhere."""
    parts = folder.split("/") if folder else []
    for part in target.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _key(path: str) -> str:
    lower = plain(path.strip().lstrip("/"))
    return lower.removesuffix(".md")
