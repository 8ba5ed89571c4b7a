"""The evidence for a passage beside words and meaning: one function for each signal."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

import numpy

from memoro.model.answers import Match, Passage, Term
from memoro.model.content_words import content_words as content_words
from memoro.model.statements import told_and_asked
from memoro.search.answer_kind import asks_for_fact, holds, kind_asked
from memoro.search.phrasing import side
from memoro.store.ports import Neighbour

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memoro.providers.ports import Vectors, WordModel

_WORD = re.compile(r"[^\W_]+")
_ASKED = 0.5  # of a word that a passage has only in its questions


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
    held: NDArray[numpy.bool_]  # whether it does, in any form
    sizes: NDArray[numpy.int64]  # how many different words each passage has


def nearest_words(terms: Sequence[Term], matches: Sequence[Match], word_model: WordModel) -> NearestWords:
    """Compare the words of a query with those of each passage.

    A word that the index finds in it, in whatever form, is there: in its heading and tags too, not in its context.
    """
    words, texts = [term.word.lower() for term in terms], [match.passage.text for match in matches]
    values, sizes = word_model.nearest(words, texts)
    told = values.copy()
    asking = [place for place, text in enumerate(texts) if "?" in text]
    if asking:
        said, _ = word_model.nearest(words, [told_and_asked(texts[place])[0] for place in asking])
        told[:, asking] = numpy.maximum(said, _ASKED * values[:, asking])
    found = [{stem for stem, column, _ in match.counts if column != "context"} for match in matches]
    held = numpy.asarray([[term.stem in own for own in found] for term in terms], bool).reshape(values.shape)
    told[held] = numpy.where(told < values, numpy.maximum(told, _ASKED), 1.0)[held]
    values[held] = 1.0
    return NearestWords(values=values, told=told, held=held, sizes=sizes)


def word_by_word(weights: Sequence[float], values: Vectors) -> list[float]:
    """For each passage, how near its nearest words come to the words of the query, rare words counting more."""
    total = sum(weights) or 1.0
    share = numpy.asarray(weights, numpy.float32) / total
    return [float(x) for x in share @ values]


def freshness(day: str | None, today: date, half_life_days: float) -> float:
    """1 for what is of today, half of it after each half-life, towards 0 for what is old or undated."""
    if day is None:
        return 0.0
    age = max(0, (today - date.fromisoformat(day)).days)
    return float(0.5 ** (age / half_life_days))
