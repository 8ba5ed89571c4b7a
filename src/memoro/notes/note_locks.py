"""Locks for notes, against Memoro's own processes."""

from __future__ import annotations

import hashlib
import os
from contextlib import AbstractContextManager, ExitStack

from memoro.store.lock import KernelLock

_LOCKS = 64  # two notes that share one wait for each other now and then, and nothing more


class NoteLocks:
    def __init__(self, home: str) -> None:
        self._folder = os.path.join(home, "locks")

    def held(self, *paths: str) -> AbstractContextManager[object]:
        """Hold the locks of these notes during a block; always taken in one order."""
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        numbers = {hashlib.sha256(p.casefold().encode("utf-8", "replace")).digest()[0] % _LOCKS for p in paths}
        stack = ExitStack()
        for number in sorted(numbers):
            stack.enter_context(KernelLock(os.path.join(self._folder, f"note.{number:02}.lock")).held())
        return stack
