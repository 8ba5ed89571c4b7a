"""Passages that were taken, put together again: those that follow each other are one, and no line is repeated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.given_text import CUT
from memoro.model.notes import kind_of
from memoro.model.recall import RecalledItem
from memoro.recall import fence

if TYPE_CHECKING:
    from memoro.recall.pack import PackCandidate


class Part(NamedTuple):
    """A passage as it was taken: its text, ready to be shown, whole or the best of it."""

    candidate: PackCandidate
    text: str
    cut: bool = False


def stretches(parts: Sequence[Part], following: Mapping[int, int]) -> list[RecalledItem]:
    """The items of a block: the source with the best passage first, within it by lines.

    An older statement is worth as much as the newer one that took its place, and stands behind it.
    """
    by_path: dict[str, list[Part]] = {}
    for part in sorted(parts, key=lambda part: part.candidate.chunk):  # in the order of the file
        by_path.setdefault(part.candidate.passage.path, []).append(part)
    best = {path: max(part.candidate.worth for part in found) for path, found in by_path.items()}
    is_older = {path: all(part.candidate.older for part in found) for path, found in by_path.items()}
    return [
        item
        for path in sorted(by_path, key=lambda path: (-best[path], is_older[path], path))
        for item in _beside_their_likes(_merged(by_path[path], following))
    ]


def item_of(part: Part) -> RecalledItem:
    candidate, passage = part.candidate, part.candidate.passage
    return RecalledItem(
        id=candidate.id,
        kind=kind_of(passage.path),
        tier=passage.tier,
        path=passage.path,
        start_line=passage.start_line,
        end_line=passage.end_line,
        heading=passage.headings,
        date=passage.date,
        trust=candidate.trust,
        score=candidate.score,
        tokens=0,
        text=part.text,
        speaker=passage.speaker,
        passages=(candidate.id,),
        project=passage.project,
        since=passage.valid_from,
        until=passage.valid_to,
        older=candidate.older,
        muted=candidate.muted,
    )


def _merged(parts: Sequence[Part], following: Mapping[int, int]) -> list[RecalledItem]:
    found: list[RecalledItem] = []
    last: Part | None = None
    for part in parts:
        item = item_of(part)
        if last is not None and _belongs(found[-1], last, part, following):
            found[-1] = _joined(found[-1], item, follows=following.get(last.candidate.chunk) == part.candidate.chunk)
        else:
            found.append(item)
        last = part
    return found


def _belongs(before: RecalledItem, last: Part, part: Part, following: Mapping[int, int]) -> bool:
    passage = part.candidate.passage
    marks = (part.candidate.older, part.candidate.muted)
    if passage.project != before.project or marks != (before.older, before.muted):
        return False
    if passage.start_line <= before.end_line:  # parts of one line, or lines that both have
        return True
    follows = following.get(last.candidate.chunk) == part.candidate.chunk
    # Sections of a note stay one text: their headings tell the days.
    is_of_same_talk = passage.speaker is None or passage.date == before.date
    return follows and not last.cut and not part.cut and is_of_same_talk


def _joined(first: RecalledItem, second: RecalledItem, *, follows: bool) -> RecalledItem:
    better = max(first, second, key=lambda item: item.score)
    return first._replace(
        id=better.id,
        score=better.score,
        end_line=max(first.end_line, second.end_line),
        text=_texts(first, second, follows=follows),
        speaker=first.speaker if first.speaker == second.speaker else None,
        date=first.date if first.date == second.date else None,
        passages=(*first.passages, *second.passages),
    )


def _texts(first: RecalledItem, second: RecalledItem, *, follows: bool) -> str:
    if first.end_line == second.start_line == second.end_line:  # pieces of one line, such as a long turn
        return f"{first.text} {second.text}" if follows else f"{first.text} {CUT} {second.text}"
    own, more = first.text.split("\n"), second.text.split("\n")
    shared = first.end_line - second.start_line + 1
    if shared > 0 and own[-shared:] == more[:shared]:
        more = more[shared:]
    gap = "\n\n" if shared < 0 else "\n"  # between two passages there are at most blank lines
    return "\n".join(own) + (gap + "\n".join(more) if more else "")


def _beside_their_likes(items: Sequence[RecalledItem]) -> list[RecalledItem]:
    """Return those that share a heading and a date together, so that it is said once; otherwise by lines."""
    order: dict[str, list[RecalledItem]] = {}
    for item in items:
        order.setdefault(fence.head(item), []).append(item)
    return [item for group in order.values() for item in group]
