"""A question that names a time: the memories that held then become candidates, and passages are weighed by it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING

from memoro.model.answers import Held, Match, Passage, UnderstoodTime, Where
from memoro.model.phrases import compiled
from memoro.model.time_hints import may_name_time, may_speak_of_before

if TYPE_CHECKING:
    from memoro.model.asked_time import AskedTime
    from memoro.search.hybrid_query import HybridQuery, Meaning
    from memoro.search.same_thing import WhichStatement
    from memoro.store.ports import Index

_EVENTS = 12  # statements looked at to date an event
_NEAR_EVENT = 4.0  # how far behind the best the total of another statement about the same event may lie

# A stretch of time between two events, or up to now: both are looked for, and neither is a time to look in.
_STRETCH = (
    r"\bhow long\b|\bhow (?:many|much)(?: more)? (?:minutes|hours|days|weeks|months|years|time)\b"
    r"|\bwie lange\b|\bwie viele? (?:minuten|stunden|tage|wochen|monate|jahre|zeit)\b"
)


def time_asked(question: str, today: date) -> AskedTime | None:
    """Return the time that a question asks about, such as "last week" or "before the move"."""
    if not (may_name_time(question) or may_speak_of_before(question)):
        return None
    from memoro.model.asked_time import asked_time  # patterns and all: seldom needed

    when = asked_time(question, today)
    return None if when is not None and when.event and compiled(_STRETCH).search(question) else when


def with_time(index: Index, asked: HybridQuery, meaning: Meaning) -> HybridQuery:
    """Return the query with the time that it asks about, and with the memories that held then as candidates.

    An event that it names is looked for first; if nothing tells when that was, the query asks about no time.
    """
    today = meaning.today
    when = time_asked(asked.text, today)
    if when is not None and when.event:
        when = _with_date(when, _date(index, when, asked, meaning), today)
        if when.relation == "before":
            asked = asked._replace(text=when.rest)  # the event is not what is looked for
        else:
            when = when._replace(rest=asked.text)
    where = widened(asked.where, when, today)
    return asked._replace(where=where, when=when, as_of=as_of(where, when, today))


def _with_date(when: AskedTime, day: str | None, today: date) -> AskedTime:
    """Return the time with the date of its event. If nothing tells when that was, it is about what once held."""
    from memoro.model.asked_time import dated

    if day is not None:
        return dated(when, date.fromisoformat(day), today)
    return when._replace(relation="earlier" if when.relation == "before" else "after")


def _date(index: Index, when: AskedTime, asked: HybridQuery, meaning: Meaning) -> str | None:
    """Return the day of the event: that of the earliest statement about it among those that fit best.

    The question says what it is about: "whom was Ana dating before Oksana" means the beginning with Ana and Oksana.
    """
    from memoro.search.hybrid import search
    from memoro.search.signals import content_words

    ever = Held(date.min.isoformat(), meaning.today.isoformat())
    where = asked.where if asked.where.held else asked.where._replace(held=ever)
    text, named = f"{when.rest} {when.event}", content_words(when.event)
    found = search(index, asked._replace(text=text, where=where, limit=_EVENTS), meaning).ranked
    held = [len(named & content_words(one.match.passage.text)) for one in found]
    most = max(held, default=0)
    fit = [one for one, count in zip(found, held, strict=True) if most and count == most]
    best = max((one.explanation.total or 0.0 for one in fit), default=0.0)
    near = [one.match.passage for one in fit if (one.explanation.total or 0.0) >= best - _NEAR_EVENT]
    return min((day for passage in near if (day := _day_of(passage, meaning.today))), default=None)


def _day_of(passage: Passage, today: date) -> str | None:
    """Return the day that a statement is about: the one that it names, else the one on which it was said."""
    from memoro.model.said_dates import said_dates

    seen = passage.valid_from or passage.date
    said = said_dates(passage.text, date.fromisoformat(seen) if seen else today)
    named = [span.first.isoformat() for span in said if span.first == span.last]
    return named[0] if len(named) == 1 else seen


def understood(when: AskedTime | None) -> UnderstoodTime | None:
    """Return the time that was understood, as an answer tells it."""
    if when is None or when.relation not in ("in", "before", "after"):
        return None
    first = None if when.span.first == date.min else when.span.first.isoformat()
    return UnderstoodTime(when.phrase, first, when.span.last.isoformat())


def widened(where: Where, when: AskedTime | None, today: date) -> Where:
    """Return the filter that also admits memories that held at that time. An explicit time stays as it is."""
    if when is None or where.held is not None or not when.is_past or when.span.first > today:
        return where
    return where._replace(held=Held(when.span.first.isoformat(), when.span.last.isoformat()))


def as_of(where: Where, when: AskedTime | None, today: date) -> date:
    """Return the day of which it is asked what held."""
    if where.held is not None and where.held.only:
        return min(date.fromisoformat(where.held.last), today)
    return when.as_of(today) if when else today


def which_statement(when: AskedTime | None) -> WhichStatement:
    """Return which of several statements about a thing a question asks for."""
    match when.relation if when else "in":
        case "earlier":
            return "replaced"
        case "first":
            return "first"
        case "ended":
            return "best"
    return "newest"


def time_values(passages: Sequence[Passage], when: AskedTime | None, today: date) -> list[float]:
    """Return for each passage how well it fits the time that is asked about."""
    if when is None:
        return [0.0] * len(passages)
    match when.relation:
        case "in" | "before" | "after":
            return [_in_time(passage, when, today) for passage in passages]
        case "ended":
            return [
                1.0 if _is_over(passage, today) or compiled(_RETRACTS).search(passage.text) else 0.0
                for passage in passages
            ]
        case "earlier":
            return [1.0 if _is_over(passage, today) else 0.0 for passage in passages]
    later = {passage.superseded_by for passage in passages}
    return [(0.5 if p.path in later else 1.0) if _is_over(p, today) else 0.0 for p in passages]


def without_date_words(matches: Sequence[Match]) -> list[Match]:
    """Return the matches without the words of the dates of memories: these may hold long after their dates."""
    return [
        m._replace(counts=tuple(one for one in m.counts if one[1] != "date")) if m.passage.valid_from else m
        for m in matches
    ]


_RETRACTS = (
    r"\b(?:no longer|any ?more|stopp(?:ed|ing)|replac(?:ed|es|ing)|instead of|dropped|retired|cancel\w*"
    r"|quit|gave up|(?:moved|switched|migrated) (?:\w+ ){0,3}(?:from|off|away)|done with|gone|nicht mehr"
    r"|kein\w* (?:\w+ )?mehr|abgeschafft|ersetzt|gekündigt|aufgehört|beendet|abgelöst)\b"
)
# How well a passage fits that has no validity: of a state it may have been said before the time that is asked about,
# and what happened is told in the week after. What was said later tells less of that time.
_EARLIER, _SOON, _LATER = 0.5, 0.5, -0.5
_SOON_DAYS = 7
_NOT_HELD = -4.0  # a memory that held on none of the days is hardly the answer, however well its words fit
_PARTLY = 0.5  # a memory that held on some of the days, and not on the last


def _is_over(passage: Passage, today: date) -> bool:
    return passage.superseded_by is not None or (
        passage.valid_to is not None and passage.valid_to <= today.isoformat()
    )


def _in_time(passage: Passage, when: AskedTime, today: date) -> float:
    """1: it held then, is of that time or names it; below 0: it began to hold later, or had ended."""
    first, last = _days_after(when.span.first, -when.about), _days_after(when.span.last, when.about)
    if when.relation == "in" and _names_day(passage, when, today):
        return 1.0
    if passage.valid_from is not None:
        return _held(passage, first, last, when.as_of(today).isoformat())
    if passage.date is None:
        return 0.0
    if passage.date > last:
        return _SOON if passage.date <= _days_after(when.span.last, _SOON_DAYS) else _LATER
    return 1.0 if passage.date >= first else _EARLIER


def _days_after(day: date, count: int) -> str:
    try:
        return (day + timedelta(days=count)).isoformat()
    except OverflowError:
        return day.isoformat()


def _held(passage: Passage, first: str, last: str, at: str) -> float:
    begin, end = passage.valid_from or "", passage.valid_to or "~"
    if begin > last or end < first:
        return _NOT_HELD
    return 1.0 if begin <= at <= end else _PARTLY


def _names_day(passage: Passage, when: AskedTime, today: date) -> bool:
    from memoro.model.said_dates import said_dates

    seen = date.fromisoformat(passage.date) if passage.date else today
    return any(
        said.first <= when.span.last and when.span.first <= said.last for said in said_dates(passage.text, seen)
    )
