"""What may be given for a message, and what was left out."""

from __future__ import annotations

from typing import NamedTuple

from memoro.model.recall import LeftOut, RecalledItem

ENOUGH = "there are enough items"


class Finding(NamedTuple):
    """One item that may be given. Its text is already as short as it can be."""

    item: RecalledItem
    sure: float  # 0–1: how sure it is that it helps
    why: str  # for the owner, in a few words: "the same error", "a rule for this task"


class Judged(NamedTuple):
    """What was found relevant, newest first, and what was not, with a reason each."""

    findings: tuple[Finding, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    notices: tuple[str, ...] = ()
    looked_at: int = 0
