"""The questions at the end of each quarter, each with the periods of its fact that answer it."""

from __future__ import annotations

import calendar
import random
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Literal, NamedTuple

from benchmarks.year.life import QUARTERS, Fact, Turn, called, fill, make_facts, make_turns, phrases_of
from benchmarks.year.words import Words, read_words

Kind = Literal["now", "here", "steady", "past", "as of", "when", "deleted"]

_PAST = 0.6  # how often something earlier is asked for, where it can be
_PLAIN_PAST = 0.2  # how often it is a question about the present with a time added
_SEASONS = (("spring", 3), ("summer", 6), ("autumn", 9))
_EDGE = 14  # days of a season on which another value may still hold


class Probe(NamedTuple):
    """A question. `periods`: those of the fact that answer it, none for one that was deleted."""

    asked: date
    kind: Kind
    text: str
    fact: int
    periods: tuple[int, ...]
    project: str | None = None
    as_of: date | None = None


class Year(NamedTuple):
    facts: tuple[Fact, ...]
    turns: tuple[Turn, ...]  # in the order of time
    probes: tuple[Probe, ...]


def make_year(seed: int, world: str = "year") -> Year:
    words, rng = read_words(world), random.Random(f"{world} {seed}")
    facts = make_facts(words, rng)
    turns = make_turns(facts, words, rng)
    questions = ProbeMaker(words, rng)
    probes = tuple(probe for day in QUARTERS for fact in facts for probe in questions.about(fact, day))
    return Year(facts, turns, probes)


class ProbeMaker:
    def __init__(self, words: Words, rng: random.Random) -> None:
        self._words, self._rng = words, rng

    def about(self, fact: Fact, day: date) -> Iterator[Probe]:
        period = fact.period_at(day - timedelta(days=1))  # the evening before
        if period is None:
            return
        if fact.deleted and fact.deleted < day:
            yield Probe(day, "deleted", self._now(fact), fact.number, ())
            return
        kind: Kind = "now" if len(fact.values) > 1 else "steady"
        for text in dict.fromkeys((self._now(fact), self._now(fact))):
            yield Probe(day, kind, text, fact.number, (period,))
        if fact.attribute.ask_here and kind == "now" and self._rng.random() < 0.5:
            text = self._rng.choice(fact.attribute.ask_here)
            yield Probe(day, "here", text, fact.number, (period,), fact.project)
        if self._rng.random() < _PAST:
            past = list(self._past(fact, day, period))
            if past:
                yield self._rng.choice(past)

    def _now(self, fact: Fact) -> str:
        return self._ask(phrases_of(fact, self._rng).ask, fact, 0)

    def _ask(self, templates: tuple[str, ...], fact: Fact, period: int) -> str:
        return fill(self._rng.choice(templates), fact, period, called(fact, self._words, self._rng))

    def _asked_about(self, time: str, fact: Fact) -> str:
        if self._rng.random() < _PLAIN_PAST:
            question = self._ask(fact.attribute.english.ask, fact, 0)
            return self._rng.choice(self._words.past).format(Q=question, T=time)
        name = called(fact, self._words, self._rng)
        text = self._rng.choice(fact.attribute.past).format(S=name, T=time)
        return text[:1].upper() + text[1:] if text.startswith(time) else text

    def _past(self, fact: Fact, day: date, period: int) -> Iterator[Probe]:
        """One question of each form that has a clear answer about an earlier period."""
        asked = [number for number in range(period) if fact.values[number][1] is not None]
        if not asked:
            return
        number = self._rng.choice(asked)
        since, end = fact.values[number][0], fact.end_of(number)
        times = [f"in {calendar.month_name[month.month]}" for month in _months(since, end, day)[:1]]
        times += [f"in {season}" for season in _seasons(since, end, day)[:1]]
        is_clear = "{N}" in fact.attribute.before or number + 1 == period  # else: before which change?
        if is_clear and fact.values[number + 1][1] is not None:
            times.append(fill(fact.attribute.before, fact, number, fact.subject))
        for time in times:
            yield Probe(day, "past", self._asked_about(time, fact), fact.number, (number,))
        if (end - since).days > 6:
            as_of = since + timedelta(days=self._rng.randrange(3, (end - since).days - 1))
            yield Probe(day, "as of", self._now(fact), fact.number, (number,), as_of=as_of)
        # The end of a value is told by the statement of the next one as well.
        text = self._ask(fact.attribute.when, fact, number)
        yield Probe(day, "when", text, fact.number, (number, number + 1))


def _months(since: date, end: date, day: date) -> list[date]:
    """The first days of the months that lie wholly between two days, of the last year."""
    found, month = [], _next_month(since - timedelta(days=1))
    while _next_month(month) <= end:
        if month > day - timedelta(days=330):
            found.append(month)
        month = _next_month(month)
    return found


def _seasons(since: date, end: date, day: date) -> list[str]:
    found = []
    for name, month in _SEASONS:
        first = date(since.year, month, 1)
        last = date(since.year, month + 3, 1)
        covered = since <= first + timedelta(days=_EDGE) and last - timedelta(days=_EDGE) <= end
        if covered and last <= day:
            found.append(name)
    return found


def _next_month(day: date) -> date:
    return date(day.year + day.month // 12, day.month % 12 + 1, 1)
