"""Importing memories of other stores: nothing twice, no secrets, and trusted no more than an agent's inference."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from memoro.errors import Refused
from memoro.ledger.access import LedgerAccess
from memoro.ledger.exchange.candidates import ImportCandidate
from memoro.ledger.exchange.lowering import MOST_TRUSTED, least
from memoro.ledger.exchange.records import ImportProblem
from memoro.ledger.exchange.report import Tally, slices
from memoro.ledger.exchange.target import ImportTarget
from memoro.model.memories import MAX_NAME, SOURCES, Memory, stamp


class _Wanted(NamedTuple):
    place: str
    memory: Memory
    about: str | None
    redacted: int


def add(
    access: LedgerAccess,
    found: Iterable[ImportCandidate | ImportProblem],
    format: str,
    tally: Tally,
    *,
    dry_run: bool,
) -> None:
    indexes = ImportTarget(access, dry_run=dry_run)
    for taken in slices(found):
        wanted = [one for one in (_wanted(access, item, format, tally) for item in taken) if one]
        with indexes.opened():
            for one in wanted:
                _settle(indexes, one, tally)


def _wanted(access: LedgerAccess, item: ImportCandidate | ImportProblem, format: str, tally: Tally) -> _Wanted | None:
    """Make the memory, before the transaction that keeps it."""
    if isinstance(item, ImportProblem):
        tally.problems.append(item)
        return None
    tally.read += 1
    try:
        content = access.content(item.content)
        about = _short(access, item.about)
        memory = Memory(
            id=0,
            content=content.text,
            source=_short(access, item.source) or "migration",
            trust=least(item.trust or MOST_TRUSTED, SOURCES.get(item.source, "tool_or_web"), MOST_TRUSTED),
            created_at=_created(item.created_at, access.now()),
            tags=access.tags([_short(access, tag) or "" for tag in item.tags]),
            origin=_origin(access, item, format, content.text, about),
        )
    except Refused as error:
        tally.refuse(item.place, str(error))
        return None
    return _Wanted(place=item.place, memory=memory, about=about, redacted=len(content.redacted))


def _short(access: LedgerAccess, text: str | None) -> str | None:
    """A name, cut to what a name may have."""
    return " ".join(access.clean_replacing(text).text.split())[:MAX_NAME].strip() or None if text else None


def _created(at: str | None, now: datetime) -> str:
    """Never in the future: until then nobody would see it."""
    return min(at or stamp(now), stamp(now))


def _origin(access: LedgerAccess, item: ImportCandidate, format: str, content: str, about: str | None) -> str:
    """Its name in the store it comes from; without one, a hash of its content."""
    if item.origin and (name := _short(access, item.origin)) and len(name) < MAX_NAME:
        return name
    told = "\x00".join(((item.origin and access.clean_replacing(item.origin).text) or "", about or "", content))
    return f"{format}:{hashlib.sha256(told.encode()).hexdigest()[:16]}"


def _settle(indexes: ImportTarget, wanted: _Wanted, tally: Tally) -> None:
    memory = wanted.memory
    same = indexes.same(memory.content)
    try:
        if same and all(_is_of_another(one, wanted.about) for one in same):
            memory = memory._replace(content=indexes.access.content(f"{wanted.about}: {memory.content}").text)
            same = indexes.same(memory.content)
        if memory.origin in indexes.origins or same:
            tally.known += 1
            return
        indexes.refuse_forgotten(memory.content)
    except Refused as error:
        tally.refuse(wanted.place, str(error))
        return
    indexes.add(memory)
    tally.new += 1
    tally.redacted += wanted.redacted


def _is_of_another(same: Memory, about: str | None) -> bool:
    """True if the same words were imported about something else."""
    return about is not None and same.origin is not None and about not in same.tags
