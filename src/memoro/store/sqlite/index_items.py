"""Queries for the items of the ledger that an index mirrors: memories, experiences, narratives."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import apsw

from memoro.errors import IndexDamaged
from memoro.model.answers import Statistics, Term
from memoro.model.notes import number_of
from memoro.model.vocabulary import MIRRORED_KINDS, MirroredKind
from memoro.store.ports import COLUMNS, LENGTH, MOST_OTHER_WORDS, SATURATION, ItemMatch
from memoro.store.sqlite.index_queries import prefix_range
from memoro.store.terms import match_any

_FULL = SATURATION + 1  # the most that FTS5's BM25 gives a word of weight 1
_LEAST_WEIGHT = 1e-6  # what FTS5 gives a word that half of all rows hold
_MIRRORED = "kind IN (" + ", ".join(f"'{kind}'" for kind in MIRRORED_KINDS) + ")"  # as the partial index has it
PATHS = f"SELECT path FROM files WHERE {_MIRRORED} ORDER BY path"
_COUNT = f"SELECT count(*) FROM files WHERE kind = ? AND {_MIRRORED}"
_WALK = """
    SELECT rank, item_evidence(words, ?),
           (SELECT f.path FROM chunks c JOIN files f ON f.id = c.file WHERE c.id = words.rowid)
      FROM words WHERE words MATCH ? ORDER BY rank"""


class Sizes(NamedTuple):
    """Rows and words of the whole word index, and the words in each column."""

    rows: int
    words: int
    columns: tuple[int, ...]

    def average(self) -> float:
        return self.words / self.rows if self.rows else 0.0


def sizes(db: apsw.Connection, present: Term) -> Sizes:
    """`present` is a word that some row holds: FTS5 gives its totals only beside a match."""
    found = db.execute("SELECT sizes(words) FROM words WHERE words MATCH ? LIMIT 1", (match_any([present]),)).get
    rows, words, *columns = map(int, str(found).split())
    return Sizes(rows, words, tuple(columns))


def count(db: apsw.Connection, kind: MirroredKind) -> int:
    return int(db.execute(_COUNT, (kind,)).get)


def frequency(db: apsw.Connection, kind: MirroredKind, term: Term) -> int:
    """The number of items with the word; of a prefix, the number of (item, word) pairs."""
    condition, bounds = (
        ("term >= ? AND term < ?", prefix_range(term.stem)) if term.prefix else ("term = ?", (term.stem,))
    )
    query = f"SELECT sum(doc) FROM column_vocabulary WHERE {condition} AND col = ?"
    return int(db.execute(query, (*bounds, kind)).get or 0)


class ItemStatistics(NamedTuple):
    """Statistics over the items of one kind, beside the sizes of the whole word index."""

    items: Statistics
    whole: Sizes


class ItemCounts:
    """Counts of items by kind and word, kept until the index changes."""

    def __init__(self) -> None:
        self._counts: dict[tuple[MirroredKind, Term | None], int] = {}  # None: of all items

    def clear(self) -> None:
        self._counts.clear()

    def statistics(self, db: apsw.Connection, kind: MirroredKind, terms: Sequence[Term]) -> ItemStatistics:
        frequencies = {term.stem: self._count(db, kind, term) for term in terms}
        present = [term for term in terms if frequencies[term.stem]]
        if not present:
            return ItemStatistics(Statistics(0, 0.0, frequencies), Sizes(0, 0, ()))
        whole = sizes(db, min(present, key=lambda term: frequencies[term.stem]))
        rows, words = self._count(db, kind, None), whole.columns[list(COLUMNS).index(kind)]
        return ItemStatistics(Statistics(rows, words / rows if rows else 0.0, frequencies), whole)

    def _count(self, db: apsw.Connection, kind: MirroredKind, term: Term | None) -> int:
        if (kind, term) not in self._counts:
            self._counts[kind, term] = frequency(db, kind, term) if term else count(db, kind)
        return self._counts[kind, term]


def walk(
    db: apsw.Connection,
    kind: MirroredKind,
    terms: Sequence[Term],
    shares: Mapping[str, float],
    known: ItemStatistics,
) -> Iterator[ItemMatch]:
    """Every match by FTS5's BM25, best first. Beside the rank, FTS5 computes only what is fetched."""
    present = [term for term in terms if known.items.frequencies[term.stem]]
    if not present:
        return
    bound = fit_bound(kind, {term.stem: shares.get(term.stem, 0.0) for term in present}, known)
    column = list(COLUMNS).index(kind)
    for rank, evidence, path in cast(Any, db.execute(_WALK, (column, match_any(present, kind)))):
        if path is None:
            raise IndexDamaged("the word index names a passage that does not exist")
        length, *counts = map(int, evidence.split())
        held = tuple((term.stem, n) for term, n in zip(present, counts, strict=True) if n)
        yield ItemMatch(number=number_of(path), counts=held, length=float(length), most=bound.most(-rank))


class FitBound(NamedTuple):
    """Bounds the fit of every later row by FTS5's BM25 of this one.

    Both are sums over the words. FTS5 weighs a word by its rarity in the whole index, and counts the words of all
    columns as the length of a row. The bound is the best fit that a row with this BM25 could have: it spends its
    BM25 on the words that give most fit for it.
    """

    words: tuple[tuple[float, float], ...]  # (share of the fit, BM25 for all of it), the best bargain first
    stretch: float  # how much fuller the fit can take a word to be than FTS5 does

    def most(self, bm25: float) -> float:
        total, left = 0.0, bm25 * (1 + 1e-9)
        for share, whole in self.words:
            if left < whole:
                total += share * left / whole
                break
            total += share
            left -= whole
        return min(1.0, self.stretch * total * (1 + 1e-9))


def fit_bound(kind: MirroredKind, shares: Mapping[str, float], known: ItemStatistics) -> FitBound:
    items, whole = known
    words = [(share, _FULL * _weight(items.frequencies[stem], whole.rows)) for stem, share in shares.items()]
    words.sort(key=lambda pair: pair[1] / pair[0] if pair[0] else math.inf)
    return FitBound(tuple(words), _stretch(items.average_length, whole.average(), MOST_OTHER_WORDS[kind]))


def _weight(frequency: int, rows: int) -> float:
    return (
        max(_LEAST_WEIGHT, math.log((rows - frequency + 0.5) / (frequency + 0.5)))
        if rows > frequency
        else _LEAST_WEIGHT
    )


def _stretch(items: float, whole: float, others: int) -> float:
    """The highest ratio of what a count of a word comes to for the fit and for FTS5, over rows of any length.

    A row has `others` more words for FTS5. The ratio is monotone in the length, so that the ends decide; it is
    highest for a word that occurs once.
    """
    short = (1 + SATURATION * (1 - LENGTH + LENGTH * (1 + others) / whole)) / (
        1 + SATURATION * (1 - LENGTH + LENGTH / items)
    )
    return max(1.0, short, items / whole)


def evidence(api: apsw.FTS5ExtensionApi, *arguments: Any) -> str:
    """Return the number of words in the column that the argument names, then the count of each term in it."""
    [column] = arguments
    counts = (len(api.phrase_column_offsets(term, column)) for term in range(api.phrase_count))
    return " ".join(map(str, (api.column_size(column), *counts)))


def totals(api: apsw.FTS5ExtensionApi, *_: object) -> str:
    columns: Iterable[int] = (api.column_total_size(column) for column in range(len(COLUMNS)))
    return " ".join(map(str, (api.row_count, api.column_total_size(-1), *columns)))
