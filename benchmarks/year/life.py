"""A made-up year: facts that change, all that is said about them, and much else. A seed makes one year."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Literal, NamedTuple

from benchmarks.year.words import Attribute, Owner, Phrases, Words

FIRST = date(2025, 1, 6)
DAYS = 360
QUARTERS = tuple(FIRST + timedelta(days=90 * number) for number in range(1, 5))

_CHANGING = 68
_STEADY = 12  # facts with one value for the whole year
_DELETED = 4  # further facts that the person deletes
_CHANGES = (2, 2, 3, 3, 4)
_RETRACTED = 0.07
_REPEATED = (0, 1, 1, 2)  # how often a value is mentioned once more while it holds
_ASKED = 0.1  # how often it is asked for in conversation while it holds
_HERE = 0.3  # how often a project's fact is said without the project's name, in a session of that project
_HEARSAY = 0.06  # how often a web page or a tool contradicts a fact
_GERMAN = 0.5  # how often German is spoken about a fact that has German phrases
_OTHER_LANGUAGE = 0.15  # how often such a fact is told or asked for in English nevertheless
_PLAIN = 3  # the first phrases of a fact are plain: a careful agent writes those
_LEAD, _TAIL = 0.2, 0.1  # how often something is said before or after a statement
_SHORT = 0.3  # how often a person is called by the first name alone

_TALKED_OF: tuple[Owner | None, ...] = ("project", "person", "me", None)  # None: a task

Way = Literal["said", "changed", "retracted", "repeated", "asked", "answered", "hearsay", "deleted", "rule", "talk"]


class Fact(NamedTuple):
    """One thing that can be true of one subject. `values`: from when which value holds; None: taken back."""

    number: int
    subject: str
    attribute: Attribute
    values: tuple[tuple[date, str | None], ...]
    deleted: date | None = None
    german: bool = False

    @property
    def project(self) -> str | None:
        return self.subject if self.attribute.of == "project" else None

    def period_at(self, day: date) -> int | None:
        known = [number for number, (since, _) in enumerate(self.values) if since <= day]
        return known[-1] if known else None

    def end_of(self, period: int) -> date:
        """The first day on which the value of the period holds no more."""
        if period + 1 < len(self.values):
            return self.values[period + 1][0]
        return self.deleted or FIRST + timedelta(days=DAYS)


class Turn(NamedTuple):
    """Something that was said. `explicit` names the subject; `fact_text` is what a careful agent would write down."""

    day: date
    way: Way
    speaker: Literal["user", "assistant"]
    text: str
    explicit: str = ""
    fact_text: str = ""
    project: str | None = None
    fact: int | None = None
    period: int | None = None


def make_facts(words: Words, rng: random.Random) -> tuple[Fact, ...]:
    """All facts of the person, and some of all that could be said of people and projects."""
    own = [("I", one) for one in words.attributes if one.of == "me"]
    others = [(s, one) for one in words.attributes if one.of != "me" for s in words.subjects(one.of)]
    chosen = own + rng.sample(others, _CHANGING + _STEADY + _DELETED - len(own))
    deleted = set(rng.sample(range(len(own), len(chosen)), _DELETED))
    steady = set(rng.sample([number for number in range(len(chosen)) if number not in deleted], _STEADY))
    facts = []
    for number, (subject, attribute) in enumerate(chosen):
        facts.append(
            Fact(
                number=number,
                subject=subject,
                attribute=attribute,
                values=_history(attribute.values, rng, 0 if number in steady else rng.choice(_CHANGES)),
                german=attribute.german is not None and rng.random() < _GERMAN,
            )
        )
    return tuple(_delete(fact, rng) if fact.number in deleted else fact for fact in facts)


def _history(values: tuple[str, ...], rng: random.Random, count: int) -> tuple[tuple[date, str | None], ...]:
    count = min(count, len(values) - 1)
    days = [rng.randrange(15), *sorted(rng.sample(range(18, DAYS - 20), count))]
    chosen: list[str | None] = list(rng.sample(values, count + 1))
    if count and rng.random() < _RETRACTED:
        chosen[-1] = None
    return tuple((FIRST + timedelta(days=day), value) for day, value in zip(days, chosen, strict=True))


def _delete(fact: Fact, rng: random.Random) -> Fact:
    day = FIRST + timedelta(days=rng.randrange(60, DAYS - 30))
    return fact._replace(values=tuple(one for one in fact.values if one[0] < day), deleted=day)


def make_turns(facts: tuple[Fact, ...], words: Words, rng: random.Random) -> tuple[Turn, ...]:
    speech = Speech(words, rng)
    exchanges = [exchange for fact in facts for exchange in speech.about(fact)]
    exchanges += list(speech.talk())
    exchanges.sort(key=lambda exchange: exchange[0].day)
    return tuple(turn for exchange in exchanges for turn in exchange)


class Speech:
    """What a person and an assistant say to each other."""

    def __init__(self, words: Words, rng: random.Random) -> None:
        self._words, self._rng = words, rng
        self._around = random.Random("around")

    def about(self, fact: Fact) -> Iterator[list[Turn]]:
        """Each value when it begins to hold, and now and then again, told or asked for, while it does."""
        rng = self._rng
        for period, (since, value) in enumerate(fact.values):
            yield [self._news(fact, period), self._reply(since, fact.project)]
            days = (fact.end_of(period) - since).days
            if value is None or days < 3:
                continue
            for _ in range(rng.choice(_REPEATED)):
                text, day = self._fill(self._phrases(fact).say, fact, period), self._later(since, days)
                said = self._spoken(text)
                turn = Turn(day, "repeated", "user", said, text, text, fact.project, fact.number, period)
                yield [turn, self._reply(day, fact.project)]
            if rng.random() < _ASKED:
                yield self._asked(fact, period, self._later(since, days))
            if rng.random() < _HEARSAY:
                yield from self._hearsay(fact, self._later(since, days))
        if fact.deleted:
            text = rng.choice(self._words.delete).format(S=fact.subject, A=fact.attribute.name)
            yield [
                Turn(fact.deleted, "deleted", "user", text, project=fact.project, fact=fact.number),
                self._reply(fact.deleted, fact.project),
            ]

    def _news(self, fact: Fact, period: int) -> Turn:
        since, value = fact.values[period]
        way: Way = "said" if period == 0 else "changed"
        if value is None:
            text = explicit = written = self._fill(self._words.retract[fact.attribute.of], fact, period)
            way = "retracted"
        else:
            phrases = self._phrases(fact)
            text = explicit = self._fill(phrases.say if period == 0 else phrases.change, fact, period)
            written = self._fill(phrases.say[:_PLAIN], fact, period)
            if fact.attribute.here and not fact.german and self._rng.random() < _HERE:
                text = self._fill(fact.attribute.here, fact, period)
        said = self._spoken(text)
        return Turn(since, way, "user", said, explicit, written, fact.project, fact.number, period)

    def _spoken(self, text: str) -> str:
        """The statement as it is said: now and then with a few words around it."""
        chance = self._around.random()
        if chance < _LEAD:
            return f"{self._around.choice(self._words.leads)} {text}"
        return f"{text} {self._around.choice(self._words.tails)}" if chance < _LEAD + _TAIL else text

    def _asked(self, fact: Fact, period: int, day: date) -> list[Turn]:
        question = self._fill(self._phrases(fact).ask, fact, period)
        answer = self._fill(fact.attribute.english.say, fact, period)
        if fact.subject == "I":
            answer = f"You told me: {answer}"
        return [
            Turn(day, "asked", "user", question, question, "", fact.project, fact.number, period),
            Turn(day, "answered", "assistant", answer, answer, "", fact.project, fact.number, period),
        ]

    def _later(self, since: date, days: int) -> date:
        return since + timedelta(days=self._rng.randrange(1, days))

    def _hearsay(self, fact: Fact, day: date) -> Iterator[list[Turn]]:
        """A value that is never the fact's, from a source of lower trust."""
        used = {value for _, value in fact.values}
        others = [value for value in fact.attribute.values if value not in used]
        if not others:
            return
        text = self._rng.choice(fact.attribute.english.say).format(S=fact.subject, V=self._rng.choice(others))
        text = self._rng.choice(self._words.hearsay).format(Q=text)
        yield [Turn(day, "hearsay", "assistant", text, project=fact.project, fact=fact.number)]

    def talk(self) -> Iterator[list[Turn]]:
        """Everything else: about 1,000 messages that state nothing that is asked for, some of them rules."""
        rng, talk = self._rng, self._words.talk
        for _ in range(500):
            day = FIRST + timedelta(days=rng.randrange(DAYS))
            of: Owner | None = rng.choice(_TALKED_OF)
            project = rng.choice([None, *self._words.projects])
            if of is None:
                said, answered = rng.choice(talk.tasks)
            else:
                subject = rng.choice(self._words.subjects(of))
                project = subject if of == "project" else project
                said, answered = rng.choice(talk.about[of]).format(S=subject), rng.choice(talk.replies)
            yield [
                Turn(day, "talk", "user", said, said, project=project),
                Turn(day, "talk", "assistant", answered, answered, project=project),
            ]
        for rule in talk.rules:
            day, project = FIRST + timedelta(days=rng.randrange(DAYS)), rng.choice(self._words.projects)
            text = rule.format(S=project)
            yield [Turn(day, "rule", "user", text, text, text, project), self._reply(day, project)]

    def _reply(self, day: date, project: str | None) -> Turn:
        text = self._rng.choice(self._words.talk.replies)
        return Turn(day, "talk", "assistant", text, text, project=project)

    def _phrases(self, fact: Fact) -> Phrases:
        return phrases_of(fact, self._rng)

    def _fill(self, templates: tuple[str, ...], fact: Fact, period: int) -> str:
        return fill(self._rng.choice(templates), fact, period, called(fact, self._words, self._rng))


def phrases_of(fact: Fact, rng: random.Random) -> Phrases:
    """German where German is spoken about the fact, mostly."""
    german = fact.german and rng.random() >= _OTHER_LANGUAGE
    return fact.attribute.german if german and fact.attribute.german else fact.attribute.english


def called(fact: Fact, words: Words, rng: random.Random) -> str:
    """The subject as people name it: now and then a person by the first name."""
    short = words.short_name(fact.subject) if fact.attribute.of == "person" else None
    return short if short and rng.random() < _SHORT else fact.subject


def fill(template: str, fact: Fact, period: int, name: str) -> str:
    value = fact.values[period][1] or ""
    old = next((value for _, value in reversed(fact.values[:period]) if value), "")
    new = fact.values[period + 1][1] if period + 1 < len(fact.values) else None
    filled = template.format(S=name, V=value, O=old, N=new or "", A=fact.attribute.name)
    return filled[:1].upper() + filled[1:] if template.startswith(("{V}", "{O}")) else filled
