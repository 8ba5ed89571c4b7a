"""Every signal of the candidates of a search by words and meaning, and the evidence that they are relevant."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from memoro.model.answers import Evidence, Passage, Statistics, Term
from memoro.model.memories import UNTRUSTED
from memoro.model.notes import kind_of
from memoro.search import phrasing, signals, turns
from memoro.search.attribute import StatedValues, attribute, attribute_of_statement, with_stated
from memoro.search.candidates import standard
from memoro.search.coverage import coverage, information
from memoro.search.linked import linked
from memoro.search.past import time_values
from memoro.search.rank import rarity
from memoro.search.subjects import subject_signals, with_names
from memoro.search.weights import weights_for

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors
    from memoro.search.candidates import HybridCandidates
    from memoro.search.hybrid_query import HybridQuery, Meaning
    from memoro.store.ports import Index

BY_MEANING = ("meaning", "around", "word by word")  # all there is without words
# What is yes or no is not: where hardly any passage has it, its deviation would make it outweigh everything.
STANDARDISED = ("words", "meaning", "around", "word by word")


class MeasuredSignals(NamedTuple):
    """For each candidate: its signals as they are, what each adds to the total, and the evidence."""

    values: dict[str, list[float]]
    shares: dict[str, numpy.ndarray[Any, Any]]
    evidence: list[Evidence]


class CandidateSignals:
    """Measures the signals of candidates."""

    def __init__(self, index: Index, asked: HybridQuery, meaning: Meaning, candidates: HybridCandidates) -> None:
        self._index, self._asked, self._text, self._meaning = index, asked, asked.text, meaning
        self._time, self._as_of = asked.when, asked.as_of or meaning.today
        self._is_past = self._as_of < meaning.today
        self._found, self._vector = candidates.found, candidates.vector
        self._beside, self._worth, self._rows = candidates.beside, candidates.worth, candidates.vectors
        self._chunks = [one.match.chunk for one in self._found]
        self._subjects = candidates.subjects
        self._by_subject = subject_signals(self._subjects, [candidates.said[chunk] for chunk in self._chunks])
        self.vectors = self._exact()

    def measure(self, terms: Sequence[Term], statistics: Statistics) -> MeasuredSignals:
        words = self._asked.words
        nearest = self._nearest(terms)
        values = self._values(terms, statistics, nearest)
        evidence = self._evidence(terms, statistics, nearest, values)
        values["subject"] = self._by_subject.among_relevant([one.coverage for one in evidence])
        if not words:
            values = {name: values[name] for name in BY_MEANING}
        own = self._meaning.calibration
        weights, spreads = weights_for(self._found, own), {"meaning": own.reading.spread, "around": own.around.spread}
        shares = {
            name: weights[name] * (standard(v, spreads.get(name, 1.0)) if name in STANDARDISED else v)
            for name, v in ((name, numpy.asarray(column)) for name, column in values.items())
        }
        if words:
            for name, column in self._later(shares):
                values[name] = column
                shares[name] = weights[name] * numpy.asarray(column)
        return MeasuredSignals(values, shares, evidence)

    def _exact(self) -> Vectors:
        """The vectors as they were made, where they are still kept: 8 bits are for finding candidates."""
        rows = self._rows.of(self._chunks)
        digests = [one.match.passage.digest for one in self._found]
        cache = self._meaning.cache
        kept = cache.get(str(self._meaning.embedder.space), digests) if cache else {}
        exact = [i for i in numpy.flatnonzero(rows.any(1)) if digests[i] in kept]
        if exact:
            rows[exact] = [kept[digests[i]] for i in exact]
        return rows

    def _nearest(self, terms: Sequence[Term]) -> signals.NearestWords:
        nearest = signals.nearest_words(terms, [one.match for one in self._found], self._meaning.word_model)
        words = [term.word.lower() for term in terms]
        return with_names(nearest, words, self._subjects, self._by_subject.subject)

    def _evidence(
        self,
        terms: Sequence[Term],
        statistics: Statistics,
        nearest: signals.NearestWords,
        values: Mapping[str, list[float]],
    ) -> list[Evidence]:
        """Return the evidence for each candidate that it is relevant at all."""
        model = self._meaning.word_model
        words, weights = [t.word.lower() for t in terms], information(terms, statistics, model)
        nearest = with_stated(nearest, words, self._text, StatedValues(values["attribute"], values["subject"]))
        covered = coverage(words, weights, nearest, model)
        if self._time is not None:
            others = self._without_time(words, weights)
            covered = numpy.maximum(covered, coverage(words, others, nearest, model))
        own = self._meaning.calibration
        near = [
            max(own.reading.nearness(cosine), own.around.nearness(window))
            for cosine, window in zip(values["meaning"], values["around"], strict=True)
        ]
        is_held = any(values["words"])
        passages = statistics.chunks or self._meaning.vectors.count  # no word was found, so that nobody counted
        return [
            Evidence(
                coverage=float(covered[i]),
                nearness=near[i],
                # By meaning alone nobody looked for the words. Where all are there, BM25 comes to about half.
                words=values["words"][i] if is_held else float(covered[i]) / 2,
                passages=passages,
            )
            for i in range(len(self._found))
        ]

    def _without_time(self, words: Sequence[str], weights: Sequence[float]) -> Sequence[float]:
        """The weights, 0 for the words of a time: that is a signal of its own, and few passages say "last week"."""
        named = signals.content_words(self._time.phrase) if self._time else set()
        return [0.0 if word in named else weight for word, weight in zip(words, weights, strict=True)]

    def _values(
        self, terms: Sequence[Term], statistics: Statistics, nearest: signals.NearestWords
    ) -> dict[str, list[float]]:
        """Each signal for each candidate, as it is."""
        passages = [one.match.passage for one in self._found]
        holds = signals.cue(phrasing.asked(self._text))
        weights = [rarity(statistics.frequencies[term.stem], statistics.chunks) for term in terms]
        return {
            "words": [one.score for one in self._found],
            "meaning": (self.vectors @ self._vector).tolist(),
            "around": self._rows.around(self._chunks, self.vectors, self._vector).tolist(),
            "word by word": signals.word_by_word(
                weights, nearest.values if phrasing.questions_count(self._text) else nearest.told
            ),
            "cue": [holds(p.text) for p in passages],
            "attribute": self._attribute(passages),
            "experience": signals.experience(self._text, passages),
            "subject": self._by_subject.subject,
            "speaker": self._by_subject.speaker,
            "side": signals.sides(self._text, passages),
            "answer": [
                signals.answers_a_question(p, self._beside[c][0]) for c, p in zip(self._chunks, passages, strict=True)
            ],
            "asks": turns.asks(self._text, passages),
            "rule": turns.rules(self._text, passages),
            "time": time_values(passages, self._time, self._meaning.today),
            "trust": self._distrust(passages),
            "fresh": [self._freshness(p.date) for p in passages],
            # What held then need not have been of use lately.
            "use": [0.0 if self._is_past else math.log(self._worth.get(p.path, 1.0)) for p in passages],
        }

    def _attribute(self, passages: Sequence[Passage]) -> list[float]:
        """What a passage about another subject states, nobody asked for."""
        measure = attribute if self._asked.asks else attribute_of_statement
        values = zip(measure(self._text, passages), self._by_subject.subject, strict=True)
        return [min(value, 0.0) if subject < 0 else value for value, subject in values]

    def _distrust(self, passages: Sequence[Passage]) -> list[float]:
        """-1 for each memory that comes from a tool or the web."""
        memories = [p.path for p in passages if kind_of(p.path) == "memory"]
        trusts = self._meaning.trusts(memories) if memories and self._meaning.trusts else {}
        return [-1.0 if trusts.get(p.path) in UNTRUSTED else 0.0 for p in passages]

    def _freshness(self, day: str | None) -> float:
        """As of the day that is asked about; what was said after it is not fresh then."""
        if self._is_past and day is not None and day > self._as_of.isoformat():
            return 0.0
        return signals.freshness(day, self._as_of, self._meaning.half_life_days)

    def _later(self, columns: Mapping[str, numpy.ndarray[Any, Any]]) -> Iterator[tuple[str, list[float]]]:
        """The signals that depend on the sum of the others. Each is added before the next is asked for."""
        passages = [one.match.passage for one in self._found]
        order = numpy.argsort(-numpy.sum(list(columns.values()), axis=0), kind="stable")
        yield "linked", linked(self._index, passages, order.tolist())
        if phrasing.is_about_several(self._text):
            yield "spread", turns.before(passages, numpy.sum(list(columns.values()), axis=0))
        else:  # a question that fits well helps its reply, so what it loses for asking does not count here
            fitting = numpy.sum([column for name, column in columns.items() if name != "asks"], axis=0)
            yield "nearby", turns.nearby(self._chunks, passages, fitting)
