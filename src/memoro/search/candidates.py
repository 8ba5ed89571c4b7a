"""The candidates of a search by words and meaning: by words, by meaning, by what they state, and beside a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy

from memoro.model.answers import Match, Statistics, Term, Where
from memoro.providers.ports import is_builtin
from memoro.search import attribute, phrasing
from memoro.search import query as queries
from memoro.search.passage_vectors import Beside, PassageVectors
from memoro.search.past import without_date_words
from memoro.search.query import WordPlan
from memoro.search.rank import Ranked, rank
from memoro.search.retrieve import usable
from memoro.search.sources import has_ended
from memoro.search.standing import holding, worths
from memoro.search.subjects import AskedSubjects, Placed, asked_subjects, placed
from memoro.search.unfinished import with_unfinished
from memoro.search.weights import by_length
from memoro.store.ports import COLUMNS, Index, VectorIndex

if TYPE_CHECKING:
    from memoro.providers.calibration import Calibration
    from memoro.providers.ports import Vectors
    from memoro.search.hybrid_query import HybridQuery, Meaning

CANDIDATES = 80  # from words and from meaning each
# Of each, where a statement looks for others like it: that repeats most words of what it is after.
LIKE_STATEMENT = 40
LOOKED_AT = 60  # of all candidates, how many get the signals that cost something
BESIDE_NAMES = 20  # how many more, where a query names a subject: by the rest of the query
_CHARACTERS = 5  # of a word, about, where only words were counted
# Candidates that differ by less than this differ by chance, as two memories in almost the same words do: their use
# and their dates decide between them.
_LEAST_DEVIATION = 0.05


class HybridCandidates(NamedTuple):
    """The candidates of one query, and what is known of each before its signals are computed."""

    found: Sequence[Ranked]
    vector: Vectors  # of the query
    near: Mapping[int, float]
    beside: Beside
    vectors: PassageVectors
    worth: Mapping[str, float]
    said: Mapping[int, Placed]
    subjects: AskedSubjects
    plan: WordPlan
    statistics: Statistics


class _Found(NamedTuple):
    matches: list[Match]
    said: dict[int, Placed]
    subjects: AskedSubjects


def find_candidates(
    index: Index, asked: HybridQuery, meaning: Meaning
) -> tuple[HybridCandidates | None, tuple[str, ...]]:
    """Return the candidates, None if there are none, and notices about the query."""
    wanted = phrasing.asked(asked.text)
    query = queries.parse(wanted, index.terms)
    query = with_unfinished(query, wanted, index) if asked.unfinished else query
    statistics = index.statistics(query.terms)
    plan = queries.plan(query.terms, statistics.frequencies)
    # Letters that are no word to the index nor to the model have a vector, and it means nothing.
    if not any(statistics.frequencies[t.stem] or meaning.word_model.knows(t.word) for t in query.terms):
        return None, query.notices
    present = [term for term in plan.looked_up if statistics.frequencies[term.stem]] if asked.words else []
    count = max(CANDIDATES if asked.asks else LIKE_STATEMENT, 2 * asked.limit)
    held = dict(index.best(present, asked.where, count, leading=plan.leading))
    about = phrasing.asked(asked.when.rest) if asked.when else wanted  # a time has no meaning to the model
    vector = meaning.embedder.embed([about], "query")[0]
    near = _nearest(index, asked.where, meaning.vectors, vector, count) if vector.any() else {}
    added = _added(index, asked)
    beside = index.neighbours(list(dict.fromkeys([*held, *near, *added])))
    vectors = PassageVectors(meaning.vectors, beside)
    chunks = _Promising(vectors, vector, held).first(list(beside), statistics.average_length, meaning.calibration)
    matches, said, subjects = _looked_up(index, asked, meaning, _Order(chunks, added, present))
    if not asked.asks:  # the day in a statement ("on Thursdays") does not ask for memories of that day
        matches = [one for one in without_date_words(matches) if one.counts or one.chunk in near]
    if newer := _replacing(index, asked, matches, present):
        beside = {**beside, **index.neighbours([one.chunk for one in newer])}
        vectors = PassageVectors(meaning.vectors, beside)
        matches, said = matches + newer, said | placed(index, newer)
    worth = worths(matches, meaning.standing, asked.where.held)
    ranked = rank(holding(matches, worth), plan, statistics, COLUMNS)
    if not ranked:
        return None, query.notices
    candidates = HybridCandidates(
        found=ranked,
        vector=vector,
        near=near,
        beside=beside,
        vectors=vectors,
        worth=worth,
        said=said,
        subjects=subjects,
        plan=plan,
        statistics=statistics,
    )
    return candidates, query.notices


def standard(values: Sequence[float] | Vectors, spread: float = 1.0) -> Vectors:
    """With mean 0 and deviation 1 over the candidates, or less where they are nearly alike.

    What is nearly alike depends on how widely the cosines of a space are spread (`CosineReading.spread`).
    """
    column = spread * numpy.asarray(values, numpy.float64)
    deviation = float(column.std())
    return (column - column.mean()) / max(deviation, _LEAST_DEVIATION)  # type: ignore[no-any-return]


class _Order(NamedTuple):
    chunks: list[int]  # the most promising first
    added: list[int]  # these in any case
    present: list[Term]


def _added(index: Index, asked: HybridQuery) -> list[int]:
    """The candidates whatever their words and their meaning."""
    certain = index.chunks_of(asked.certain) if asked.certain else []
    stating = attribute.candidates(index, asked.text, asked.where) if asked.words and asked.asks else []
    return [*certain, *stating]


def _looked_up(index: Index, asked: HybridQuery, meaning: Meaning, order: _Order) -> _Found:
    """The candidates that get a closer look, with whom and what they and the query are about."""
    looked_at = max(LOOKED_AT if asked.asks else LIKE_STATEMENT, 2 * asked.limit)
    chosen = list(dict.fromkeys([*order.chunks[:looked_at], *order.added]))
    found = usable(index, index.look_up(chosen, order.present), asked.admits)
    said = placed(index, found)
    subjects = asked_subjects(asked.text, asked.where, list(said.values()))
    rest = subjects.rest(phrasing.asked(asked.text))
    if rest and asked.words and is_builtin(meaning.embedder):  # another embedder costs a request
        others = [chunk for chunk in order.chunks[looked_at:] if chunk not in said]
        more = usable(index, index.look_up(_nearest_rest(rest, others, meaning), order.present), asked.admits)
        found, said = found + more, said | placed(index, more)
    return _Found(without_date_words(found) if asked.when else found, said, subjects)


def _nearest(index: Index, where: Where, vectors: VectorIndex, vector: Vectors, count: int) -> dict[int, float]:
    """The nearest chunks that pass the filters, with their cosines."""
    admitted = index.admitted(where)
    if admitted is not None or where.unlisted:
        return dict(vectors.nearest(vector, count, admitted))
    hidden = set(index.unlisted(where.held))
    found = vectors.nearest(vector, count + len(hidden))
    return dict([pair for pair in found if pair[0] not in hidden][:count])


def _replacing(index: Index, asked: HybridQuery, found: Sequence[Match], present: list[Term]) -> list[Match]:
    """The memories that took the place of what some messages state, where these alone were found.

    A question about another time than now does not ask for them.
    """
    over = {one.passage.superseded_by for one in found if has_ended(one.passage)}
    missing = [path for path in over - {one.passage.path for one in found} if path]
    if not missing or not asked.asks or asked.when is not None:
        return []
    chunks, admitted = index.chunks_of(sorted(missing)), index.admitted(asked.where)
    chunks = chunks if admitted is None else sorted({*chunks}.intersection(admitted))
    return usable(index, index.look_up(chunks, present), asked.admits)


class _Promising(NamedTuple):
    """What costs next to nothing to know about candidates."""

    vectors: PassageVectors
    vector: Vectors  # of the query
    held: Mapping[int, float]

    def first(self, chunks: Sequence[int], average_length: float, calibration: Calibration) -> list[int]:
        """All candidates, those that deserve a closer look first."""
        if not chunks:
            return []
        weights = by_length(average_length * _CHARACTERS, calibration)
        rows = self.vectors.of(chunks)
        basic = {
            "words": standard([self.held.get(chunk, 0.0) for chunk in chunks]),
            "meaning": standard(rows @ self.vector, calibration.reading.spread),
            "around": standard(self.vectors.around(chunks, rows, self.vector), calibration.around.spread),
        }
        sums = numpy.sum([weights[name] * values for name, values in basic.items()], axis=0)
        return [chunks[i] for i in numpy.argsort(-sums, kind="stable")]


def _nearest_rest(rest: str, chunks: Sequence[int], meaning: Meaning) -> list[int]:
    """Of the other candidates, those nearest to a query without its names.

    Where much is known about a subject, its name makes hundreds of passages look alike.
    """
    vector = meaning.embedder.embed([rest], "query")[0]
    order = numpy.argsort(-(meaning.vectors.rows(chunks) @ vector), kind="stable")
    return [chunks[i] for i in order[:BESIDE_NAMES]]
