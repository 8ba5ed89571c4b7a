"""Measures how the cosines of a space are to be read, with lines of the owner's own index as queries.

A heading is a query for what follows in its note, a question in a conversation one for the reply, and all of them,
and first sentences where there are too few, are queries that passages of other files do not answer. A passage is
embedded with the heading it begins with, and a heading must not find itself: so it stands for the passage after its
own. Only queries are embedded: passages keep the vectors that were paid for.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from memoro.errors import ProviderError, VectorsDamaged
from memoro.model.answers import Match, Where
from memoro.model.vocabulary import KINDS, Kind
from memoro.providers.calibration import MeasuredSpace, decode, encode
from memoro.providers.ports import Embedder, Space, is_builtin
from memoro.providers.token_estimate import estimated_tokens
from memoro.store import space_progress

if TYPE_CHECKING:
    from memoro.providers.calibrating import SpaceCosines
    from memoro.providers.ports import Vectors
    from memoro.providers.registry import Embedders
    from memoro.store.ports import Index, IndexHome

QUERIES = 60
OTHERS = 400  # passages that every query is compared with
_LEAST_QUERIES, _LEAST_PASSAGES = 8, 40  # a smaller sample tells nothing
_GROWN = 4  # an index so many times as large is measured again
_LOOKED_AT = 1500  # passages of each kind among which queries are looked for
_OF_A_FILE = 2  # queries
_LONGEST_QUERY = 200  # characters
_AT_ONCE = 8  # queries in a request: a provider has little time for one with queries
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$", re.M)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")
_WORD = re.compile(r"[^\W\d_]{2,}")

QueryKind = Literal["heading", "question", "sentence"]


class CalibrationQuery(NamedTuple):
    """A line of the owner's that is used as a query."""

    text: str
    kind: QueryKind
    path: str
    chunk: int  # the passage that it stands in
    next: int = 0  # of a heading and of a question: the passage that follows in the note, or was said next


class CalibrationSample(NamedTuple):
    """The queries, and the passages that they are compared with."""

    queries: tuple[CalibrationQuery, ...]
    others: tuple[tuple[int, str], ...]  # chunk and path
    beside: Mapping[int, tuple[int, ...]] = MappingProxyType({})  # by chunk: its neighbours


def calibration_cost(index: Index) -> tuple[int, int]:
    """Return how many texts, and about how many tokens, are embedded to measure a space of this index."""
    texts = [one.text for one in sample(index).queries]
    return len(texts), sum(map(estimated_tokens, texts))


def is_due(index: Index, space: Space, stored: str | None) -> bool:
    """Return whether a complete space should be measured: it never was, or the index has grown fourfold since."""
    passages = index.counts().chunks
    if passages < _LEAST_PASSAGES or not space_progress.is_complete(index, str(space)):
        return False
    found = decode(stored)
    return found is None or passages >= _GROWN * found.passages


def calibrate(home: IndexHome, embedders: Embedders, sent: Callable[[str], str] = str) -> tuple[str, ...]:
    """Measure the wanted space where that is due, and keep what was found; return what an answer should say about it.

    `sent` returns a text as it may be sent. Raises no `ProviderError`: a space that could not be measured is searched
    all the same, and a sync an hour later goes on with it.
    """
    index, wanted = home.current(), embedders.wanted
    if index is None or is_builtin(wanted):
        return ()
    records, name = home.records(), str(wanted.space)
    if not is_due(index, wanted.space, records.calibration(name)):
        return ()
    from memoro.index.begun_calibration import KeptQueries, begun_calibration

    document, now = records.begun_calibration(name), time.time()
    begun = begun_calibration(document, wanted.space.dimensions)
    if begun.is_paused(now):
        return ()
    kept = KeptQueries(wanted, home, begun)
    try:
        found = measure(home, index, embedders._replace(wanted=kept), sent)
    except (ProviderError, VectorsDamaged) as error:
        kept.note_failure(now)
        return (f"vectors: the space {name} could not be calibrated: {error}",)
    if found is not None:
        records.put_calibration(name, encode(found))
        records.put_begun_calibration(name, None)
    return ()


def measure(
    home: IndexHome, index: Index, embedders: Embedders, sent: Callable[[str], str] = str
) -> MeasuredSpace | None:
    """Measure the wanted space beside the built-in one. None: there is too little to measure it with.

    Only passages with a vector in the wanted space are used. Those that stay at home have none, so that neither they
    nor their headings are sent.
    """
    from memoro.providers.calibrating import measured

    spaces = [_CompareIn(home, index, one) for one in (embedders.wanted, embedders.builtin)]
    chosen = _with_vectors(sample(index), spaces)
    if len(chosen.queries) < _LEAST_QUERIES or len(chosen.others) < _LEAST_PASSAGES // 2:
        return None
    beside = index.neighbours([chunk for chunk, _ in chosen.others])
    neighbours = {chunk: tuple(one.chunk for one in pair if one) for chunk, pair in beside.items()}
    own, builtin = (one.cosines(chosen._replace(beside=neighbours), sent) for one in spaces)
    return measured(own, builtin, len(chosen.queries), index.counts().chunks)


def sample(index: Index) -> CalibrationSample:
    """Choose queries and passages. The same index has the same sample: the digests of passages decide."""
    by_kind = {kind: _looked_at(index, kind) for kind in KINDS}
    headings = list(_headings(index, by_kind["note"]))
    questions = list(_questions(index, by_kind["transcript"]))
    sentences = [one for kind in KINDS for one in _sentences(by_kind[kind])]
    queries = _first_of_files([*headings, *questions, *sentences])[:QUERIES]
    passages = sorted((one for found in by_kind.values() for one in found), key=lambda one: one.passage.digest[::-1])
    others = tuple((one.chunk, one.passage.path) for one in passages[:OTHERS])
    return CalibrationSample(tuple(queries), others)


def _looked_at(index: Index, kind: Kind) -> list[Match]:
    """Passages of a kind from all of the index, ordered by digest. Private messages have no place in a sample."""
    chunks = index.admitted(Where(kinds=(kind,))) or []
    found = index.look_up(chunks[:: len(chunks) // _LOOKED_AT + 1], [])
    return sorted(found, key=lambda one: (one.passage.digest, one.chunk))


def _first_of_files(queries: Sequence[CalibrationQuery]) -> list[CalibrationQuery]:
    """The queries in order, but few of each file, and none twice."""
    of_file: Counter[str] = Counter()
    seen: set[str] = set()
    kept = []
    for one in queries:
        if of_file[one.path] < _OF_A_FILE and one.text.lower() not in seen:
            of_file[one.path] += 1
            seen.add(one.text.lower())
            kept.append(one)
    return kept


def _headings(index: Index, found: Sequence[Match]) -> Iterator[CalibrationQuery]:
    """The headings of passages that begin with one. The title says what a heading such as "Plans" is about."""
    begin = [one for one in found if _HEADING.match(one.passage.text)][: 4 * QUERIES]
    beside = index.neighbours([one.chunk for one in begin]) if begin else {}
    for match in begin:
        passage, following = match.passage, beside[match.chunk][1]
        text = ": ".join(dict.fromkeys((passage.title, _HEADING.findall(passage.text)[-1])))
        if following is not None and _WORD.search(text) and len(text) <= _LONGEST_QUERY:
            yield CalibrationQuery(
                text=text, kind="heading", path=passage.path, chunk=match.chunk, next=following.chunk
            )


def _questions(index: Index, found: Sequence[Match]) -> Iterator[CalibrationQuery]:
    """Turns that end with a question, where someone else spoke next."""
    asking = [one for one in found if one.passage.text.rstrip().endswith("?")][: 4 * QUERIES]
    beside = index.neighbours([one.chunk for one in asking]) if asking else {}
    for match in asking:
        following = beside[match.chunk][1]
        text = _SENTENCE.split(match.passage.text.strip())[-1].strip()
        if following is not None and following.speaker != match.passage.speaker and _is_query(text):
            yield CalibrationQuery(
                text=text, kind="question", path=match.passage.path, chunk=match.chunk, next=following.chunk
            )


def _sentences(found: Sequence[Match]) -> Iterator[CalibrationQuery]:
    for match in found:
        sentences = (one.strip(" \t#-*>") for one in _SENTENCE.split(match.passage.text))
        first = next(filter(_is_query, sentences), None)
        if first:
            yield CalibrationQuery(text=first, kind="sentence", path=match.passage.path, chunk=match.chunk)


def _is_query(text: str) -> bool:
    return len(text) <= _LONGEST_QUERY and len(_WORD.findall(text)) >= 3


def _with_vectors(found: CalibrationSample, spaces: Sequence[_CompareIn]) -> CalibrationSample:
    """Leave out what has no vector in one of the spaces."""

    def have(chunks: Sequence[int]) -> set[int]:
        return set(chunks).intersection(*(one.having(chunks) for one in spaces))

    asked = have(list({chunk for one in found.queries for chunk in (one.chunk, one.next or one.chunk)}))
    others = have([chunk for chunk, _ in found.others])
    return CalibrationSample(
        tuple(one for one in found.queries if one.chunk in asked and (one.next or one.chunk) in asked),
        tuple(one for one in found.others if one[0] in others),
    )


class _CompareIn:
    """One space of an index."""

    def __init__(self, home: IndexHome, index: Index, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors = home.vectors(index, str(embedder.space), embedder.space.dimensions)

    def having(self, chunks: Sequence[int]) -> list[int]:
        """Return those of the passages that have a vector."""
        rows = self._vectors.rows(chunks)
        return [chunk for chunk, row in zip(chunks, rows, strict=True) if row.any()]

    def cosines(self, chosen: CalibrationSample, sent: Callable[[str], str]) -> SpaceCosines:
        """Embed the queries and compare."""
        from memoro.providers.calibrating import SpaceCosines

        queries, others = chosen.queries, chosen.others
        asked = self._embed([sent(one.text) for one in queries])
        rows = self._vectors.rows([chunk for chunk, _ in others])
        paths, asking = [path for _, path in others], [one.path for one in queries]
        return SpaceCosines(
            chance=_apart(asked @ rows.T, asking, paths),
            around=_apart(asked @ self._windows(chosen, rows).T, asking, paths),
            headings=self._with_next(queries, asked, "heading"),
            replies=self._with_next(queries, asked, "question"),
            passages=_apart(rows @ rows.T, paths, paths),
        )

    def _windows(self, chosen: CalibrationSample, rows: Vectors) -> Vectors:
        """Each passage together with half of what stands before and after it, as a search compares it."""
        import numpy

        windows = rows.copy()
        for row, (chunk, _) in zip(windows, chosen.others, strict=True):
            if beside := chosen.beside.get(chunk):
                row += 0.5 * self._vectors.rows(beside).sum(axis=0)
        windows /= numpy.maximum(numpy.linalg.norm(windows, axis=1, keepdims=True), 1e-9)
        return windows

    def _with_next(self, queries: Sequence[CalibrationQuery], asked: Vectors, kind: QueryKind) -> Vectors:
        """The cosines of the queries of a kind with what comes next."""
        places = [n for n, one in enumerate(queries) if one.kind == kind]
        found: Vectors = (asked[places] * self._vectors.rows([queries[n].next for n in places])).sum(axis=1)
        return found

    def _embed(self, texts: Sequence[str]) -> Vectors:
        import numpy

        parts = [texts[at : at + _AT_ONCE] for at in range(0, len(texts), _AT_ONCE)]
        return numpy.concatenate([self._embedder.embed(part, "query") for part in parts])


def _apart(cosines: Vectors, left: Sequence[str], right: Sequence[str]) -> Vectors:
    """The cosines of those that are of different files."""
    import numpy

    found: Vectors = cosines[numpy.asarray(left)[:, None] != numpy.asarray(right)[None, :]]
    return found
