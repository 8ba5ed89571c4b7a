"""Searching in what a session was given."""

from __future__ import annotations

from collections.abc import Sequence

from memoro.model.answers import GivenIn, Hit, Where, exactly, is_below
from memoro.model.recall import RecalledItem
from memoro.model.sessions import RecordedRecall

_NOWHERE = "\x00"  # no note has such a name


def narrowed(where: Where, recalls: Sequence[RecordedRecall]) -> Where:
    """The filter for files of which something was given, and no others."""
    paths = {one.item.path for recall in recalls for one in recall.given}
    chosen = [path for path in sorted(paths) if not where.paths or any(is_below(path, one) for one in where.paths)]
    return where._replace(paths=tuple(map(exactly, chosen)) or (_NOWHERE,))


def marked(hits: Sequence[Hit], recalls: Sequence[RecordedRecall]) -> tuple[Hit, ...]:
    """The hits that were given, each with when, and what became of it.

    A passage was given where it was an item, or a part of one: items reach over several passages.
    """
    found = []
    for hit in hits:
        given = [
            GivenIn(recall.number, recall.at, one.feedback)
            for recall in recalls
            for one in recall.given
            if _holds(one.item, hit)
        ]
        if given:
            found.append(hit._replace(given=tuple(dict.fromkeys(given))))
    return tuple(found)


def _holds(item: RecalledItem, hit: Hit) -> bool:
    meet = item.start_line <= hit.end_line and hit.start_line <= item.end_line
    return item.id == hit.id or (item.path == hit.path and meet)
