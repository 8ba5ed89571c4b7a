"""Open items of past sessions of which a later conversation says that they were done."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import date, timedelta
from typing import TYPE_CHECKING

from memoro.errors import StoreError
from memoro.model.open_items import OpenItem, carried_out, closes, is_ordered
from memoro.unasked.exchanges import USER, exchanges_of
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
        kept = [one for one in items[:_MOST_ITEMS] if not _is_done(index, sources, sessions, one)]
        return [*kept, *items[_MOST_ITEMS:]]

    with suppress(StoreError):  # without an index the notes alone tell
        return sources.read(left)
    return list(items)


def _is_done(index: Index, sources: SessionSources, sessions: Sequence[PastSession], item: OpenItem) -> bool:
    ended = sessions[item.session].ended
    later = _later_on_the_day(sources, sessions, ended)
    since = date.fromisoformat(ended[:10]) + timedelta(days=0 if later else 1)
    where = sources.where._replace(kinds=("transcript",), since=since.isoformat())
    most = 2 * _LOOKED_AT if later else _LOOKED_AT  # those of the session itself do not count
    for match in index.match(index.terms(item.text), where, most):
        passage = match.passage
        day = passage.date or ""
        if passage.speaker is None or not (day > ended[:10] or any(one in passage.path for one in later)):
            continue
        said = [one.text for one in pieces(passage.text.partition(": ")[2])]
        if any(len(one.split()) <= _LONGEST and closes(one, item.text) for one in said):
            return True
        if passage.speaker == USER and is_ordered(said, item.text):
            exchange = exchanges_of(index, {match.chunk: passage}).get(match.chunk)
            answers = exchange.answers if exchange and exchange.said else ()
            if carried_out(said, [one.text for turn in answers for one in pieces(turn.text)], item.text):
                return True
    return False


def _later_on_the_day(sources: SessionSources, sessions: Sequence[PastSession], ended: str) -> list[str]:
    """Return the ids of the sessions that began after another had ended, of which the day alone does not tell."""
    later = [one.session for one in sessions if one.session and one.began > ended]
    return [*later, sources.own] if sources.own else later
