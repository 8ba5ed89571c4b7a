"""Words and meaning together: candidates of both, one sum of named parts, and a score to abstain by."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

import numpy

from memoro.model.answers import Evidence, Explanation, Signal, Statistics, Term, Where
from memoro.model.notes import Note
from memoro.model.time_hints import may_name_time
from memoro.providers.calibration import SMALL
from memoro.search import query as queries
from memoro.search import signals
from memoro.search.coverage import coverage, information
from memoro.search.passage_vectors import Beside, PassageVectors
from memoro.search.query import WordPlan
from memoro.search.rank import Ranked, confidence, rank, rarity
from memoro.search.relevance import isotonic
from memoro.search.standing import Standing, holding, worths
from memoro.search.weights import by_length, weights_for
from memoro.store.ports import COLUMNS, Index, VectorCache, VectorIndex

if TYPE_CHECKING:
    from memoro.model.time_phrases import NamedTime
    from memoro.providers.calibration import Calibration
    from memoro.providers.ports import Embedder, Vectors, WordModel

BY_MEANING = ("meaning", "around", "word by word")  # all there is without words
# What is yes or no is not: where hardly any passage has it, its deviation would make it outweigh everything.
STANDARDISED = ("words", "meaning", "around", "word by word")
_CHARACTERS = 5  # of a word, about, where only words were counted
LINKING = 10  # how many of the first candidates can help those that they link to
CANDIDATES = 80  # from words and from meaning each
LOOKED_AT = 60  # of all candidates, how many get the signals that cost something


class WeightedSum(NamedTuple):
    """A plain weighted sum of cosine and words instead of the standardised parts."""

    vector_weight: float
    text_weight: float
    min_score: float


class Meaning(NamedTuple):
    """The inputs of a search by meaning: models, vectors, calibration and the date."""

    embedder: Embedder  # of the space that the vectors are in
    calibration: Calibration  # of that space
    word_model: WordModel
    vectors: VectorIndex
    cache: VectorCache | None
    today: date
    half_life_days: float
    weighted: WeightedSum | None = None
    standing: Standing | None = None


class HybridQuery(NamedTuple):
    """The text to look for, where, and how many passages; by meaning alone or by words as well."""

    text: str
    where: Where
    limit: int
    words: bool


class _Candidates(NamedTuple):
    """The candidates of one query, and what is known of each before its signals are computed."""

    found: Sequence[Ranked]
    vector: Vectors  # of the query
    near: Mapping[int, float]
    beside: Beside
    vectors: PassageVectors
    worth: Mapping[str, float]


def search(index: Index, asked: HybridQuery, meaning: Meaning) -> tuple[list[Ranked], tuple[str, ...]]:
    """Return the best passages, and notices about the query."""
    text, where, limit, words = asked
    wanted = signals.asked(text)
    query = queries.parse(wanted, index.terms)
    statistics = index.statistics(query.terms)
    plan = queries.plan(query.terms, statistics.frequencies)
    count = max(CANDIDATES, 2 * limit)
    present = [term for term in plan.looked_up if statistics.frequencies[term.stem]] if words else []
    held = dict(index.best(present, where, count, leading=plan.leading))
    # Letters that are no word to the index nor to the model have a vector, and it means nothing.
    if not any(statistics.frequencies[t.stem] or meaning.word_model.knows(t.word) for t in query.terms):
        return [], query.notices
    vector = meaning.embedder.embed([wanted], "query")[0]
    near = _nearest(index, where, meaning.vectors, vector, count) if vector.any() else {}
    length = statistics.average_length * _CHARACTERS
    beside = index.neighbours([*held, *(chunk for chunk in near if chunk not in held)])
    vectors = PassageVectors(meaning.vectors, beside)
    weights = by_length(length, meaning.calibration)
    chunks = _promising(vectors, list(beside), held, vector, weights)[: max(LOOKED_AT, 2 * limit)]
    found = index.look_up(chunks, present)
    worth = worths(found, meaning.standing)
    ranked = rank(holding(found, worth), plan, statistics, COLUMNS)
    if not ranked:
        return [], query.notices
    candidates = _Candidates(found=ranked, vector=vector, near=near, beside=beside, vectors=vectors, worth=worth)
    table = _Table(index, text, meaning, candidates)
    if meaning.weighted and words:
        return table.weighted(meaning.weighted, limit), query.notices
    return table.best(plan, statistics, limit, words=words), query.notices


def _nearest(index: Index, where: Where, vectors: VectorIndex, vector: Vectors, count: int) -> dict[int, float]:
    """The nearest chunks that pass the filters, with their cosines."""
    admitted = index.admitted(where)
    if admitted is not None or where.unlisted:
        return dict(vectors.nearest(vector, count, admitted))
    hidden = set(index.unlisted(where.held))
    found = vectors.nearest(vector, count + len(hidden))
    return dict([pair for pair in found if pair[0] not in hidden][:count])


def _promising(
    vectors: PassageVectors,
    chunks: Sequence[int],
    held: Mapping[int, float],
    vector: Vectors,
    weights: Mapping[str, float],
) -> list[int]:
    """All candidates, those that deserve a closer look first, by what costs next to nothing to know."""
    if not chunks:
        return []
    rows = vectors.of(chunks)
    basic: dict[str, Sequence[float] | Vectors] = {
        "words": [held.get(chunk, 0.0) for chunk in chunks],
        "meaning": rows @ vector,
        "around": vectors.around(chunks, rows, vector),
    }
    sums = numpy.sum([weights[name] * _standard(values) for name, values in basic.items()], axis=0)
    return [chunks[i] for i in numpy.argsort(-sums, kind="stable")]


class _Table:
    """The candidates with every part of their scores."""

    def __init__(self, index: Index, text: str, meaning: Meaning, candidates: _Candidates) -> None:
        self._index, self._text, self._meaning = index, text, meaning
        self._found, self._vector = candidates.found, candidates.vector
        self._beside, self._worth, self._rows = candidates.beside, candidates.worth, candidates.vectors
        self._chunks = [one.match.chunk for one in self._found]
        self._near_rank = {chunk: place for place, chunk in enumerate(candidates.near, 1)}
        self._time = time_named(text, meaning.today)
        self.vectors = self._exact()

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

    def best(self, plan: WordPlan, statistics: Statistics, limit: int, *, words: bool) -> list[Ranked]:
        terms = [*plan.looked_up, *plan.ignored]
        nearest = self._nearest(terms)
        values = self._values(terms, statistics, nearest)
        evidence = self._evidence(terms, statistics, nearest, values)
        if not words:
            values = {name: values[name] for name in BY_MEANING}
        weights = weights_for(self._found, self._meaning.calibration)
        columns = {
            name: weights[name] * (_standard(v) if name in STANDARDISED else numpy.asarray(v))
            for name, v in values.items()
        }
        if words:
            values["linked"] = self._linked(numpy.sum(list(columns.values()), axis=0))
            columns["linked"] = weights["linked"] * numpy.asarray(values["linked"])
        sums = numpy.sum(list(columns.values()), axis=0)
        totals = sums.tolist()
        order = sorted(range(len(self._found)), key=lambda i: (-totals[i], *_place(self._found[i])))
        own = self._meaning.calibration.confidence
        sure = [confidence(one, own, SMALL) for one in evidence]
        scores = dict(zip(order, isotonic([sure[i] for i in order]), strict=True))
        chosen = _different(order, self.vectors, limit, self._meaning.calibration.same)
        shown = numpy.minimum.accumulate([scores[i] for i in chosen])  # a repeat never stands out
        return [
            self._found[i]._replace(
                score=float(score),
                explanation=self._explained(i, values, {n: float(c[i]) for n, c in columns.items()})._replace(
                    total=totals[i], confidence=sure[i], evidence=evidence[i]
                ),
            )
            for i, score in zip(chosen, shown, strict=True)
        ]

    def weighted(self, weights: WeightedSum, limit: int) -> list[Ranked]:
        """By a weighted sum. What holds a word of the query is never lost to the least score for vectors."""
        both = weights.vector_weight + weights.text_weight or 1.0
        near = numpy.maximum(self.vectors @ self._vector, 0.0) * (weights.vector_weight / both)
        held = numpy.asarray([one.score for one in self._found]) * (weights.text_weight / both)
        kept = [
            i for i, one in enumerate(self._found) if one.explanation.terms or near[i] + held[i] >= weights.min_score
        ]
        order = sorted(kept, key=lambda i: (-float(near[i] + held[i]), *_place(self._found[i])))
        return [
            self._found[i]._replace(
                score=float(near[i] + held[i]),
                explanation=self._found[i].explanation._replace(
                    vector_rank=self._near_rank.get(self._chunks[i]),
                    parts=(
                        Signal("meaning", float(self.vectors[i] @ self._vector), float(near[i])),
                        Signal("words", self._found[i].score, float(held[i])),
                    ),
                    total=float(near[i] + held[i]),
                ),
            )
            for i in order[:limit]
        ]

    def _nearest(self, terms: Sequence[Term]) -> signals.NearestWords:
        return signals.nearest_words(terms, [one.match for one in self._found], self._meaning.word_model)

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
        covered = coverage(words, weights, nearest, model)
        if self._time is not None:
            others = self._without_time(words, weights)
            covered = numpy.maximum(covered, coverage(words, others, nearest, model))
        near = numpy.maximum(values["meaning"], values["around"])
        is_held = any(values["words"])
        passages = statistics.chunks or self._meaning.vectors.length
        return [
            Evidence(
                coverage=float(covered[i]),
                nearness=float(near[i]),
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
        holds = signals.cue(self._text)
        by_name, by_side = signals.speakers(self._text, passages)
        weights = [rarity(statistics.frequencies[term.stem], statistics.chunks) for term in terms]
        span = self._time.span if self._time else None
        return {
            "words": [one.score for one in self._found],
            "meaning": (self.vectors @ self._vector).tolist(),
            "around": self._rows.around(self._chunks, self.vectors, self._vector).tolist(),
            "word by word": signals.word_by_word(weights, nearest),
            "cue": [holds(p.text) for p in passages],
            "speaker": by_name,
            "side": by_side,
            "answer": [
                signals.answers_a_question(p, self._beside[c][0]) for c, p in zip(self._chunks, passages, strict=True)
            ],
            "time": [
                1.0 if span and p.date and span.first.isoformat() <= p.date <= span.last.isoformat() else 0.0
                for p in passages
            ],
            "fresh": [signals.freshness(p.date, self._meaning.today, self._meaning.half_life_days) for p in passages],
            "use": [math.log(self._worth.get(p.path, 1.0)) for p in passages],
        }

    def _linked(self, sums: Vectors) -> list[float]:
        """Return 1 for each passage whose note is linked with the note of a top candidate."""
        first = [self._found[i].match.passage for i in numpy.argsort(-sums, kind="stable")[:LINKING]]
        notes = self._index.notes(list({p.path for p in first if p.speaker is None}))
        named = {path: _names(path, entry.note) for path, entry in notes.items()}
        targets = {path: {_target(link) for link in entry.note.links} for path, entry in notes.items()}
        joined = {
            path
            for path in named
            for other in named
            if path != other and (targets[other] & named[path] or targets[path] & named[other])
        }
        return [1.0 if one.match.passage.path in joined else 0.0 for one in self._found]

    def _explained(self, i: int, values: Mapping[str, list[float]], shares: Mapping[str, float]) -> Explanation:
        parts = tuple(
            Signal(name, values[name][i], share)
            for name, share in shares.items()
            if _tells(share, values[name][i], name)
        )
        return self._found[i].explanation._replace(vector_rank=self._near_rank.get(self._chunks[i]), parts=parts)


def time_named(query: str, today: date) -> NamedTime | None:
    """The time that a query names in words, such as "last week" or "in May 2023"."""
    if not may_name_time(query):
        return None
    from memoro.model.time_phrases import named_in

    return named_in(query, today=today)


def _tells(share: float, value: float, name: str) -> bool:
    """Return whether an explanation names this part: it moved the sum, or confidence depends on it."""
    return share != 0 or (value != 0 and name in ("words", "meaning", "word by word"))


def _different(order: Sequence[int], vectors: Vectors, limit: int, same_from: float) -> list[int]:
    """The first ones in order, those that repeat an earlier one behind all that do not."""
    chosen: list[int] = []
    repeats: list[int] = []
    for i in order:
        same = bool(chosen) and float((vectors[chosen] @ vectors[i]).max()) > same_from
        (repeats if same else chosen).append(i)
        if len(chosen) == limit:
            return chosen
    return (chosen + repeats)[:limit]


def _names(path: str, note: Note) -> set[str]:
    """Return the names by which links can refer to this note."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    return {name.casefold() for name in (note.title, *note.aliases, stem, path, path.rpartition(".")[0])}


def _target(link: str) -> str:
    return link.strip().casefold().removesuffix(".md")


def _standard(values: Sequence[float] | Vectors) -> Vectors:
    """With mean 0 and deviation 1 over the candidates; all alike: all 0."""
    column = numpy.asarray(values, numpy.float64)
    deviation = float(column.std())
    return (column - column.mean()) / deviation if deviation > 1e-9 else numpy.zeros(len(column))  # type: ignore[return-value]


def _place(one: Ranked) -> tuple[str, int, str, int]:
    passage = one.match.passage
    return passage.path, passage.start_line, passage.digest, passage.number
