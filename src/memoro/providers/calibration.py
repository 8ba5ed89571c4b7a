"""The numbers that depend on how a model's cosines are spread: weights, confidence and thresholds, by space."""

from __future__ import annotations

from typing import NamedTuple

from memoro.providers.ports import BUILTIN, Space


class ByLength(NamedTuple):
    """A weight among short passages and one among long ones; between them it changes gradually."""

    short: float
    long: float


class MeaningWeights(NamedTuple):
    """How much words and meaning count against each other when a passage is ranked."""

    words: ByLength  # BM25 share
    meaning: ByLength  # cosine of the passage
    around: ByLength  # cosine of the passage together with its neighbours
    word_by_word: ByLength  # nearest words, rare ones counting more


class ConfidenceWeights(NamedTuple):
    """A logistic function from the evidence for one passage to how likely it is that the passage is relevant."""

    coverage: float
    nearness: float
    words: float
    bias: float
    small: float  # for each halving of an index below `SMALL` passages, by the natural logarithm


SMALL = 150  # passages: in a smaller index, less is near by chance


class CosineReading(NamedTuple):
    """How a cosine of a space is read: as the cosine of the built-in model that says as much.

    What is as near by chance in the one space as in the other says as much.
    """

    scale: float
    shift: float

    def nearness(self, cosine: float) -> float:
        return min(1.0, self.scale * cosine + self.shift)

    @property
    def spread(self) -> float:
        """Return how many times wider the cosines of the built-in model are spread; 1 where nobody knows."""
        return self.scale or 1.0


AS_IT_IS = CosineReading(1.0, 0.0)


class Calibration(NamedTuple):
    """How the cosines of one space are read. It belongs to the space: another model's cosines mean other things."""

    weights: MeaningWeights
    confidence: ConfidenceWeights
    abstain_hybrid: float  # below this confidence, recall says nothing
    abstain_vectors: float  # the same in a search by meaning alone
    near: float | None  # a cosine from which a passage is no chance hit, however few words it shares; None: unknown
    same: float  # a passage whose cosine with a better one is higher than this repeats it
    reading: CosineReading = AS_IT_IS  # of passages; confidence depends on the nearness that it returns
    around: CosineReading = AS_IT_IS  # of passages together with their neighbours, which have more in common


# Round numbers, as benchmarks/weights.py chose them, and never by the figures on locomo-dev, which only measures.
# A short turn has too few words for one vector to mean much, and its neighbours say what it is about. Confidence was
# fitted on the `dev` half of `benchmarks noise`, on longmemeval-dev and on the chats; the thresholds on `benchmarks
# abstention`.
OF_BUILTIN = Calibration(
    weights=MeaningWeights(
        words=ByLength(0.5, 0.4),
        meaning=ByLength(0.1, 0.3),
        around=ByLength(0.5, 0.1),
        word_by_word=ByLength(0.5, 0.5),
    ),
    confidence=ConfidenceWeights(coverage=5.5, nearness=5.0, words=2.5, bias=-5.3, small=0.3),
    abstain_hybrid=0.3,
    abstain_vectors=0.3,
    near=0.45,
    same=0.98,
)
# For a space that nobody has measured. Ranking standardises cosines, so the weights carry over. Absolute values do
# not: some models put every pair of texts above 0.7. Every cosine is therefore taken for 1/3, which is between chance
# and a good match of the built-in model.
FLAT = CosineReading(0.0, 1 / 3)
UNMEASURED = OF_BUILTIN._replace(near=None, reading=FLAT, around=FLAT)

_FORMAT = 1
# With fewer queries it is not known what no chance hit is; a model that tells little apart has none.
_LEAST_QUERIES_FOR_NEAR, _LEAST_MEANING_FOR_NEAR = 20, 0.75
_WIDEST = 100.0  # a scale above this says that the model gives all texts one vector
_MEANING = (0.1, 2.0)  # the factors that may be stored


class MeasuredSpace(NamedTuple):
    """What was measured in a space with a sample of the owner's own passages. `calibrating.measured` makes it."""

    queries: int  # titles, headings and other lines that were compared with passages
    labelled: int  # of them, those of which it is known what they belong to
    passages: int  # of the index, when it was measured
    reading: CosineReading
    around: CosineReading
    same: float
    meaning: float  # by this the weights of meaning are multiplied

    @property
    def calibration(self) -> Calibration:
        """The numbers of the built-in model, as cosines of this space say them."""
        own, reading = OF_BUILTIN.weights, self.reading
        is_known = self.queries >= _LEAST_QUERIES_FOR_NEAR and self.meaning >= _LEAST_MEANING_FOR_NEAR
        near = (OF_BUILTIN.near - reading.shift) / reading.scale if OF_BUILTIN.near is not None and is_known else None
        return OF_BUILTIN._replace(
            weights=own._replace(meaning=_times(own.meaning, self.meaning), around=_times(own.around, self.meaning)),
            near=near,
            same=self.same,
            reading=reading,
            around=self.around,
        )


def _times(weight: ByLength, factor: float) -> ByLength:
    return ByLength(weight.short * factor, weight.long * factor)


def calibration(space: Space, stored: str | None = None) -> Calibration:
    """Return the numbers for a space; `stored` is what `ProviderRecords.calibration` returns for it.

    `UNMEASURED` where its model has not been measured.
    """
    if space.provider == BUILTIN:
        return OF_BUILTIN
    found = decode(stored)
    return found.calibration if found else UNMEASURED


def encode(found: MeasuredSpace) -> str:
    """Return what was measured as JSON."""
    import json

    readings = {name: getattr(found, name)._asdict() for name in ("reading", "around")}
    return json.dumps({"format": _FORMAT, **found._asdict(), **readings})


def decode(document: str | None) -> MeasuredSpace | None:
    """Return what was measured; None where it was not, or where the document cannot be used."""
    if not document:
        return None
    import json

    from memoro.model.from_json import build

    try:
        fields = json.loads(document)
        if not isinstance(fields, dict) or fields.pop("format", None) != _FORMAT:
            return None
        found = build(MeasuredSpace, fields)
    except (ValueError, RecursionError):
        return None
    return found if is_usable(found) else None


def is_usable(found: MeasuredSpace) -> bool:
    """Return whether the numbers can be those of a model that tells texts apart."""
    lowest, highest = _MEANING
    return (
        all(0 < one.scale <= _WIDEST and abs(one.shift) <= _WIDEST for one in (found.reading, found.around))
        and 0 < found.same <= 1
        and lowest <= found.meaning <= highest
        and found.queries > 0
        and found.passages > 0
    )
