"""A limit on the time that language models may take in one thread, whoever asks them there and for what."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from memoro.errors import ProviderUnavailable
from memoro.providers.language.ports import Prompt

_SHORTEST_CALL = 2.0  # seconds; with less left, no question is worth sending


class _Until(threading.local):
    """When the time of this thread is over, on the monotonic clock; None: there is no limit."""

    time: float | None = None


_until = _Until()


@contextmanager
def within_seconds(seconds: float) -> Iterator[None]:
    """Let all questions of the block together take no longer; then they raise `ProviderUnavailable`.

    For work that somebody may end at any moment, such as a hook's process: rules must still have their turn.
    """
    before = _until.time
    end = time.monotonic() + seconds
    _until.time = end if before is None else min(before, end)
    try:
        yield
    finally:
        _until.time = before


def limited(prompt: Prompt) -> Prompt:
    """Return a prompt that takes no longer than is left. Raises `ProviderUnavailable` where nothing is."""
    if _until.time is None:
        return prompt
    left = _until.time - time.monotonic()
    if left < _SHORTEST_CALL:
        raise ProviderUnavailable("No time is left to ask the language model.")
    return prompt._replace(most_seconds=min(prompt.most_seconds, left))
