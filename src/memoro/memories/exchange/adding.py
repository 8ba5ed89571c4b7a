"""Taking over what other stores hold: nothing twice, no secrets, and believed no more than an agent's own guess."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from memoro.errors import MemoryRefused
from memoro.memories.book import Book
from memoro.memories.exchange.candidates import Candidate
from memoro.memories.exchange.records import Problem
from memoro.memories.exchange.report import Tally, slices
from memoro.memories.exchange.shelf import Shelf
from memoro.model.memories import MAX_NAME, SOURCES, TRUST, Memory, stamp

# What a file says about its own trust is only what somebody has written into a file: it can lower it, not raise it.
# A person can still do that, memory by memory.
MOST_TRUSTED = "agent_inferred"


def least(*levels: str) -> str:
    return min(levels, key=TRUST.index)


class _Wanted(NamedTuple):
    place: str
    memory: Memory
    about: str | None
    redacted: int


def add(book: Book, found: Iterable[Candidate | Problem], format: str, tally: Tally, *, dry_run: bool) -> None:
    shelf = Shelf(book, dry_run=dry_run)
    for taken in slices(found):
        wanted = [one for one in (_wanted(book, item, format, tally) for item in taken) if one]
        with shelf.opened():
            for one in wanted:
                _settle(shelf, one, tally)


def _wanted(book: Book, item: Candidate | Problem, format: str, tally: Tally) -> _Wanted | None:
    """The memory as it would be kept, made before the transaction that keeps it."""
    if isinstance(item, Problem):
        tally.problems.append(item)
        return None
    tally.read += 1
    try:
        content = book.content(item.content)
        about = _short(book, item.about)
        memory = Memory(
            id=0,
            content=content.text,
            source=_short(book, item.source) or "migration",
            trust=least(item.trust or MOST_TRUSTED, SOURCES.get(item.source, "tool_or_web"), MOST_TRUSTED),
            created_at=_created(item.created_at, book.now()),
            tags=book.tags([_short(book, tag) or "" for tag in item.tags]),
            origin=_origin(book, item, format, content.text, about),
        )
    except MemoryRefused as error:
        tally.refuse(item.place, str(error))
        return None
    return _Wanted(item.place, memory, about, len(content.redacted))


def _short(book: Book, text: str | None) -> str | None:
    """A name, cut to what a name may have."""
    return " ".join(book.clean(text).text.split())[:MAX_NAME].strip() or None if text else None


def _created(at: str | None, now: datetime) -> str:
    """Never in the future: until then nobody would see it."""
    return min(at or stamp(now), stamp(now))


def _origin(book: Book, item: Candidate, format: str, content: str, about: str | None) -> str:
    """What it is called where it comes from; without a name, a hash of what it says there, without secrets."""
    if item.origin and (name := _short(book, item.origin)) and len(name) < MAX_NAME:
        return name
    told = "\x00".join(((item.origin and book.clean(item.origin).text) or "", about or "", content))
    return f"{format}:{hashlib.sha256(told.encode()).hexdigest()[:16]}"


def _settle(shelf: Shelf, wanted: _Wanted, tally: Tally) -> None:
    memory = wanted.memory
    if memory.origin in shelf.origins:
        tally.known += 1
        return
    if same := shelf.same(memory.content):
        if not all(_is_of_another(one, wanted.about) for one in same):
            tally.known += 1
            return
        memory = memory._replace(content=f"{wanted.about}: {memory.content}")
        if shelf.same(memory.content):
            tally.known += 1
            return
    if at := shelf.forgotten_at(memory.content):
        tally.refuse(wanted.place, f"Exactly this was forgotten on {at[:10]}, and is kept from coming back.")
        return
    shelf.add(memory)
    tally.new += 1
    tally.redacted += wanted.redacted


def _is_of_another(same: Memory, about: str | None) -> bool:
    """Whether the same words were imported about something else."""
    return about is not None and same.origin is not None and about not in same.tags
