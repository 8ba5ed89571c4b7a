"""The keyword arguments of the operations on experiences."""

from __future__ import annotations

from typing import TypedDict

from memoro.ledger.access import Tags
from memoro.model.scope import Scope
from memoro.model.vocabulary import ExperienceType, LedgerMode, Reach, Visibility


class PreferOptions(TypedDict, total=False):
    tags: Tags
    source: str  # "agent" by default
    session: str | None
    agent: str | None
    project: str | None
    key: str | None
    visibility: Visibility | None  # who sees it in a shared ledger; None: as `ledger.visibility` says


class RecordOptions(PreferOptions, total=False):
    success: float  # how well it went, 0–1; 1 by default


class FindOptions(TypedDict, total=False):
    type: ExperienceType | None
    mode: LedgerMode  # "hybrid" by default
    agent: str | None
    project: str | None
    archived: bool  # also finds archived and faded ones, by words
    scope: Reach  # "all" also sees other projects and agents than the home was opened for
    bound: Scope  # what is seen, where a session is bound by something else than the home
