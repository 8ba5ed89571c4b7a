"""Looking words up in a table of the ledger, with how well a row could fit at most."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import apsw

from memoro.model.answers import Term
from memoro.store.terms import match_any

_SATURATION = 1.2  # BM25's k1, as FTS5 has it
_FEW = 500  # rows that hold a word; to rank as many takes less than half a millisecond
_ENOUGH = 6  # words that tell rows apart


def fits(db: apsw.Connection, table: str, words: Sequence[Term]) -> Iterator[tuple[int, float]]:
    """Every row that holds any of the words, best first, each with its fit from 0 to 1.

    Lazily: whoever has seen enough stops. The fit is BM25 divided by the most that these words could
    score, which means the same in a ledger of three memories as in one of a million.
    """
    frequencies = {word: _frequency(db, table, word) for word in words}
    present = [word for word in words if frequencies[word]]
    if not present:
        return
    rows = int(db.execute(f"SELECT count(*) FROM {table}_docsize").get)
    most = (_SATURATION + 1) * sum(_weight(min(frequencies[word], rows), rows) for word in present)
    query = f"SELECT rowid, rank FROM {table} WHERE {table} MATCH ? ORDER BY rank"
    for number, rank in db.execute(query, (match_any(present),)):
        yield int(str(number)), min(1.0, -float(str(rank)) / most)


def needed(db: apsw.Connection, table: str, words: Sequence[Term], share: float) -> list[Term]:
    """Words of which a row holds at least one if it holds this share of all of them; none where no row does.

    A row that lacks at most n of the words holds one of any n + 1, so that the rarest are enough, and what all rows
    hold need not be walked through. Others that few rows hold are added, to tell by how much a row fits.
    """
    held = sorted(((_frequency(db, table, word), word) for word in words), key=lambda pair: pair[0])
    lacking = int(len(held) * (1 - share) + 1e-9)
    if not held or not held[lacking][0]:  # more are in no row than any row may lack
        return []
    chosen = [word for place, (rows, word) in enumerate(held) if rows and (place <= lacking or rows <= _FEW)]
    return chosen[: max(lacking + 1, _ENOUGH)]


def _weight(holding: int, rows: int) -> float:
    """What FTS5 lets one word count: never nothing, but next to it where half of all rows hold the word."""
    return max(1e-6, math.log((rows - holding + 0.5) / (holding + 0.5)))


def _frequency(db: apsw.Connection, table: str, word: Term) -> int:
    if word.prefix:
        query = f"SELECT sum(doc) FROM {table}_vocabulary WHERE term >= ? AND term < ?"
        found = db.execute(query, (word.stem, word.stem + "\U0010ffff")).get
    else:
        found = db.execute(f"SELECT doc FROM {table}_vocabulary WHERE term = ?", (word.stem,)).get
    return int(found or 0)
