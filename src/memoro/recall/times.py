"""A message that asks for a time and for nothing else, such as "what did I do last week"."""

from __future__ import annotations

import re
from datetime import date

from memoro.model import dates
from memoro.model.answers import Where
from memoro.model.words import STOP_WORDS
from memoro.recall.pack import PackCandidate
from memoro.search.retrieve import identifier
from memoro.store.ports import Index

# Words that ask for whatever there was.
_WHATEVER = re.compile(
    r"(?:any|every|some)thing|happen\w*|going|doing|done|do|did|work\w*|make|made|remember|recall|tell|know|show|list"
    r"|summar\w+|recap|notes?|news?|like|please|give|discuss\w*|talk\w*|say|said|write|wrote|written|during|back|daily"
)
_WORD = re.compile(r"[^\W_]+")
# How surely a passage of that time is what is meant, by what its note is for. The day's own notes say what was done.
_SURE = {"daily": 0.9, "episodic": 0.8, "memory": 0.7, "transcript": 0.5}
_OTHERS = 0.4
_BEGINNING = 2  # passages of each conversation: how it began tells what it was about


def only_time(message: str, today: date) -> dates.Span | None:
    """The days that a message asks about, where it says nothing else to look for."""
    found = dates.named_in(message, today=today)
    if found is None:
        return None
    rest = {word for word in _WORD.findall(found[1].lower()) if len(word) > 1} - STOP_WORDS
    return found[0] if all(_WHATEVER.fullmatch(word) for word in rest) else None


def of_that_time(index: Index, span: dates.Span, where: Where, limit: int) -> list[PackCandidate]:
    """Passages of these days, the day's own notes first, and each kind in the order of time."""
    within = where._replace(since=span.first.isoformat(), until=span.last.isoformat())
    found = index.look_up((index.admitted(within) or [])[-_LOOKED_AT:], [])
    seen: dict[str, int] = {}
    fit: list[PackCandidate] = []
    for match in found:
        passage = match.passage
        seen[passage.path] = seen.get(passage.path, 0) + 1
        if passage.tier != "transcript" or seen[passage.path] <= _BEGINNING:
            sure = _SURE.get(passage.tier, _OTHERS)
            fit.append(
                PackCandidate(chunk=match.chunk, passage=passage, id=identifier(passage), score=sure, sure=sure)
            )
    fit.sort(key=lambda one: (-one.score, one.passage.date or "", one.passage.path, one.chunk))
    return fit[:limit]


_LOOKED_AT = 5000  # of the passages of these days, so many of the latest
