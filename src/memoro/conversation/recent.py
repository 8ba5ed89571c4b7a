"""The last messages of a conversation, which stay whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, cast

from memoro.conversation.messages import Raw, read, units

M = TypeVar("M", bound=Raw)


def split_recent(messages: Sequence[M], n: int = 10) -> tuple[list[M], list[M]]:
    """Split into the older messages and the last `n`, or more where a tool call belongs to its result."""
    first = first_recent(units(read(cast("Sequence[Raw]", messages))), len(messages), n)
    return list(messages[:first]), list(messages[first:])


def first_recent(stretches: Sequence[range], count: int, n: int) -> int:
    """Return the start of the last `n` of `count` messages, without cutting a run."""
    first = max(count - max(n, 0), 0)
    return next((one.start for one in stretches if one.start < first < one.stop), first)
