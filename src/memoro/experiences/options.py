"""The keyword arguments of the operations on experiences."""

from __future__ import annotations

from typing import TypedDict

from memoro.ledger.access import Tags
from memoro.model.vocabulary import ExperienceType, LedgerMode


class PreferOptions(TypedDict, total=False):
    tags: Tags
    source: str  # "agent" by default
    session: str | None
    agent: str | None
    project: str | None
    key: str | None


class RecordOptions(PreferOptions, total=False):
    success: float  # how well it went, 0–1; 1 by default


class FindOptions(TypedDict, total=False):
    type: ExperienceType | None
    mode: LedgerMode  # "hybrid" by default
    agent: str | None
    project: str | None
    archived: bool  # also finds archived and faded ones, by words
