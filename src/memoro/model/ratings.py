"""Ratings of what agents were given: "good", or "wrong, not again". Pure.

A rating of "wrong" is about words, wherever they stand. It names the passages by their content, and the statements
that were given by keyed digests. It holds no text, so nothing that is forgotten later stays in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from memoro.model.items import Item, Namespace
from memoro.model.recall import RecalledItem
from memoro.model.sentence_ends import split_sentences
from memoro.model.statements import only_asks
from memoro.model.targets import ExperienceId, MemoryId, PassageId, parse_target
from memoro.model.vocabulary import LOADED_TIERS, Feedback, Kind, Tier

STORE = "memoro"  # of the ledger's items, beside those of frameworks
MUTED: Namespace = (STORE, "muted")
GOOD: Namespace = (STORE, "good")
WHY_MUTED = "its owner said not to give it again"

# Lines of these are told one by one: to mute one of them leaves its neighbours alone.
BY_LINE = (*LOADED_TIERS, "daily", "episodic")
_HEADING = re.compile(r"\s*#{1,6}\s")
_LEAD = re.compile(
    r"\s*(?:(?:[-*+]|\d{1,3}[.)])\s+)?(?:\[[ xX]\]\s+)?(?:\d\d:\d\d\s+)?(?:(?:User|Assistant):\s)?(?:→\s)?"
)
_ENTRY_ID = re.compile(r"\s+\^[A-Za-z0-9-]{1,200}\s*$")
_TELLING = 12  # characters: shorter sentences, such as "Yes.", are muted only where nothing else was said


class Rating(NamedTuple):
    """A person's rating of one item of one recall, as the ledger keeps it."""

    item: str  # its id, as it was given
    kind: Kind
    path: str
    session: str
    recall: int
    word: Feedback
    passages: tuple[str, ...] = ()  # what it was made of: `passage_key` of each
    content: str = ""  # of a memory or an experience: the keyed digest of what it said
    said: tuple[str, ...] = ()  # keyed digests of the statements

    def overlaps(self, other: Rating) -> bool:
        """Return whether both are about the same passage, or share a statement."""
        return not {*self.passages, *self.said}.isdisjoint((*other.passages, *other.said))


class MutedWords(NamedTuple):
    """Everything that its owner does not want to be given unasked."""

    passages: frozenset[str] = frozenset()
    said: frozenset[str] = frozenset()
    digest: Callable[[str], str] = str

    def __bool__(self) -> bool:
        return bool(self.passages or self.said)

    def covers(self, ids: Iterable[str]) -> bool:
        """Return whether one of these passages, memories or experiences is muted as a whole."""
        return bool(self.passages) and any(passage_key(one) in self.passages for one in ids)

    def marks(self, id: str, tier: Tier, text: str) -> bool:
        """Return whether a passage is muted, or something that it says."""
        return (tier not in BY_LINE and self.covers((id,))) or self.text_without(text) != text

    def line_without(self, line: str) -> str:
        """Return the line without muted statements; empty where nothing else stands in it."""
        if not line.strip() or _HEADING.match(line):
            return line
        if self.digest(_compared(line)) in self.said:
            return ""
        sentences = split_sentences(line)
        left = [one for one in sentences if _asks(one) or self.digest(_compared(one)) not in self.said]
        if len(left) == len(sentences):
            return line
        return "" if all(map(_asks, left)) else " ".join(left)

    def text_without(self, text: str) -> str:
        """Return the text without muted statements; empty where no other is left."""
        if not self.said:
            return text
        lines = text.split("\n")
        kept = [self.line_without(line) for line in lines]
        if kept == lines:
            return text
        left = _without_empty_headings([new for new, old in zip(kept, lines, strict=True) if new or not old])
        return "\n".join(left).strip("\n") if any(_tells(one) and not _asks(one) for one in left) else ""

    def item_without(self, item: RecalledItem) -> RecalledItem | None:
        """Return what may be given of an item unasked; None where nothing may."""
        if item.tier not in BY_LINE and self.covers((item.id,)):
            return None
        text = self.text_without(item.text) if item.kind != "experience" else item.text
        if text == item.text:
            return item
        return item._replace(text=text) if text else None


def passage_key(id: str) -> str:
    """Return what a passage, a memory or an experience is muted by. A passage is its content, whatever its path."""
    match parse_target(id):
        case PassageId(digest=digest):
            return f"#{digest}"
        case MemoryId() | ExperienceId() as target:
            return str(target)
        case _:
            return ""


def rated_id(key: str) -> str:
    """Return what a rating is about. Its key ends with a mark that tells several ratings of one thing apart."""
    return key.rpartition(" (")[0] or key


def rated_passages(item: RecalledItem) -> tuple[str, ...]:
    """Return what an item is made of, but for lines that are told one by one."""
    if item.tier in BY_LINE:
        return ()
    return tuple(dict.fromkeys(key for one in (item.id, *item.passages) if (key := passage_key(one))))


def statements_in(text: str) -> list[str]:
    """Return the statements of a text as they are compared: each line, and each sentence of it.

    A question states nothing, and another text may answer it rightly. It counts where nothing else is said.
    """
    found: dict[str, None] = {}
    for line in text.split("\n"):
        if line.strip() and not _HEADING.match(line):
            found |= dict.fromkeys(map(_compared, (line, *split_sentences(line))))
    telling = [one for one in found if len(one) >= _TELLING]
    return [one for one in telling if not _asks(one)] or telling or [one for one in found if one]


def entry_at(text: str, first: int, line: int) -> str:
    """Return the entry that a line of a note belongs to, with the lines indented below it.

    `first` is the number of the text's first line.
    """
    lines = text.split("\n")
    at = line - first
    if not 0 <= at < len(lines) or not lines[at].strip() or _HEADING.match(lines[at]):
        return ""
    while at > 0 and lines[at][:1] in (" ", "\t") and lines[at - 1].strip() and not _HEADING.match(lines[at - 1]):
        at -= 1
    end = at + 1
    while end < len(lines) and lines[end].strip() and lines[end][:1] in (" ", "\t"):
        end += 1
    return "\n".join(lines[at:end])


def to_value(rating: Rating) -> dict[str, Any]:
    return rating._asdict()


def rating_of(item: Item | None) -> Rating | None:
    """Return the rating that an item of the ledger is; None where it is another one."""
    if item is None or item.store != STORE:
        return None
    import json

    from memoro.model.from_json import build

    try:
        return build(Rating, json.loads(item.value))
    except ValueError:  # an export that somebody edited may hold anything
        return None


def _compared(text: str) -> str:
    bare = _ENTRY_ID.sub("", text).strip()
    bare = bare[match.end() :] if (match := _LEAD.match(bare)) else bare
    return " ".join(bare.strip("… \t").split()).casefold()


def _asks(text: str) -> bool:
    """Return whether a line or a sentence is a mere question."""
    return only_asks(_LEAD.sub("", text, count=1))


def _tells(line: str) -> bool:
    return bool(line.strip(" …\t")) and not _HEADING.match(line)


def _without_empty_headings(lines: list[str]) -> list[str]:
    """Drop the headings below which nothing is left; the first line may be the title."""
    kept: list[str] = []
    for line, after in zip(lines, [*lines[1:], "#"], strict=False):
        is_empty = bool(_HEADING.match(line)) and (after == "#" or bool(_HEADING.match(after)))
        if not (is_empty and kept):
            kept.append(line)
    return kept
