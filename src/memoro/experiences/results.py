"""The results of operations on experiences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from memoro.model.experiences import Experience
from memoro.model.notes import EXPERIENCE
from memoro.model.vocabulary import LedgerMode


class WeightedExperience(NamedTuple):
    experience: Experience
    weight: float  # what is left of it now: computed when it is read


class ExperiencePage(NamedTuple):
    """Some experiences of a list, and the key of the page behind them."""

    experiences: tuple[WeightedExperience, ...]
    next: str | None = None  # None: these are the last


class RecordedExperience(NamedTuple):
    experience: Experience
    weight: float
    new: bool  # False: the same solution to the same intent was known, and this was one more use of it
    redacted: tuple[str, ...] = ()  # kinds of secrets that were taken out


class FoundExperience(NamedTuple):
    experience: Experience
    weight: float
    score: float  # 0–1
    fit: float  # how well the intent matches, 0–1, before success and weight

    @property
    def id(self) -> str:
        return f"{EXPERIENCE}{self.experience.id}"


class SimilarExperiences(NamedTuple):
    query: str
    mode: LedgerMode  # "words" where words alone have found some of them
    results: tuple[FoundExperience, ...]
    degraded: tuple[str, ...] = ()


class Preference(NamedTuple):
    """The value with the most evidence in one category, and the others that there is evidence for."""

    category: str
    value: object  # any JSON
    confidence: float
    experience: Experience
    others: tuple[Experience, ...] = ()  # the next best first


class Preferred(NamedTuple):
    recorded: RecordedExperience
    preference: Preference  # the one that holds now, which may be another


class ExperienceHint(NamedTuple):
    """A line for a prompt."""

    id: str
    text: str
    tokens: int


class ExperienceStats(NamedTuple):
    experiences: int
    live: int  # these answer
    faded: int  # the next pruning archives these
    archived: int
    uses: int
    success: float | None  # the mean of those that answer
    types: Mapping[str, int]  # of those that answer
