"""Memories: single facts that use makes stronger or weaker, and the rules that weigh them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from memoro.model.vocabulary import TRUSTS, Trust

UNTRUSTED = TRUSTS[:2]
CONFIRMED: Trust = TRUSTS[-1]
EXTRACTION = "extraction"  # the source of what was taken out of conversations
# The known sources of a memory and their default trust. Any other source counts as a tool or a web page.
SOURCES: dict[str, Trust] = {
    "agent": "agent_inferred",
    "conversation": "agent_inferred",
    EXTRACTION: "agent_inferred",
    "migration": "agent_inferred",
    "narrative": "agent_inferred",
    "user": "user_said",
}
ENTRY = "entry:"  # begins the origin of a memory that points to an entry of an always-loaded file
MAX_BYTES = 16 * 1024  # a memory is one fact; a longer text is a note
MAX_NAME = 200  # characters of a tag, a source, a session

_PER_POINT = 0.2
MOST_FEEDBACK = 10  # more feedback changes nothing, so that no memory drowns the others
_UNTRUSTED_AT_MOST = 2.0
PER_DAY = 0.01  # by which recency falls
_LINK_HALF_LIFE_DAYS = 90
_FIT_MIDDLE = 0.5  # the fit that scores one half


class Memory(NamedTuple):
    """One fact, decision or piece of context. Times are UTC, as 2026-03-05T14:02:11.123Z."""

    id: int
    content: str
    source: str
    trust: Trust
    created_at: str
    tags: tuple[str, ...] = ()
    feedback: int = 0  # the sum of all feedback, exact and unbounded; `usefulness` bounds its effect
    hit_at: str | None = None  # last reinforced or updated
    agent: str | None = None
    project: str | None = None
    session: str | None = None
    task: str | None = None
    narrative: int | None = None  # the narrative at the time it was stored
    valid_from: str | None = None
    valid_to: str | None = None
    superseded_by: int | None = None
    superseded_at: str | None = None
    parents: tuple[int, ...] = ()  # the memories it was derived from
    origin: str | None = None  # its name in the store that it was imported from


class Narrative(NamedTuple):
    """One sentence on what is going on, with the memories it rests on. Narratives form a chain."""

    id: int
    summary: str
    created_at: str
    source: str
    memories: tuple[int, ...] = ()
    previous: int | None = None
    next: int | None = None
    session: str | None = None
    agent: str | None = None
    project: str | None = None


class Link(NamedTuple):
    """Two memories that were recalled together and both found useful."""

    low: int
    high: int
    strength: float  # the strength at the time `at`; `faded` returns the strength now
    at: str

    def other(self, memory: int) -> int:
        return self.high if memory == self.low else self.low


def stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(stamp: str) -> datetime:
    """Parse a stamp. One without a time zone is UTC: read as local time it would be off by hours."""
    read = datetime.fromisoformat(stamp)
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def days_between(earlier: str, later: datetime) -> float:
    """Return the days between two moments, never negative: a clock may have been set back."""
    return max(0.0, (later - moment(earlier)).total_seconds() / 86400)


def usefulness(feedback: int, trust: Trust) -> float:
    """Return the factor of feedback: 0.14 to 7.4, and at most 2 for an untrusted memory."""
    factor = math.exp(_PER_POINT * max(-MOST_FEEDBACK, min(MOST_FEEDBACK, feedback)))
    return min(factor, _UNTRUSTED_AT_MOST) if trust in UNTRUSTED else factor


def recency(memory: Memory, now: datetime) -> float:
    return 1 / (1 + PER_DAY * days_between(memory.hit_at or memory.created_at, now))


def strength(memory: Memory, now: datetime) -> float:
    """Return the worth of a memory regardless of the query. Ranking, keeping and archiving use it."""
    return usefulness(memory.feedback, memory.trust) * recency(memory, now)


def score(fit: float, worth: float) -> float:
    """Return a score from 0 to 1 that orders by fit × worth. `fit` says how well the words match, 0–1."""
    product = fit * worth
    return product / (product + _FIT_MIDDLE)


def trust_of(source: str, wanted: Trust | None, parents: Iterable[Memory]) -> Trust:
    """Return the trust of a new memory: as wanted, else as its source, and never above that of its parents."""
    own = wanted or SOURCES.get(source, "tool_or_web")
    return min([own, *(parent.trust for parent in parents)], key=TRUSTS.index)


def may_supersede(new: Trust, old: Trust) -> bool:
    """Return whether a memory of one trust may take the place of another without a person's word."""
    return TRUSTS.index(new) >= TRUSTS.index(old)


def holds_since(memory: Memory) -> str:
    """Return from when a memory holds: from its `valid_from`, else from when it was stored."""
    return memory.valid_from or memory.created_at


def held_until(memory: Memory) -> str | None:
    """Return from when a memory no longer holds: from its `valid_to`, or from when it was superseded before that."""
    return min((at for at in (memory.valid_to, memory.superseded_at) if at), default=None)


def dated(memory: Memory) -> str:
    """Return when its present text was said: when it was stored, or when an update changed it."""
    return max(memory.created_at, memory.valid_from or "")


def superseded(old: Memory, new: Memory, now: datetime) -> Memory:
    """Return the old memory as the new one leaves it: it held until the new one began to hold.

    An end that it has already stays. A new one that holds from an earlier day than the old ends it now.
    """
    at = stamp(now)
    begins = new.valid_from if new.valid_from and holds_since(old) < new.valid_from < at else at
    return old._replace(superseded_by=new.id, superseded_at=at, valid_to=old.valid_to or begins)


def entry_of_memory(memory: Memory) -> str | None:
    """Return the id of the entry of an always-loaded file that a memory points to; None where it points to none."""
    origin = memory.origin or ""
    return origin.removeprefix(ENTRY) if origin.startswith(ENTRY) else None


def is_current(memory: Memory, now: datetime) -> bool:
    """Return whether a memory is part of the present view: not superseded, and valid.

    The times of storing, updating and superseding do not matter: a clock may have been set back since.
    """
    return holds_at(memory, stamp(now))


def holds_at(memory: Memory, now: str) -> bool:
    """As `is_current`, by a stamp. A memory that held when it was last touched has begun, whatever the clock says."""
    begins, touched = memory.valid_from or "", memory.hit_at or memory.created_at
    return memory.superseded_by is None and begins <= max(now, touched) and now < (memory.valid_to or "~")


def was_current(memory: Memory, at: datetime) -> bool:
    """Return whether a memory was part of the view of that moment: stored, not yet superseded, and valid."""
    when = stamp(at)
    return (
        memory.created_at <= when
        and (memory.superseded_at is None or memory.superseded_at > when)
        and _is_valid(memory, when)
    )


def held_between(memory: Memory, first: str, last: str) -> bool:
    """Return whether a memory held at some time between two moments, whenever it was stored."""
    return holds_since(memory) < last and (held_until(memory) or "~") > first


def _is_valid(memory: Memory, when: str) -> bool:
    return (memory.valid_from is None or memory.valid_from <= when) and (
        memory.valid_to is None or memory.valid_to > when
    )


def faded(link: Link, now: datetime) -> float:
    return float(link.strength * 0.5 ** (days_between(link.at, now) / _LINK_HALF_LIFE_DAYS))


def grown(link: Link, now: datetime) -> Link:
    return link._replace(strength=faded(link, now) + 1, at=stamp(now))


class Weighed(NamedTuple):
    """A memory as pruning sees it."""

    id: int
    size: int  # bytes of its content and of all that belongs to it
    strength: float


class PrunePlan(NamedTuple):
    """The memories that pruning would archive, and whether the rest then fits."""

    size: int
    limit: int
    archive: tuple[int, ...]
    fits: bool


def plan_pruning(memories: Sequence[Weighed], *, size: int, limit: int, percent: float, brake: float) -> PrunePlan:
    """Plan to archive the weakest, a few at a time, until the rest fits; at most the share `brake` in one run.

    Only size matters: a ledger that fits loses nothing, however weak its memories are.
    """
    if size <= limit or not memories:
        return PrunePlan(size=size, limit=limit, archive=(), fits=size <= limit)
    weakest = sorted(memories, key=lambda one: (one.strength, one.id))
    step = max(1, math.floor(len(weakest) * percent / 100))
    most = max(1, math.floor(len(weakest) * brake))
    per_byte = size / max(1, sum(one.size for one in memories))  # the word index and the vectors shrink with the text
    taken: list[int] = []
    left = float(size)
    while left > limit and len(taken) < most:
        batch = weakest[len(taken) : min(len(taken) + step, most)]
        taken += [one.id for one in batch]
        left -= sum(one.size for one in batch) * per_byte
    return PrunePlan(size=size, limit=limit, archive=tuple(taken), fits=left <= limit)
