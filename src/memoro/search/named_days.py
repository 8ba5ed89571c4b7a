"""Results of the days that a query names come before all others: "Kestrel last week"."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.answers import Where
from memoro.model.attributes import asked_attributes
from memoro.search.past import time_asked, time_values
from memoro.search.relevance import Cut, cut, isotonic
from memoro.search.signals import content_words

if TYPE_CHECKING:
    from memoro.model.asked_time import AskedTime
    from memoro.search.rank import Ranked
    from memoro.search.retrieve import Ranking

# What is of the days that are named comes first if it scores at least this share of the best of all times: what
# happened is often told later, and the answer then has the words of the query, and nothing of those days does.
LEAST_SHARE = 0.6


class NamedDays(NamedTuple):
    """The days that a query names, whose passages come first."""

    when: AskedTime
    today: date

    def within(self, where: Where) -> Where:
        """Return the filter that admits what is of these days alone."""
        first, last = self._days()
        return where._replace(since=first, until=last)

    def is_of_another(self, one: Ranked) -> bool:
        """Return whether a passage has the date of another day, or none."""
        first, last = self._days()
        return not first <= (one.match.passage.date or "") <= last

    def _days(self) -> tuple[str, str]:
        about = timedelta(days=self.when.about)
        return (self.when.span.first - about).isoformat(), (self.when.span.last + about).isoformat()

    def of_them(self, found: Sequence[Ranked]) -> list[Ranked]:
        """Return the passages that are of these days, or name one of them. The day of a file's change is no date."""
        values = time_values([one.match.passage for one in found], self.when, self.today)
        return [one for one, value in zip(found, values, strict=True) if value >= 1.0]

    def has_words(self, one: Ranked) -> bool:
        """Return whether a passage has a word of what is looked for: the date alone says nothing of it."""
        return not content_words(self.when.rest).isdisjoint(content_words(one.match.passage.text))

    def found(self, inside: Ranking) -> DaysFound:
        """Return what a search of these days alone found."""
        return DaysFound(self, inside)

    def notice(self) -> str:
        """Return what an answer says that holds nothing of these days."""
        first, last = self.when.span
        days = f"{last}" if first == last else f"{first} to {last}"
        return f"Nothing from {days} fits the rest of the query; these results are the nearest."


def named_days(query: str, where: Where, today: date) -> NamedDays | None:
    """Return the days that a query asks for something of; None if it names none.

    A filter by date leaves the time no more than a signal. So does a question about a state, such as "where did I
    live in May": what was said long before may tell it.
    """
    if where.since is not None or where.until is not None or where.held is not None:
        return None
    when = time_asked(query, today)
    if when is None or when.relation != "in" or when.event or when.span.first > today:
        return None
    return None if asked_attributes(query) else NamedDays(when, today)


class DaysFound(NamedTuple):
    """What a search found of the named days alone, without the words of the time."""

    days: NamedDays
    inside: Ranking

    def first(self, usual: Cut, min_score: float | None) -> tuple[Cut, tuple[str, ...]]:
        """Return the relevant passages of these days, then the others that were found; and a notice if it has none.

        A passage of another day may name these days, and a memory may have held on them.
        """
        days = self.days
        inside = cut(self.inside.ranked, self.inside.mode, min_score)
        beside = [one for one in days.of_them(usual.kept) if days.is_of_another(one) and days.has_words(one)]
        of_days = {one.match.chunk: one for one in [*days.of_them(inside.kept), *beside]}
        least = LEAST_SHARE * max((one.score for one in usual.kept), default=0.0)
        first = sorted((one for one in of_days.values() if one.score >= least), key=lambda one: -one.score)
        placed = {one.match.chunk for one in first}
        kept = [*first, *(one for one in usual.kept if one.match.chunk not in placed)]
        scores = isotonic([one.score for one in kept])
        shown = tuple(one._replace(score=score) for one, score in zip(kept, scores, strict=True))
        return usual._replace(kept=shown), (days.notice(),) if kept and not of_days else ()
