"""Experiences: a task and its solution, how well it went, and how the value of an unused one fades."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal, NamedTuple

from memoro.model.memories import days_between, stamp
from memoro.model.vocabulary import TRUSTS, ExperienceOutcome, ExperienceType, Trust

PREFERENCE: Literal["user_preference"] = "user_preference"
CONFIRMED: Literal["user_confirmed"] = "user_confirmed"
FIRST_CONFIDENCE = 0.4  # of a preference that was shown once
# An experience with at least this success worked, and one below the other failed. Between them it worked in part.
WORKED_FROM, FAILED_BELOW = 0.7, 0.5
_CLOSER = 0.2  # each repetition moves the confidence by this share of the way to 1
# The lowest worth: a search computes with its logarithm.
_LEAST_WORTH = 0.05
# So many fade at once only after a clock jump or months of absence; a person must confirm the pruning.
BRAKE, BRAKE_COUNT = 0.2, 20


class Experience(NamedTuple):
    """An intent and a solution to it. Times are UTC, as 2026-03-05T14:02:11.123Z."""

    id: int
    type: ExperienceType
    intent: str  # of a preference: its subject
    solution_json: str  # equal solutions have equal text; of a preference: the preferred value
    success: float  # 0–1: the mean of the outcomes; of a preference: the confidence
    source: str
    trust: Trust
    created_at: str
    tags: tuple[str, ...] = ()
    uses: int = 0  # since it was recorded
    outcomes: int = 1  # how many outcomes were reported
    used_at: str | None = None
    archived_at: str | None = None
    agent: str | None = None
    project: str | None = None
    session: str | None = None

    @property
    def solution(self) -> Any:
        return json.loads(self.solution_json)


def canonical(solution: object) -> str:
    """Return the text of a solution, the same for any order of keys; raise ValueError if it is no JSON."""
    try:
        return json.dumps(solution, ensure_ascii=False, sort_keys=True, allow_nan=False, separators=(",", ":"))
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from error


def normalised(intent: str) -> str:
    """Return the same text for intents that differ only in case, spaces or final punctuation."""
    plain = " ".join(intent.casefold().split())
    return plain.rstrip(" .!?…") or plain


def identity(experience: Experience) -> str:
    """Return the identity of an experience: intent and solution, without place and author."""
    kind = "preference" if experience.type == PREFERENCE else "experience"
    return "\x00".join((kind, normalised(experience.intent), experience.solution_json))


def passage(experience: Experience) -> str:
    """Return the text that a search finds: the intent; of a preference also its value, which may be a word."""
    if experience.type != PREFERENCE:
        return experience.intent
    value = experience.solution
    return f"{experience.intent}: {value if isinstance(value, str) else experience.solution_json}"


def outcome_of(experience: Experience) -> ExperienceOutcome | None:
    """Return how an experience went; None for a preference, which is neither a success nor a failure."""
    if experience.type == PREFERENCE:
        return None
    if experience.success < FAILED_BELOW:
        return "failed"
    return "worked" if experience.success >= WORKED_FROM else "partly"


def caution(experience: Experience) -> str:
    """Return the words that must stand before an experience wherever it is shown; none for one that worked.

    Without them a reader would take what failed for the way to do it.
    """
    match outcome_of(experience):
        case "failed":
            return f"This failed (success {experience.success:.2f}), so do not repeat it as it is:"
        case "partly":
            return f"This worked only in part (success {experience.success:.2f}):"
        case None:
            return f"{preference_said(experience)}:"
        case _:
            return ""


def is_confirmed(experience: Experience) -> bool:
    """Return whether this is a preference that a person confirmed."""
    return experience.type == PREFERENCE and experience.trust == CONFIRMED


def preference_said(experience: Experience) -> str:
    """Say how sure a preference is: what a person confirmed is sure, however often others report another."""
    if is_confirmed(experience):
        return "A preference that the user confirmed"
    return f"A preference with confidence {experience.success:.2f}, not confirmed by the user"


def weight(experience: Experience, now: datetime, half_life_days: float) -> float:
    """Return the remaining weight, 0 to 1: it halves with each half-life without use."""
    unused = days_between(experience.used_at or experience.created_at, now)
    return float(0.5 ** (unused / half_life_days))


def worth(experience: Experience, now: datetime, half_life_days: float) -> float:
    """Return the worth of an experience among others that match as well; what is confirmed is worth the most."""
    sure = is_confirmed(experience)
    return max(_LEAST_WORTH, 1.0 if sure else weight(experience, now, half_life_days) * experience.success)


def used(experience: Experience, success: float | None, now: datetime, half_life_days: float) -> Experience:
    """Return the experience after one more use. An outcome moves the mean; old outcomes count less in it.

    A preference moves a fifth of the way to the outcome, so it never becomes certain or impossible.
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


def first_success(type: ExperienceType, success: float | None) -> float:
    """Return the success of a new experience. One report of a preference is never more than the first confidence."""
    told = 1.0 if success is None else success
    return min(FIRST_CONFIDENCE, told) if type == PREFERENCE else told


def reported_by(experience: Experience, success: float, trust: Trust) -> float | None:
    """Return the outcome that counts for an experience when somebody of this trust reports it; None: none.

    A person's confirmed preference is not talked down by anybody who is trusted less.
    """
    lowers = success < experience.success and TRUSTS.index(trust) < TRUSTS.index(experience.trust)
    return None if is_confirmed(experience) and lowers else success


def evidence(experience: Experience, now: datetime, half_life_days: float) -> tuple[bool, float, str, int]:
    """Return the rank of a preference among the values of its category; the highest is the preference.

    A value that a person has confirmed outranks every other: agents only add evidence among their own.
    """
    strength = round(experience.success * weight(experience, now, half_life_days), 6)
    shown = experience.used_at or experience.created_at
    return experience.trust == CONFIRMED, strength, shown, experience.id


def with_tags(experience: Experience, tags: Iterable[str], trust: Trust) -> Experience:
    """Return the experience with these tags added, if their author is trusted as much as the experience."""
    if TRUSTS.index(trust) < TRUSTS.index(experience.trust):
        return experience
    return experience._replace(tags=tuple(dict.fromkeys((*experience.tags, *tags))))


def answers(experience: Experience, now: datetime, half_life_days: float, below: float) -> bool:
    """Return whether the experience may still be offered: neither archived nor faded."""
    return experience.archived_at is None and weight(experience, now, half_life_days) >= below


class Expiry(NamedTuple):
    """The experiences that pruning would archive or bring back."""

    live: int  # not archived so far
    archive: tuple[int, ...]
    bring_back: tuple[int, ...]  # archived at a time in the future, by a clock that ran ahead
    braked: bool  # so many at once that a person must confirm it


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
    return Expiry(live=live, archive=tuple(faded), bring_back=tuple(early), braked=braked)
