"""The evidence for a passage beside words and meaning: one function for each signal."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy

from memoro.model.answers import Match, Passage
from memoro.model.statements import told_and_asked
from memoro.model.words import STOP_WORDS
from memoro.search.answer_kind import asks_for_fact, holds, kind_asked
from memoro.search.phrasing import side
from memoro.store.ports import Neighbour

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

_WORD = re.compile(r"[^\W_]+")
# The same for plain ASCII: thousands of words are cut for every search, and this takes a quarter of the time.
_ASCII = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
_LEFT_OUT = STOP_WORDS | set(_ASCII.values())
_ASKED = 0.5  # of a word that a passage has only in its questions


def content_words(text: str) -> set[str]:
    """The different words of a text that say what it is about."""
    if text.isascii():
        return set(text.translate(_ASCII).split()) - _LEFT_OUT
    return {word for word in _WORD.findall(text.lower()) if len(word) > 1 and word not in STOP_WORDS}


def cue(query: str) -> Callable[[str], float]:
    """Return a test for the kind of thing that the question asks for: a number, a time, a place, a person."""
    wanted = kind_asked(query)
    return lambda text: 1.0 if wanted and holds(wanted, text, query) else 0.0


def experience(query: str, found: Sequence[Passage]) -> list[float]:
    """-1 for an experience, which tells how something was done, where the query asks for a fact."""
    fact = asks_for_fact(query)
    return [-1.0 if fact and passage.tier == "experience" else 0.0 for passage in found]


def sides(query: str, found: Sequence[Passage]) -> list[float]:
    """Return for each passage whether the right side of a chat said it.

    Between a user and an assistant, a question in the first person is about what the user said, unless it asks what
    the assistant said or what both decided.
    """
    wanted = side(query)
    return [_agrees(p.speaker, wanted, {"User", "Assistant"}) if wanted else 0.0 for p in found]


def _agrees(speaker: str | None, wanted: str, among: set[str]) -> float:
    return 0.0 if speaker not in among else 1.0 if speaker == wanted else -1.0


def answers_a_question(passage: Passage, before: Neighbour | None) -> float:
    """Return 1 if another person asked a question just before. Assistants always answer, so they do not count."""
    if not before or not before.asks or passage.speaker in ("User", "Assistant", before.speaker, None):
        return 0.0
    return 1.0


class NearestWords(NamedTuple):
    """For each word of a query and each passage, how near the nearest word of the passage comes."""

    values: Vectors  # 1 where the passage holds the word
    told: Vectors  # the same, where a word that stands only in questions counts half
    held: Vectors  # whether it does, in any form
    sizes: Vectors  # how many different words each passage has


def nearest_words(
    words: Sequence[str],
    stems: Sequence[str],
    matches: Sequence[Match],
    near: Callable[[Sequence[str], Sequence[str]], Vectors],
) -> NearestWords:
    """Compare the words of a query with those of each passage.

    A word that the index finds in it, in whatever form, is there: in its heading and tags too, not in its context.
    """
    own = [_words_told_and_asked(match.passage.text) for match in matches]
    values = numpy.zeros((len(words), len(own)), numpy.float32)
    told = numpy.zeros((len(words), len(own)), numpy.float32)
    held = numpy.zeros((len(words), len(own)), bool)
    sizes = numpy.asarray([len(said) + len(asked) for said, asked in own], numpy.int64)
    if words and sizes.any():
        columns = near(
            words, list(chain.from_iterable(chain.from_iterable(own)))
        )  # with repeats: faster than without
        starts = (numpy.cumsum(sizes) - sizes)[sizes > 0]
        values[:, sizes > 0] = numpy.maximum.reduceat(columns, starts, axis=1)
        shares = numpy.repeat([1.0, _ASKED] * len(own), [len(part) for parts in own for part in parts])
        told[:, sizes > 0] = numpy.maximum.reduceat(columns * shares, starts, axis=1)
    for place, match in enumerate(matches):
        found = {stem for stem, column, _ in match.counts if column != "context"}
        held[[i for i, stem in enumerate(stems) if stem in found], place] = True
    told[held] = numpy.where(told < values, numpy.maximum(told, _ASKED), 1.0)[held]
    values[held] = 1.0
    return NearestWords(values=values, told=told, held=held, sizes=sizes)  # type: ignore[arg-type]


def _words_told_and_asked(text: str) -> tuple[set[str], set[str]]:
    """The words that say what a text is about, and those of them that stand in its questions alone."""
    if "?" not in text:
        return content_words(text), set()
    said, asked = map(content_words, told_and_asked(text))
    return said, asked - said


def word_by_word(weights: Sequence[float], values: Vectors) -> list[float]:
    """For each passage, how near its nearest words come to the words of the query, rare words counting more."""
    share = numpy.asarray(weights, numpy.float32) / (sum(weights) or 1.0)
    return [float(x) for x in share @ values]


def freshness(day: str | None, today: date, half_life_days: float) -> float:
    """1 for what is of today, half of it after each half-life, towards 0 for what is old or undated."""
    if day is None:
        return 0.0
    age = max(0, (today - date.fromisoformat(day)).days)
    return float(0.5 ** (age / half_life_days))
