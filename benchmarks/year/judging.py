"""What the results of a question are worth."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Literal, NamedTuple

from benchmarks.year.methods import AnswerText
from benchmarks.year.probes import Probe, Year
from benchmarks.year.ways import Origin

Judged = Literal["right", "stale", "marked", "untrusted", "question", "attribute", "subject", "nothing", "deleted"]


class Verdict(NamedTuple):
    """`current`: how many of the results state only what still holds; `wrongly_marked`: those shown as outdated."""

    way: str
    method: str
    probe: Probe
    judged: Judged
    first: str  # the text of the first result
    current: int = 0
    wrongly_marked: int = 0


def judge(found: Sequence[AnswerText], probe: Probe, year: Year) -> Judged:
    """Judge the first result; of a deleted fact, whether any result shows it."""
    if probe.kind == "deleted":
        return "deleted" if any(_states(one, probe.fact) for one in found) else "right"
    if not found:
        return "nothing"
    first = found[0]
    own = [origin for origin in first.origins if origin.fact == probe.fact]
    if any(origin.period in probe.periods for origin in own):
        return "right"
    if _states(first, probe.fact):
        return "marked" if first.marked else "stale"
    if any(origin.hearsay for origin in own):
        return "untrusted"
    if any(origin.asks for origin in first.origins):
        return "question"
    subject = year.facts[probe.fact].subject
    same = any(origin.fact is not None and year.facts[origin.fact].subject == subject for origin in first.origins)
    return "attribute" if same else "subject"


def count_current(found: Sequence[AnswerText], probe: Probe, year: Year) -> tuple[int, int]:
    """Count the results that state only what holds when the question is asked, and those of them that are marked."""
    current = [one for one in found if _is_current(one.origins, probe, year)]
    return len(current), sum(one.marked for one in current)


def _states(found: AnswerText, fact: int) -> bool:
    return any(origin.fact == fact and origin.period is not None for origin in found.origins)


def _is_current(origins: tuple[Origin, ...], probe: Probe, year: Year) -> bool:
    evening = probe.asked - timedelta(days=1)
    stated = [
        (year.facts[one.fact], one.period) for one in origins if one.fact is not None and one.period is not None
    ]
    return bool(stated) and all(fact.period_at(evening) == period for fact, period in stated)
