"""The fading of unused experiences, by the settings of a home."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from memoro.model import experiences as rules
from memoro.model.experiences import Experience
from memoro.model.memories import stamp

_FIRST = datetime(1, 1, 2, tzinfo=UTC)
_MOST_DAYS = 700_000  # the calendar has no more


class Fading(NamedTuple):
    half_life_days: float = 30
    prune_below: float = 0.05

    def weight(self, experience: Experience, now: datetime) -> float:
        return rules.weight(experience, now, self.half_life_days)

    def worth(self, experience: Experience, now: datetime) -> float:
        return rules.worth(experience, now, self.half_life_days)

    def answers(self, experience: Experience, now: datetime) -> bool:
        """False once it is archived, or has faded below the limit."""
        return rules.answers(experience, now, self.half_life_days, self.prune_below)

    def evidence(self, experience: Experience, now: datetime) -> tuple[bool, float, str, int]:
        return rules.evidence(experience, now, self.half_life_days)

    def used(self, experience: Experience, success: float | None, now: datetime) -> Experience:
        return rules.used(experience, success, now, self.half_life_days)

    def fades_since(self, now: datetime) -> str | None:
        """An experience that was not used since this moment has faded; None where none ever fades."""
        if not self.prune_below:
            return None
        days = min(self.half_life_days * math.log2(1 / self.prune_below), _MOST_DAYS)
        return stamp(max(now - timedelta(days=days), _FIRST))
