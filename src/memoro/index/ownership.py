"""Decide which file owns a message that several logs hold, so that each message is indexed once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memoro.model.notes import LoggedMessage
from memoro.store.ports import Index


class MessageOwnership:
    """Decides which file owns a message that several files hold: the first by path."""

    def __init__(self, index: Index) -> None:
        self._index = index
        # Changes that are not written yet: new holders of messages, and former ones.
        self._waiting: dict[int, dict[str, int]] = {}
        self._lost: set[tuple[int, str]] = set()
        self.stale: set[str] = set()  # paths whose messages now belong to another file, or to them again

    def claim(self, path: str, messages: Sequence[LoggedMessage], *, fresh: bool) -> set[tuple[int, int]]:
        """Register the messages of a file; return those that another file owns, or that stand in this file twice."""
        ids = [one.id for one in messages]
        holders: dict[int, dict[str, int]] = {}
        for number, other, line in self._index.messages(ids) if ids else ():
            if (number, other) not in self._lost:
                holders.setdefault(number, {})[other] = line
        for number in ids:
            holders.setdefault(number, {}).update(self._waiting.get(number, {}))
        left: set[tuple[int, int]] = set()
        first_line: dict[int, int] = {}
        for number, line in messages:
            others = {other for other in holders[number] if other != path}
            first = first_line.setdefault(number, line)
            before = first if fresh else min(first, holders[number].get(path, line))
            if before != line or any(other < path for other in others):
                left.add((number, line))
            self.stale.update(other for other in others if other > path)
        for number in ids:
            self._waiting.setdefault(number, {})[path] = first_line[number]
        return left

    def release(self, path: str, ids: Iterable[int]) -> None:
        """Register that a file no longer holds these messages: another holder may own them now."""
        lost = list(ids)
        self._lost.update((number, path) for number in lost)
        holders = {one.path for one in self._index.messages(lost)} if lost else set()
        holders.update(other for number in lost for other in self._waiting.get(number, ()))
        self.stale.update(other for other in holders if other > path)

    def written(self) -> None:
        self._waiting.clear()
        self._lost.clear()
