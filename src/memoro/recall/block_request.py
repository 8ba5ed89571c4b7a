"""The request for a block."""

from __future__ import annotations

from typing import NamedTuple

from memoro.model.answers import Where
from memoro.model.recall import RecalledItem, RecallOptions
from memoro.model.sessions import HeldContext


class BlockRequest(NamedTuple):
    """A message with everything that decides what is chosen for it."""

    message: str
    where: Where
    options: RecallOptions = RecallOptions()
    held: HeldContext = HeldContext()
    abstain: bool = True
    left_off: tuple[RecalledItem, ...] = ()  # of a prompt: where the work was left
