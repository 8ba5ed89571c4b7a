"""The keyword arguments of the operations on memories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from memoro.ledger.access import Tags
from memoro.model.vocabulary import LedgerMode, Reach, Trust, Visibility


class StoreOptions(TypedDict, total=False):
    source: str  # "agent" by default
    trust: Trust | None  # that of the source by default, and never above that of the parents
    session: str | None
    task: str | None
    narrative: int | None
    agent: str | None
    project: str | None
    valid_from: str | None
    valid_to: str | None
    parents: Sequence[int]  # the memories it was made from
    supersedes: Sequence[int | str]  # the memories that it replaces, and inherits from
    inherits: Sequence[int | str]  # memories whose project, agent, tags and privacy it takes where it names none
    origin: str | None  # its name in the store it comes from
    created_at: str | None  # for what was known before it came here
    key: str | None
    visibility: Visibility | None  # who sees it in a shared ledger; None: as `ledger.visibility` says


class QueryOptions(TypedDict, total=False):
    mode: LedgerMode | None  # "hybrid" by default, unless the settings have no vectors or search by words
    session: str | None  # limits the answer to what the session may see, and records the answer
    as_of: str | None  # what was known and held true at that time
    tags: Tags
    agent: str | None
    project: str | None
    links: bool  # adds memories that are linked with those found
    archived: bool  # looks in the archive too
    scope: Reach  # "all" also sees other projects and agents than the home was opened for


class UpdateOptions(TypedDict, total=False):
    valid_from: str | None
    valid_to: str | None
    session: str | None
    source: str  # "agent" by default
    key: str | None
    was: str | None  # what it must say now, as a proposal has it; ProposalOutdated where it does not
    expected: str | None  # the SHA-256 of the text that was read; MemoryOutdated where it is another one now


class SupersedeOptions(TypedDict, total=False):
    session: str | None
    source: str  # "agent" by default
    key: str | None
    was: str | None  # what the older one must say now, as a proposal has it; ProposalOutdated where it does not


class ForgetOptions(TypedDict, total=False):
    query: str | None
    limit: int  # of the results of the query; 5 by default
    source: str | None
    session: str | None
    since: str | None
    until: str | None
    yes: bool  # forgetting cannot be undone, and is refused without it
    dry_run: bool
    only: bool  # leave the narratives and lines of notes that were made from them


class NarrateOptions(TypedDict, total=False):
    visibility: Visibility | None  # as for a memory; one that rests on a private memory is private
    session: str | None
    project: str | None
    source: str  # "agent" by default
    key: str | None
