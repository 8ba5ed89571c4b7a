"""Memories: single facts that use makes stronger or weaker, and the rules that decide what they are worth."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from memoro.model.vocabulary import TRUSTS, Trust

TRUST = TRUSTS
UNTRUSTED = TRUSTS[:2]
# Who a memory may come from, and how far it is believed when nobody says. Any other name is taken for a
# tool or a page on the web.
SOURCES: dict[str, Trust] = {
    "agent": "agent_inferred",
    "conversation": "agent_inferred",
    "extraction": "agent_inferred",
    "migration": "agent_inferred",
    "narrative": "agent_inferred",
    "user": "user_said",
}
MAX_BYTES = 16 * 1024  # a memory is one fact; what is longer is a note
MAX_NAME = 200  # characters of a tag, a source, a session

_PER_POINT = 0.2
_BOUND = 10  # feedback beyond this changes nothing: no memory drowns the others
_UNTRUSTED_AT_MOST = 2.0
_PER_DAY = 0.01
_LINK_HALF_LIFE_DAYS = 90
_FIT_MIDDLE = 0.5  # the fit that is worth a score of one half


class Memory(NamedTuple):
    """One fact, decision or piece of context. Times are UTC, as 2026-03-05T14:02:11.123Z."""

    id: int
    content: str
    source: str
    trust: Trust
    created_at: str
    tags: tuple[str, ...] = ()
    feedback: int = 0  # what use has made of it: exact and unbounded; `usefulness` bounds what it may do
    hit_at: str | None = None  # last reinforced or updated
    agent: str | None = None
    project: str | None = None
    session: str | None = None
    task: str | None = None
    narrative: int | None = None  # what was being done when it was stored
    valid_from: str | None = None
    valid_to: str | None = None
    superseded_by: int | None = None
    superseded_at: str | None = None
    parents: tuple[int, ...] = ()  # the memories that it was made from
    origin: str | None = None  # what it was called in the store that it was imported from


class Narrative(NamedTuple):
    """One sentence on what is going on, with the memories it rests on. Each goes on from the one before."""

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
    strength: float  # as it was at `at`; `faded` tells what is left of it
    at: str

    def other(self, memory: int) -> int:
        return self.high if memory == self.low else self.low


def stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(stamp: str) -> datetime:
    """The moment that a stamp names. One without a zone is UTC: read as local time it would be off by hours."""
    read = datetime.fromisoformat(stamp)
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def days_between(earlier: str, later: datetime) -> float:
    """Never negative: a clock may have been set back since."""
    return max(0.0, (later - moment(earlier)).total_seconds() / 86400)


def usefulness(feedback: int, trust: Trust) -> float:
    """How much more or less a memory counts for what use has shown: 0.14 to 7.4, or to 2 where it is not trusted."""
    factor = math.exp(_PER_POINT * max(-_BOUND, min(_BOUND, feedback)))
    return min(factor, _UNTRUSTED_AT_MOST) if trust in UNTRUSTED else factor


def recency(memory: Memory, now: datetime) -> float:
    return 1 / (1 + _PER_DAY * days_between(memory.hit_at or memory.created_at, now))


def strength(memory: Memory, now: datetime) -> float:
    """What a memory is worth whatever is asked: by this it is ranked, and by this it is kept or archived."""
    return usefulness(memory.feedback, memory.trust) * recency(memory, now)


def score(fit: float, worth: float) -> float:
    """From 0 to 1, and in the order of fit × worth. `fit` is how well the words match, 0–1."""
    product = fit * worth
    return product / (product + _FIT_MIDDLE)


def trust_of(source: str, wanted: Trust | None, parents: Iterable[Memory]) -> Trust:
    """How far a new memory is believed: as asked or as its source is, and never above what it was made from."""
    own = wanted or SOURCES.get(source, "tool_or_web")
    return min([own, *(parent.trust for parent in parents)], key=TRUSTS.index)


def is_current(memory: Memory, now: datetime) -> bool:
    """Whether it belongs to the present view: not superseded, and valid.

    Whatever its times of storing and superseding say: a clock may have been set back since.
    """
    return memory.superseded_by is None and _is_valid(memory, stamp(now))


def was_current(memory: Memory, at: datetime) -> bool:
    """Whether it belonged to the view of that moment: stored by then, not superseded yet, and valid."""
    when = stamp(at)
    return (
        memory.created_at <= when
        and (memory.superseded_at is None or memory.superseded_at > when)
        and _is_valid(memory, when)
    )


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
    size: int  # bytes of its content and what hangs on it
    strength: float


class PrunePlan(NamedTuple):
    """What pruning would move to the archive, and whether the rest then fits."""

    size: int
    limit: int
    archive: tuple[int, ...]
    fits: bool


def plan_pruning(memories: Sequence[Weighed], *, size: int, limit: int, percent: float, brake: float) -> PrunePlan:
    """Take the weakest, a few at a time, until the rest fits; at most the share `brake` of all in one run.

    By size alone: a ledger that fits loses nothing, however weak its memories are.
    """
    if size <= limit or not memories:
        return PrunePlan(size, limit, (), size <= limit)
    weakest = sorted(memories, key=lambda one: (one.strength, one.id))
    step = max(1, math.floor(len(weakest) * percent / 100))
    most = max(1, math.floor(len(weakest) * brake))
    per_byte = size / max(1, sum(one.size for one in memories))  # word index and vectors shrink with the text
    taken: list[int] = []
    left = float(size)
    while left > limit and len(taken) < most:
        batch = weakest[len(taken) : min(len(taken) + step, most)]
        taken += [one.id for one in batch]
        left -= sum(one.size for one in batch) * per_byte
    return PrunePlan(size, limit, tuple(taken), left <= limit)
