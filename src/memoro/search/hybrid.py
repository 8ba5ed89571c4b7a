"""Words and meaning together: candidates of both, one sum of named parts, and a score to abstain by."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from memoro.model.answers import Evidence, Explanation, Passage, Replacement, Signal, Statistics, Term, Where
from memoro.model.memories import UNTRUSTED
from memoro.model.notes import Note, kind_of
from memoro.providers.calibration import SMALL
from memoro.providers.ports import is_builtin
from memoro.search import phrasing, signals, turns
from memoro.search import query as queries
from memoro.search.attribute import StatedValues, attribute, attribute_of_statement, with_stated
from memoro.search.attribute import candidates as candidates_stating
from memoro.search.coverage import coverage, information
from memoro.search.newest import Comparison, OrderedPassages, marked_replacement, moment, newest_first
from memoro.search.passage_vectors import Beside, PassageVectors
from memoro.search.past import time_values, which_statement, without_date_words
from memoro.search.query import WordPlan
from memoro.search.rank import Ranked, confidence, rank, rarity
from memoro.search.relevance import isotonic
from memoro.search.retrieve import identifier
from memoro.search.same_thing import UNCHANGED, Arrangement, Older, WhichStatement, best_of, lifted
from memoro.search.standing import Standing, holding, worths
from memoro.search.subjects import (
    AskedSubjects,
    Placed,
    asked_subjects,
    placed,
    subject_signals,
    with_names,
)
from memoro.search.weights import by_length, weights_for
from memoro.store.ports import COLUMNS, Index, VectorCache, VectorIndex

if TYPE_CHECKING:
    from memoro.model.asked_time import AskedTime
    from memoro.providers.calibration import Calibration
    from memoro.providers.ports import Embedder, Vectors, WordModel
    from memoro.search.newest import Trusts

BY_MEANING = ("meaning", "around", "word by word")  # all there is without words
# What is yes or no is not: where hardly any passage has it, its deviation would make it outweigh everything.
STANDARDISED = ("words", "meaning", "around", "word by word")
# Candidates that differ by less than this differ by chance, as two memories in almost the same words do: their use
# and their dates decide between them.
_LEAST_DEVIATION = 0.05
_CHARACTERS = 5  # of a word, about, where only words were counted
LONG_TURN = 300  # characters
SIDES = ("User", "Assistant")
LINKING = 10  # how many of the first candidates can help those that they link to
CANDIDATES = 80  # from words and from meaning each
LIKE_STATEMENT = (
    40  # of each, where a statement looks for others like it: that repeats most words of what it is after
)
LOOKED_AT = 60  # of all candidates, how many get the signals that cost something
BESIDE_NAMES = 20  # how many more, where a query names a subject: by the rest of the query


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
    trusts: Trusts | None = None


class HybridQuery(NamedTuple):
    """The text to look for, where, and how many passages; by meaning alone or by words as well."""

    text: str
    where: Where
    limit: int
    words: bool
    when: AskedTime | None = None  # the time that it asks about
    as_of: date | None = None  # the day of which it asks what held; None: today
    asks: bool = True  # False: a statement, for which older and newer ones are alike
    certain: tuple[str, ...] = ()  # files that are candidates whatever their words and their meaning


class _Candidates(NamedTuple):
    """The candidates of one query, and what is known of each before its signals are computed."""

    found: Sequence[Ranked]
    vector: Vectors  # of the query
    near: Mapping[int, float]
    beside: Beside
    vectors: PassageVectors
    worth: Mapping[str, float]
    said: Mapping[int, Placed]
    subjects: AskedSubjects


def search(index: Index, asked: HybridQuery, meaning: Meaning) -> tuple[list[Ranked], tuple[str, ...]]:
    """Return the best passages, and notices about the query."""
    text, where, limit, words = asked[:4]
    wanted = phrasing.asked(text)
    query = queries.parse(wanted, index.terms)
    statistics = index.statistics(query.terms)
    plan = queries.plan(query.terms, statistics.frequencies)
    count = max(CANDIDATES if asked.asks else LIKE_STATEMENT, 2 * limit)
    present = [term for term in plan.looked_up if statistics.frequencies[term.stem]] if words else []
    held = dict(index.best(present, where, count, leading=plan.leading))
    # Letters that are no word to the index nor to the model have a vector, and it means nothing.
    if not any(statistics.frequencies[t.stem] or meaning.word_model.knows(t.word) for t in query.terms):
        return [], query.notices
    about = phrasing.asked(asked.when.rest) if asked.when else wanted  # a time has no meaning to the model
    vector = meaning.embedder.embed([about], "query")[0]
    near = _nearest(index, where, meaning.vectors, vector, count) if vector.any() else {}
    length = statistics.average_length * _CHARACTERS
    added = index.chunks_of(asked.certain) if asked.certain else []
    added += candidates_stating(index, text, where) if words and asked.asks else []
    beside = index.neighbours(list(dict.fromkeys([*held, *near, *added])))
    vectors = PassageVectors(meaning.vectors, beside)
    weights = by_length(length, meaning.calibration)
    looked_at = max(LOOKED_AT if asked.asks else LIKE_STATEMENT, 2 * limit)
    chunks = _promising(vectors, list(beside), held, vector, weights)
    found = index.look_up(list(dict.fromkeys([*chunks[:looked_at], *added])), present)
    said = placed(index, found)
    subjects = asked_subjects(text, where, list(said.values()))
    if words and is_builtin(meaning.embedder) and (rest := subjects.rest(wanted)):  # others cost a request
        others = [chunk for chunk in chunks[looked_at:] if chunk not in said]
        more = index.look_up(_nearest_rest(rest, others, meaning), present)
        found, said = found + more, said | placed(index, more)
    if asked.when is not None:
        found = without_date_words(found)
    worth = worths(found, meaning.standing, where.held)
    ranked = rank(holding(found, worth), plan, statistics, COLUMNS)
    if not ranked:
        return [], query.notices
    candidates = _Candidates(
        found=ranked,
        vector=vector,
        near=near,
        beside=beside,
        vectors=vectors,
        worth=worth,
        said=said,
        subjects=subjects,
    )
    table = _Table(index, asked, meaning, candidates)
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


def _nearest_rest(rest: str, chunks: Sequence[int], meaning: Meaning) -> list[int]:
    """Of the other candidates, those nearest to a query without its names.

    Where much is known about a subject, its name makes hundreds of passages look alike.
    """
    vector = meaning.embedder.embed([rest], "query")[0]
    order = numpy.argsort(-(meaning.vectors.rows(chunks) @ vector), kind="stable")
    return [chunks[i] for i in order[:BESIDE_NAMES]]


class _Table:
    """The candidates with every part of their scores."""

    def __init__(self, index: Index, asked: HybridQuery, meaning: Meaning, candidates: _Candidates) -> None:
        self._index, self._asked, self._text, self._meaning = index, asked, asked.text, meaning
        self._time, self._as_of = asked.when, asked.as_of or meaning.today
        self._is_past = self._as_of < meaning.today
        self._found, self._vector = candidates.found, candidates.vector
        self._beside, self._worth, self._rows = candidates.beside, candidates.worth, candidates.vectors
        self._said, self._subjects = candidates.said, candidates.subjects
        self._chunks = [one.match.chunk for one in self._found]
        self._near_rank = {chunk: place for place, chunk in enumerate(candidates.near, 1)}
        self._by_subject = subject_signals(self._subjects, [self._said[chunk] for chunk in self._chunks])
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
            for name, column in self._later(columns):
                values[name] = column
                columns[name] = weights[name] * numpy.asarray(column)
        sums = numpy.sum(list(columns.values()), axis=0)
        totals = sums.tolist()
        order = sorted(range(len(self._found)), key=lambda i: (-totals[i], *_place(self._found[i])))
        own = self._meaning.calibration.confidence
        sure = [confidence(one, own, SMALL) for one in evidence]
        is_arranged = words and self._asked.asks
        arranged = self._newest_first(order, sums) if is_arranged else UNCHANGED._replace(order=tuple(order))
        order = list(arranged.order)
        totals, sure_of = lifted(arranged, totals), best_of(arranged, sure)
        scores = dict(zip(order, isotonic([sure[sure_of[i]] for i in order]), strict=True))
        chosen = _different(order, self.vectors, limit, self._meaning.calibration.same)
        shown = numpy.minimum.accumulate([scores[i] for i in chosen])  # a repeat never stands out
        columns["newer"] = numpy.asarray(totals) - sums
        values["newer"] = [1.0 if i in arranged.raised else 0.0 for i in range(len(self._found))]
        return [
            self._found[i]._replace(
                score=float(score),
                explanation=self._explained(i, values, {n: float(c[i]) for n, c in columns.items()})._replace(
                    total=totals[i],
                    confidence=sure[sure_of[i]],
                    evidence=evidence[sure_of[i]],
                    newer_than=self._identifier(arranged.raised.get(i)),
                ),
                replaced_by=self._replacement(arranged.older.get(i), i),
            )
            for i, score in zip(chosen, shown, strict=True)
        ]

    def _newest_first(self, order: Sequence[int], sums: Vectors) -> Arrangement:
        """The candidates with the newest statement about a thing before the older ones."""
        passages = [self._found[i].match.passage for i in order]
        comparison = Comparison(
            known=self._subjects.known,
            embed=self._meaning.word_model.embed,
            trusts=self._meaning.trusts,
            as_of=self._as_of.isoformat(),
            is_past=self._is_past,
            which=self._which(order),
        )
        sources, totals = [self._said[self._chunks[i]].source for i in order], [float(sums[i]) for i in order]
        found = newest_first(self._text, OrderedPassages(passages, sources, totals), comparison)
        return Arrangement(
            order=tuple(order[place] for place in found.order),
            raised={order[one]: order[over] for one, over in found.raised.items()},
            older={order[one]: older._replace(by=order[older.by]) for one, older in found.older.items()},
        )

    def _asks_what_was_said(self, order: Sequence[int]) -> bool:
        """Return whether the best passage is wanted and not the newest.

        So it is for what was said on several occasions and for what an assistant said. Long turns and talk between
        people touch many things and seldom state one: the newest of them mostly answers another question.
        """
        first = self._found[order[0]].match.passage
        is_talk = first.speaker is not None and (first.speaker not in SIDES or len(first.text) > LONG_TURN)
        return is_talk or phrasing.is_about_several(self._text) or phrasing.side(self._text) == "Assistant"

    def _which(self, order: Sequence[int]) -> WhichStatement:
        return "best" if self._asks_what_was_said(order) else which_statement(self._time)

    def _identifier(self, i: int | None) -> str | None:
        return None if i is None else identifier(self._found[i].match.passage)

    def _replacement(self, older: Older | None, i: int) -> Replacement | None:
        if older is None:
            return marked_replacement(self._found[i].match.passage)
        passage = self._found[older.by].match.passage
        day = moment(passage).day
        return Replacement(id=identifier(passage), date=day, text=older.text, why=older.why)

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
            "attribute": (attribute if self._asked.asks else attribute_of_statement)(self._text, passages),
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
        yield "linked", self._linked(numpy.sum(list(columns.values()), axis=0))
        if phrasing.is_about_several(self._text):
            yield "spread", turns.before(passages, numpy.sum(list(columns.values()), axis=0))
        else:  # a question that fits well helps its reply, so what it loses for asking does not count here
            fitting = numpy.sum([column for name, column in columns.items() if name != "asks"], axis=0)
            yield "nearby", turns.nearby(self._chunks, passages, fitting)

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
    """With mean 0 and deviation 1 over the candidates, or less where they are nearly alike."""
    column = numpy.asarray(values, numpy.float64)
    deviation = float(column.std())
    return (column - column.mean()) / max(deviation, _LEAST_DEVIATION)  # type: ignore[no-any-return]


def _place(one: Ranked) -> tuple[str, int, str, int]:
    passage = one.match.passage
    return passage.path, passage.start_line, passage.digest, passage.number
