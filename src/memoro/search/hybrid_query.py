"""The inputs of a search by words and meaning: the query, and what meaning is measured by."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.answers import Where
from memoro.search.standing import Standing
from memoro.store.ports import VectorCache, VectorIndex

if TYPE_CHECKING:
    from memoro.model.asked_time import AskedTime
    from memoro.providers.calibration import Calibration
    from memoro.providers.ports import Embedder, WordModel
    from memoro.search.newest import Trusts
    from memoro.search.retrieve import Admits


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
    admits: Admits | None = None  # what of each candidate may be used
    unfinished: bool = False  # its last word may be the beginning of one
