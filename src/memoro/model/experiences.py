"""Experiences: what was to be done and what was done about it, how well that went, and how the rest fades."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal, NamedTuple

from memoro.model.memories import days_between, stamp
from memoro.model.vocabulary import EXPERIENCE_TYPES, TRUSTS, ExperienceType, Trust

PREFERENCE: Literal["user_preference"] = "user_preference"
TYPES = EXPERIENCE_TYPES
FIRST_CONFIDENCE = 0.4  # in a preference that was shown once
_CLOSER = 0.2  # the share of the way to certainty that each time it is shown again goes
# What no outcome lowers the standing below: a search computes with its logarithm.
_LEAST_WORTH = 0.05
# As many fade at once only where a clock has jumped, or nobody has been here for months: a person must say which.
BRAKE, BRAKE_COUNT = 0.2, 20


class Experience(NamedTuple):
    """An intent and a solution to it. Times are UTC, as 2026-03-05T14:02:11.123Z."""

    id: int
    type: ExperienceType
    intent: str  # of a preference, what it is about
    solution_json: str  # the same text for the same solution; of a preference, what is preferred
    success: float  # 0–1: how well it went, as a mean; of a preference, how sure it is
    source: str
    trust: Trust
    created_at: str
    tags: tuple[str, ...] = ()
    uses: int = 0  # after it was recorded
    outcomes: int = 1  # how often somebody said how well it went
    used_at: str | None = None
    archived_at: str | None = None
    agent: str | None = None
    project: str | None = None
    session: str | None = None

    @property
    def solution(self) -> Any:
        return json.loads(self.solution_json)


def canonical(solution: object) -> str:
    """The text of a solution, the same however its keys are ordered; ValueError where it is no JSON."""
    try:
        return json.dumps(solution, ensure_ascii=False, sort_keys=True, allow_nan=False, separators=(",", ":"))
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from error


def normalised(intent: str) -> str:
    """The same for intents that differ only in case, spaces, or the mark at their end."""
    plain = " ".join(intent.casefold().split())
    return plain.rstrip(" .!?…") or plain


def identity(experience: Experience) -> str:
    """Two experiences of which this is the same are one. Where and by whom they were made is not part of it."""
    kind = "preference" if experience.type == PREFERENCE else "experience"
    return "\x00".join((kind, normalised(experience.intent), experience.solution_json))


def passage(experience: Experience) -> str:
    """What a search finds: the intent; of a preference, what is preferred too, for that may be a word."""
    if experience.type != PREFERENCE:
        return experience.intent
    value = experience.solution
    return f"{experience.intent}: {value if isinstance(value, str) else experience.solution_json}"


def weight(experience: Experience, now: datetime, half_life_days: float) -> float:
    """How much is left of it: half after each half-life without use. From 0 to 1, whatever the clock says."""
    unused = days_between(experience.used_at or experience.created_at, now)
    return float(0.5 ** (unused / half_life_days))


def worth(experience: Experience, now: datetime, half_life_days: float) -> float:
    """What it counts among others that answer as well."""
    return max(_LEAST_WORTH, weight(experience, now, half_life_days) * experience.success)


def used(experience: Experience, success: float | None, now: datetime, half_life_days: float) -> Experience:
    """After one more use. With an outcome, the mean moves: what was seen long ago counts less in it.

    A preference moves a fifth of the way to what was seen, so that it is never certain, nor ruled out.
    """
    after = experience._replace(uses=experience.uses + 1, used_at=stamp(now), archived_at=None)
    if success is None:
        return after
    old = experience.success
    if experience.type == PREFERENCE:
        mean = old + _CLOSER * (success - old)
    else:
        seen = weight(experience, now, half_life_days) * experience.outcomes
        mean = (old * seen + success) / (seen + 1)
    return after._replace(success=min(1.0, max(0.0, mean)), outcomes=experience.outcomes + 1)


def with_tags(experience: Experience, tags: Iterable[str], trust: Trust) -> Experience:
    """With these tags too, if they come from somebody who is believed as far as the experience itself."""
    if TRUSTS.index(trust) < TRUSTS.index(experience.trust):
        return experience
    return experience._replace(tags=tuple(dict.fromkeys((*experience.tags, *tags))))


def answers(experience: Experience, now: datetime, half_life_days: float, below: float) -> bool:
    """Whether it is still offered: neither archived nor faded, though nobody may have archived it yet."""
    return experience.archived_at is None and weight(experience, now, half_life_days) >= below


class Expiry(NamedTuple):
    """What pruning would do."""

    live: int  # not archived before
    archive: tuple[int, ...]
    bring_back: tuple[int, ...]  # archived at a time that has not come: by a clock that ran ahead
    braked: bool  # so many at once that a person must say that it is right


def plan_expiry(experiences: Iterable[Experience], *, below: float, half_life_days: float, now: datetime) -> Expiry:
    live, faded, early = 0, [], []
    for one in experiences:
        if one.archived_at is None:
            live += 1
            if weight(one, now, half_life_days) < below:
                faded.append(one.id)
        elif one.archived_at > stamp(now) and weight(one, now, half_life_days) >= below:
            early.append(one.id)
    braked = len(faded) > max(BRAKE_COUNT, math.floor(live * BRAKE))
    return Expiry(live, tuple(faded), tuple(early), braked)
