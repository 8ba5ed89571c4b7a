"""A query that asks for a time and for nothing else, such as "what did I do last week"."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

from memoro.model.answers import Explanation, Match, Passage, Signal, Where
from memoro.model.calendar_words import Span
from memoro.model.happened_words import HAPPENED
from memoro.model.statements import only_asks
from memoro.model.time_phrases import NamedTime, named_in
from memoro.model.words import STOP_WORDS
from memoro.search.rank import Ranked
from memoro.store.ports import Index

# Words that ask for whatever there was, in English and German.
_WHATEVER = re.compile(
    r"(?:any|every|some)thing|happen\w*|going|doing|done|do|did|work\w*|make|made|remember|recall|tell|know|show|list"
    r"|summar\w+|recap|chang\w+|notes?|news?|like|please|give|discuss\w*|talk\w*|say|said|write|wrote|written|during|back|daily"
    r"|was|ich|wir|hab\w*|hat|hatten?|gemacht|getan|passiert\w*|geschehen|los|gab|es|war\w*|im|am|in|den|der|die|das"
    r"|mir|zeig\w*|notiz\w*|gearbeitet|geschrieben|besprochen|gesagt|alles|bitte|ist|sich|neue?s?|(?:ge|ver)?änder\w+"
)
_WORD = re.compile(r"[^\W_]+")
# Words that ask for what was decided, and that passages say it with.
_DECIDED = re.compile(
    r"(?i)\b(?:decid(?:e|ed|ing|es)|decisions?|agreed|settled on|chose|chosen|opted|went with|going with"
    r"|entschieden|entscheidung(?:en)?|beschlossen|beschlüsse?|einigten|geeinigt)\b"
)
_DECIDES = 0.95
# How surely a passage of that time is what is meant, by what its note is for. The day's own notes say what was done.
_SURE = {"daily": 0.9, "episodic": 0.8, "memory": 0.7, "transcript": 0.5}
_OTHERS = 0.4
_BEGINNING = 2  # passages of each conversation: how it began tells what it was about
_LOOKED_AT = 5000  # of the passages of these days, so many of the latest


class OfThatTime(NamedTuple):
    match: Match
    score: float


def only_time(query: str, today: date) -> NamedTime | None:
    """The time that a query asks about, where it says nothing else to look for."""
    found = named_in(query, today=today)
    if found is None:
        return None
    rest = {word for word in _WORD.findall(found.rest.lower()) if len(word) > 1} - STOP_WORDS
    return found if all(_WHATEVER.fullmatch(word) or word in HAPPENED for word in rest) else None


def of_that_time(index: Index, query: str, span: Span, where: Where, limit: int) -> list[OfThatTime]:
    """Passages of these days, the day's own notes first, and each kind in the order of time.

    Where the query asks what was decided, passages that tell a decision come before all others.
    """
    within = where._replace(since=span.first.isoformat(), until=span.last.isoformat())
    found = index.look_up((index.admitted(within) or [])[-_LOOKED_AT:], [])
    asks_decisions = _DECIDED.search(query) is not None
    seen: dict[str, int] = {}
    fit: list[OfThatTime] = []
    for match in found:
        passage = match.passage
        seen[passage.path] = seen.get(passage.path, 0) + 1
        if asks_decisions and _tells_decision(passage):
            fit.append(OfThatTime(match, _DECIDES))
        elif passage.tier != "transcript" or seen[passage.path] <= _BEGINNING:
            fit.append(OfThatTime(match, _SURE.get(passage.tier, _OTHERS)))
    fit.sort(key=_place)
    return fit[:limit]


def _tells_decision(passage: Passage) -> bool:
    said = " ".join((*passage.headings, passage.text))
    return _DECIDED.search(said) is not None and not only_asks(passage.text)


def _place(one: OfThatTime) -> tuple[float, str, str, int]:
    passage = one.match.passage
    return -one.score, passage.date or "", passage.path, one.match.chunk


def ranked(found: list[OfThatTime]) -> tuple[Ranked, ...]:
    """The passages as results of a search, found by their dates alone."""
    return tuple(
        Ranked(
            one.match,
            one.score,
            Explanation(terms=(), ignored=(), word_rank=0, parts=(Signal("time", 1.0, one.score),), total=one.score),
        )
        for one in found
    )
