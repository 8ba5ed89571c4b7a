"""Open items of past sessions of which a later conversation says that they were done."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import date, timedelta
from typing import TYPE_CHECKING

from memoro.errors import StoreError
from memoro.model.open_items import OpenItem, closes
from memoro.unasked.shortening import pieces

if TYPE_CHECKING:
    from memoro.store.ports import Index
    from memoro.unasked.past_sessions import PastSession, SessionSources

_LOOKED_AT = 12  # passages for each item
_MOST_ITEMS = 12
_LONGEST = 30  # words: a longer sentence tells of more than one thing


def without_done(
    sources: SessionSources, sessions: Sequence[PastSession], items: Sequence[OpenItem]
) -> list[OpenItem]:
    """Return the items that no later conversation of the project closes: "the imprint is done, I did it myself"."""

    def left(index: Index) -> list[OpenItem]:
        kept = [one for one in items[:_MOST_ITEMS] if not _is_done(index, sources, sessions[one.session], one.text)]
        return [*kept, *items[_MOST_ITEMS:]]

    with suppress(StoreError):  # without an index the notes alone tell
        return sources.read(left)
    return list(items)


def _is_done(index: Index, sources: SessionSources, session: PastSession, item: str) -> bool:
    # On the same day nobody knows which came first.
    after = date.fromisoformat(session.ended[:10]) + timedelta(days=1)
    where = sources.where._replace(kinds=("transcript",), since=after.isoformat())
    for match in index.match(index.terms(item), where, _LOOKED_AT):
        passage = match.passage
        if passage.speaker is None or (passage.date or "") < after.isoformat():
            continue
        said = passage.text.partition(": ")[2]
        if any(len(one.text.split()) <= _LONGEST and closes(one.text, item) for one in pieces(said)):
            return True
    return False
