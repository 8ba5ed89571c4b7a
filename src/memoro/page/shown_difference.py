"""The difference of two texts for people: changed lines with lines around them, and the words that differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Literal, NamedTuple, TypeAlias

from memoro.page.differences import DiffLine, Sign

_CONTEXT = 2  # unchanged lines that are shown around changed ones
_MOST_SHOWN = 60  # lines
_MOST_COMPARED = 1500  # lines of a text: comparing takes time with their square
_MOST_WORDS = 400  # of a line
_ALIKE = 0.35  # lines that share less than this are shown as different, without telling their words apart
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # written without spaces: each character is a word
_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+|\s+|[^\w\s]")
LineKind: TypeAlias = Literal["same", "removed", "added", "gap"]
_KINDS: dict[Sign, LineKind] = {" ": "same", "-": "removed", "+": "added"}


class Piece(NamedTuple):
    text: str
    is_changed: bool = False


class ShownLine(NamedTuple):
    kind: LineKind
    pieces: tuple[Piece, ...] = ()
    skipped: int = 0  # of a gap: how many unchanged lines it stands for

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


class ShownDifference(NamedTuple):
    lines: tuple[ShownLine, ...]
    left_out: int = 0  # changed lines and lines around them that are not shown
    added: int = 0  # in all
    removed: int = 0


def shown_difference(
    old: str | None, new: str | None, *, most: int = _MOST_SHOWN, context: int = _CONTEXT
) -> ShownDifference:
    """What went and what came. None is a text that is not there."""
    compared = _compared((old or "").splitlines(), (new or "").splitlines())
    lines = _with_words(compared)
    folded = _folded(lines, context)
    return ShownDifference(
        lines=tuple(folded[:most]),
        left_out=sum(line.kind != "gap" for line in folded[most:]),
        added=sum(line.sign == "+" for line in compared),
        removed=sum(line.sign == "-" for line in compared),
    )


def _compared(old: Sequence[str], new: Sequence[str]) -> list[DiffLine]:
    """All lines of both texts. Only what lies between their common beginning and their common end is compared."""
    shortest = min(len(old), len(new))
    begin = next((n for n in range(shortest) if old[n] != new[n]), shortest)
    end = next((n for n in range(shortest - begin) if old[-1 - n] != new[-1 - n]), shortest - begin)
    before, after = old[begin : len(old) - end], new[begin : len(new) - end]
    if max(len(before), len(after)) > _MOST_COMPARED:
        middle = [*(DiffLine("-", line) for line in before), *(DiffLine("+", line) for line in after)]
    else:
        middle = _matched(before, after)
    return [
        *(DiffLine(" ", line) for line in old[:begin]),
        *middle,
        *(DiffLine(" ", line) for line in old[len(old) - end :]),
    ]


def _matched(before: Sequence[str], after: Sequence[str]) -> list[DiffLine]:
    made: list[DiffLine] = []
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            made += [DiffLine(" ", line) for line in before[a:b]]
        else:
            made += [DiffLine("-", line) for line in before[a:b]]
            made += [DiffLine("+", line) for line in after[c:d]]
    return made


def _with_words(lines: Sequence[DiffLine]) -> list[ShownLine]:
    """The lines with the words told apart in which a line that went differs from the one that came in its place."""
    made: list[ShownLine] = []
    at = 0
    while at < len(lines):
        if lines[at].sign == " ":
            made.append(ShownLine("same", (Piece(lines[at].text),)))
            at += 1
            continue
        gone = _run(lines, at, "-")
        came = _run(lines, at + len(gone), "+")
        pairs = [_pair(one, other) for one, other in zip_longest(gone, came)]
        made += [ShownLine("removed", pieces) for pieces, _ in pairs[: len(gone)]]
        made += [ShownLine("added", pieces) for _, pieces in pairs[: len(came)]]
        at += len(gone) + len(came)
    return made


def _run(lines: Sequence[DiffLine], at: int, sign: Sign) -> list[str]:
    end = at
    while end < len(lines) and lines[end].sign == sign:
        end += 1
    return [line.text for line in lines[at:end]]


Pieces: TypeAlias = tuple[Piece, ...]


def _pair(old: str | None, new: str | None) -> tuple[Pieces, Pieces]:
    """Both lines in pieces; in one piece each, where they have little in common or one is missing."""
    whole = tuple(() if text is None else (Piece(text),) for text in (old, new))
    before, after = _WORD.findall(old or ""), _WORD.findall(new or "")
    if old is None or new is None or not before or not after or max(len(before), len(after)) > _MOST_WORDS:
        return whole[0], whole[1]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if _share_in_common(matcher, before, after) < _ALIKE:
        return whole[0], whole[1]
    gone: list[Piece] = []
    came: list[Piece] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        gone += [Piece("".join(before[a:b]), tag != "equal")] if b > a else []
        came += [Piece("".join(after[c:d]), tag != "equal")] if d > c else []
    return tuple(gone), tuple(came)


def _share_in_common(matcher: SequenceMatcher[str], before: Sequence[str], after: Sequence[str]) -> float:
    """Return how much of two lines is the same, from 0 to 1. Spaces and marks alone make no two lines alike."""
    same = sum(
        _is_word(before[at]) for block in matcher.get_matching_blocks() for at in range(block.a, block.a + block.size)
    )
    words = sum(map(_is_word, before)) + sum(map(_is_word, after))
    return 2 * same / words if words else matcher.ratio()


def _is_word(text: str) -> bool:
    return text[0].isalnum()


def _folded(lines: Sequence[ShownLine], context: int) -> list[ShownLine]:
    """The lines without unchanged ones that are far from any change; a gap says how many are missing."""
    near = {
        place
        for at, line in enumerate(lines)
        if line.kind != "same"
        for place in range(at - context, at + context + 1)
    }
    made: list[ShownLine] = []
    for at, line in enumerate(lines):
        if at in near:
            made.append(line)
        elif made and made[-1].kind == "gap":
            made[-1] = made[-1]._replace(skipped=made[-1].skipped + 1)
        else:
            made.append(ShownLine("gap", skipped=1))
    return made
