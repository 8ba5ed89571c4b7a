"""The signal `attribute`: a passage states what the question asks for, in other words than the question's own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy

from memoro.model.answers import Passage, Term, Where
from memoro.model.attribute_cues import AttributeCue, personal_names, stating_words
from memoro.model.attributes import find_asked, find_stated, split
from memoro.model.words import STOP_WORDS
from memoro.search.signals import NearestWords
from memoro.store.ports import Index

NAMED = 0.25  # what a passage counts that only names the attribute, and may say nothing of it
OTHERS = -0.5  # what a passage counts that states only other attributes
TALK = 0.4  # what a turn of a conversation counts: talk touches much and states little
ABOUT = 2  # attributes that one statement is about; a passage that states more tells less
CANDIDATES = 20  # more, that state the attribute
MOST_MET = 1_000  # occurrences of its words that are worth walking through
STATED = 0.8  # how near the words of a cue are to a passage that states the attribute
MOST_WORDS = 3  # of a question, beside its cue and names. One with more asks for something more special
# Words that say nothing about what a question asks for.
_GENERAL = """
    like want know use uses used using currently current now still kind type sort many much long old often new name
    called make take say said day days go going these prefer actually exactly today jetzt noch aktuell gerade
    eigentlich nutzt nutzen hat haben ist sind wird werden der die das den dem ein eine für von mit im in zu wir ich
    er sie es
"""
_BULLET = re.compile(r"(?m)^\s*(?:[-*+•]|\d{1,3}[.)])\s")
_SAYS_NOTHING = STOP_WORDS | frozenset(_GENERAL.split())


def attribute(query: str, found: Sequence[Passage]) -> list[float]:
    """For each passage, how surely it states an attribute that the query asks for: from -0.5 to 1.

    Words that the passage shares with the query are counted by other signals, and do not count here.
    """
    asked = find_asked(query)
    if not asked or _other_words(query, asked) > MOST_WORDS:
        return [0.0] * len(found)
    wanted, own = {cue.name for cue in asked}, set(split(query))
    # A question about a value ("when did we stop using MySQL?") asks for that one and not for another.
    own -= {word for cue in find_stated(query) if cue.column == "values" for word in cue.words}
    return [_value(passage, wanted, own) for passage in found]


def attribute_of_statement(statement: str, found: Sequence[Passage]) -> list[float]:
    """For each passage, how surely it states an attribute that the statement states too, from 0 to 1.

    One that states others may still be what the statement replaces: a job is told by a title or by an employer.
    """
    stated = {cue.name for cue in find_stated(statement)}
    return [max(0.0, _value(passage, stated, set())) for passage in found] if stated else [0.0] * len(found)


def asks_of_person(query: str) -> bool:
    """Return whether a query asks for nothing but what only a person has: "where do I live", "what is my job"."""
    asked = find_asked(query)
    return bool(asked) and _other_words(query, asked) == 0 and all(cue.name in personal_names() for cue in asked)


def candidates(index: Index, query: str, where: Where) -> list[int]:
    """Chunks that state an attribute that the query asks for by a rare word, such as a product; best first.

    They need not hold a word of the query, nor be near to it in meaning.
    """
    asked = find_asked(query)
    if not asked or _other_words(query, asked) > MOST_WORDS:
        return []
    words = " ".join(word for name in {cue.name for cue in asked} for word in stating_words(name))
    terms = index.terms(words)
    frequencies = index.statistics(terms).frequencies
    chosen: list[Term] = []
    met = 0
    for term in sorted(terms, key=lambda term: frequencies[term.stem]):
        met += frequencies[term.stem]
        if met > MOST_MET:
            break
        if frequencies[term.stem]:
            chosen.append(term)
    return [chunk for chunk, _ in index.best(chosen, where, CANDIDATES)] if chosen else []


class StatedValues(NamedTuple):
    """The signals `attribute` and `subject` of each passage."""

    attribute: Sequence[float]
    subject: Sequence[float]


def with_stated(nearest: NearestWords, words: Sequence[str], query: str, values: StatedValues) -> NearestWords:
    """The words of the query's cue nearer to each passage that states the attribute.

    The passage must hold the other words or be about the subject that is asked for, and about no other.
    """
    cue = set[str]().union(*(one.words for one in find_asked(query))) if any(values.attribute) else set()
    in_cue = numpy.asarray([word in cue for word in words], bool)
    if not in_cue.any():
        return nearest
    subject = numpy.asarray(values.subject, numpy.float32)
    fits = (nearest.held[~in_cue].all(axis=0) & (subject >= 0)) | (subject > 0)
    near = STATED * fits * numpy.clip(numpy.asarray(values.attribute, numpy.float32) / TALK, 0.0, 1.0)
    raised = nearest.values.copy()
    raised[in_cue] = numpy.maximum(raised[in_cue], near)
    return nearest._replace(values=raised)


def _value(passage: Passage, wanted: set[str], own: set[str]) -> float:
    """What the passage counts; of a list its best line, since each line is a statement of its own."""
    if passage.tier == "transcript":
        return max(0.0, TALK * _value_of(passage.text, wanted, own))
    heading = " ".join(passage.headings[-1:])
    lines = _BULLET.split(passage.text)
    texts = [f"{heading} {line}" for line in lines if line.strip()]
    values = [_value_of(text, wanted, own) for text in texts]
    best = max(values, default=0.0)
    if best > 0 or any(cue.name in wanted for text in texts for cue in find_stated(text)):
        return max(best, 0.0)
    return min(values, default=0.0)


def _value_of(text: str, wanted: set[str], own: set[str]) -> float:
    stated = find_stated(text)
    if not stated:
        return 0.0
    certain = min(1.0, ABOUT / len({cue.name for cue in stated}))
    fitting = [cue for cue in stated if cue.name in wanted]
    if not fitting:
        return OTHERS * certain
    return certain * max((_weight(cue) for cue in fitting if not cue.words <= own), default=0.0)


def _weight(cue: AttributeCue) -> float:
    return NAMED if cue.column == "both" else 1.0


def _other_words(query: str, asked: Sequence[AttributeCue]) -> int:
    """Return how many words of a question are neither general, nor part of its cue, nor names within it."""
    cue = set[str]().union(*(one.words for one in asked))
    names = {word.casefold() for word in query.split()[1:] if word[:1].isupper()}
    names = {part for name in names for part in split(name)}
    words = set(split(query)) - cue - names - _SAYS_NOTHING
    return sum(1 for word in words if len(word) > 1)
