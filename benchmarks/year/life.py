"""A made-up year: facts that change, all that is said about them, and questions at the end of each quarter.

The same seed gives the same year on every machine. `data/year.toml` holds the words.
"""

from __future__ import annotations

import calendar
import random
import tomllib
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal, NamedTuple

_DATA = Path(__file__).parent.parent / "data" / "year.toml"
FIRST = date(2025, 1, 6)
DAYS = 360
QUARTERS = tuple(FIRST + timedelta(days=90 * number) for number in range(1, 5))

_PERSON_FACTS, _PROJECT_FACTS = 19, 39  # with the ten of the person: 68
_CHANGES = (2, 3, 3, 4, 4)
_RETRACTED = 0.07
_REPEATED = 0.6  # how often a value is mentioned once more while it holds
_ASKED = 0.08  # how often it is asked for in conversation while it holds
_HERE = 0.3  # how often a project's fact is said without the project's name, in a session of that project

Way = Literal["said", "changed", "retracted", "repeated", "asked", "answered", "talk"]


class Fact(NamedTuple):
    """One thing that can be true of one subject. `values` holds from when which value holds; None: taken back."""

    number: int
    subject: str
    project: str | None
    attribute: dict[str, Any]
    values: tuple[tuple[date, str | None], ...]

    def period_at(self, day: date) -> int | None:
        known = [number for number, (since, _) in enumerate(self.values) if since <= day]
        return known[-1] if known else None


class Turn(NamedTuple):
    """Something that was said. `explicit` names the subject; `fact_text` is what a careful agent would write down."""

    day: date
    way: Way
    speaker: Literal["user", "assistant"]
    text: str
    explicit: str
    fact_text: str = ""
    project: str | None = None
    fact: int | None = None
    period: int | None = None


class Probe(NamedTuple):
    """A question with the period of its fact that answers it."""

    asked: date
    kind: Literal["now", "here", "past"]
    text: str
    fact: int
    period: int
    project: str | None = None


class Year(NamedTuple):
    facts: tuple[Fact, ...]
    turns: tuple[Turn, ...]  # in the order of time
    probes: tuple[Probe, ...]


def make_year(seed: int) -> Year:
    table = tomllib.loads(_DATA.read_text(encoding="utf-8"))
    rng = random.Random(f"year {seed}")
    facts = tuple(_facts(table, rng))
    exchanges = [one for fact in facts for one in _said_about(fact, table, rng)]
    exchanges += list(_talk(table, rng))
    exchanges.sort(key=lambda turns: turns[0].day)
    probes = tuple(probe for day in QUARTERS for probe in _probes(facts, day, table, rng))
    return Year(facts, tuple(turn for turns in exchanges for turn in turns), probes)


def _facts(table: dict[str, Any], rng: random.Random) -> Iterator[Fact]:
    pairs = {"project": [], "person": [], "me": []}  # type: dict[str, list[tuple[str, dict[str, Any]]]]
    for attribute in table["attribute"]:
        of = attribute["of"]
        pairs[of] += [(subject, attribute) for subject in table["subjects"].get(of, ["I"])]
    chosen = pairs["me"] + rng.sample(pairs["person"], _PERSON_FACTS) + rng.sample(pairs["project"], _PROJECT_FACTS)
    for number, (subject, attribute) in enumerate(chosen):
        project = subject if attribute["of"] == "project" else None
        yield Fact(number, subject, project, attribute, _history(attribute["values"], rng))


def _history(values: list[str], rng: random.Random) -> tuple[tuple[date, str | None], ...]:
    count = min(rng.choice(_CHANGES), len(values) - 1)
    days = [rng.randrange(20), *sorted(rng.sample(range(25, DAYS - 10), count))]
    chosen: list[str | None] = list(rng.sample(values, count + 1))
    if rng.random() < _RETRACTED:
        chosen[-1] = None
    return tuple((FIRST + timedelta(days=day), value) for day, value in zip(days, chosen, strict=True))


def _said_about(fact: Fact, table: dict[str, Any], rng: random.Random) -> Iterator[list[Turn]]:
    """Each value when it begins to hold, and now and then again, told or asked for, while it does."""
    ends = [since for since, _ in fact.values[1:]] + [FIRST + timedelta(days=DAYS)]
    for period, ((since, value), end) in enumerate(zip(fact.values, ends, strict=True)):
        yield [_news(fact, period, table, rng), _reply(since, fact.project, table, rng)]
        days = (end - since).days
        if value is None or days < 3:
            continue
        if rng.random() < _REPEATED:
            day = since + timedelta(days=rng.randrange(1, days))
            text = _fill(rng.choice(fact.attribute["say"]), fact, period)
            turn = Turn(day, "repeated", "user", text, text, text, fact.project, fact.number, period)
            yield [turn, _reply(day, fact.project, table, rng)]
        if rng.random() < _ASKED:
            yield _asked(fact, period, since + timedelta(days=rng.randrange(1, days)), rng)


def _news(fact: Fact, period: int, table: dict[str, Any], rng: random.Random) -> Turn:
    since, value = fact.values[period]
    way: Way = "said" if period == 0 else "changed"
    if value is None:
        of = fact.attribute["of"]
        text = explicit = written = _fill(rng.choice(table["retract"][of]), fact, period)
        way = "retracted"
    else:
        text = explicit = _fill(rng.choice(fact.attribute["say" if period == 0 else "change"]), fact, period)
        written = _fill(rng.choice(fact.attribute["say"]), fact, period)
        if fact.project and "here" in fact.attribute and rng.random() < _HERE:
            text = _fill(rng.choice(fact.attribute["here"]), fact, period)
    return Turn(since, way, "user", text, explicit, written, fact.project, fact.number, period)


def _asked(fact: Fact, period: int, day: date, rng: random.Random) -> list[Turn]:
    question = _fill(rng.choice(fact.attribute["ask"]), fact, period)
    answer = _fill(rng.choice(fact.attribute["say"]), fact, period)
    if fact.subject == "I":
        answer = f"You told me: {answer}"
    return [
        Turn(day, "asked", "user", question, question, "", fact.project, fact.number, period),
        Turn(day, "answered", "assistant", answer, answer, "", fact.project, fact.number, period),
    ]


def _talk(table: dict[str, Any], rng: random.Random) -> Iterator[list[Turn]]:
    """Everything else: about 1,300 messages that state nothing that is asked for."""
    talk = table["talk"]
    for _ in range(640):
        day = FIRST + timedelta(days=rng.randrange(DAYS))
        kind = rng.choice(["project", "person", "me", "task"])
        subject = rng.choice(table["subjects"].get(kind, ["I"]))
        project = subject if kind == "project" else rng.choice([None, *table["subjects"]["project"]])
        if kind == "task":
            number = rng.randrange(len(talk["task"]))
            said, answered = talk["task"][number], talk["reply"][number]
        else:
            said, answered = rng.choice(talk[kind]).format(S=subject), rng.choice(talk["assistant"])
        yield [
            Turn(day, "talk", "user", said, said, "", project),
            Turn(day, "talk", "assistant", answered, answered, "", project),
        ]


def _reply(day: date, project: str | None, table: dict[str, Any], rng: random.Random) -> Turn:
    text = rng.choice(table["talk"]["assistant"])
    return Turn(day, "talk", "assistant", text, text, "", project)


def _probes(facts: tuple[Fact, ...], day: date, table: dict[str, Any], rng: random.Random) -> Iterator[Probe]:
    for fact in facts:
        period = fact.period_at(day - timedelta(days=1))  # the evening before
        if period is None:
            continue
        questions = rng.sample(fact.attribute["ask"], 2)
        for question in questions:
            yield Probe(day, "now", _fill(question, fact, period), fact.number, period)
        if fact.project and "ask_here" in fact.attribute:
            text = _fill(rng.choice(fact.attribute["ask_here"]), fact, period)
            yield Probe(day, "here", text, fact.number, period, fact.project)
        past = _past(fact, day, period, rng)
        if past is not None and rng.random() < 0.5:
            month = calendar.month_name[past[1].month]
            question = rng.choice(table["past"]["ask"]).format(Q=_fill(questions[0], fact, period), M=month)
            yield Probe(day, "past", question, fact.number, past[0])


def _past(fact: Fact, day: date, period: int, rng: random.Random) -> tuple[int, date] | None:
    """An earlier period and the first day of a month that lies wholly in it."""
    whole = []
    for number in range(period):
        since, end = fact.values[number][0], fact.values[number + 1][0]
        month = date(since.year + since.month // 12, since.month % 12 + 1, 1)
        after = date(month.year + month.month // 12, month.month % 12 + 1, 1)
        if fact.values[number][1] is not None and after <= end and month.year == day.year:
            whole.append((number, month))
    return rng.choice(whole) if whole else None


def _fill(text: str, fact: Fact, period: int) -> str:
    value = fact.values[period][1] or ""
    old = next((value for _, value in reversed(fact.values[:period]) if value), "")
    filled = text.format(S=fact.subject, V=value, O=old, A=fact.attribute["name"])
    return filled[:1].upper() + filled[1:] if text.startswith(("{V}", "{O}")) else filled
