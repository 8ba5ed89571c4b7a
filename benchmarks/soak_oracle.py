"""What was acknowledged during a soak, and so must be there at its end, once, or must be gone."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

State = Literal["kept", "undone", "forgotten", "uncertain"]  # uncertain: whether it was ended was not answered


class AcknowledgedMemory(NamedTuple):
    number: int
    content: str
    token: str  # a word of the content that stands nowhere else
    feedback: int = 0
    state: State = "kept"
    backups: tuple[str, ...] = ()  # that still hold it, as forgetting named them


class FoundMemory(NamedTuple):
    """A memory of the export."""

    number: int
    content: str
    feedback: int


class Acknowledged(NamedTuple):
    """All that was acknowledged, as a value."""

    memories: tuple[AcknowledgedMemory, ...] = ()
    lines: tuple[str, ...] = ()  # of daily notes
    notes: Mapping[str, str] = {}  # what the editor wrote last, by path
    deleted: frozenset[str] = frozenset()  # paths that the editor deleted or renamed, and did not write again
    uncertain: tuple[str, ...] = ()  # contents of writes without an answer: they may be there, once


class Oracle:
    """Notes what programs were told was done. Threads share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._memories: dict[int, AcknowledgedMemory] = {}
        self._lines: list[str] = []
        self._notes: dict[str, str] = {}
        self._deleted: set[str] = set()
        self._uncertain: list[str] = []
        self.done: Counter[str] = Counter()

    def stored(self, number: int, content: str, token: str) -> None:
        with self._lock:
            self.done["memories stored"] += 1
            self._memories[number] = AcknowledgedMemory(number=number, content=content, token=token)

    def rated(self, number: int, change: int) -> None:
        with self._lock:
            self.done["feedback given"] += 1
            known = self._memories[number]
            self._memories[number] = known._replace(feedback=known.feedback + change)

    def ended(self, number: int, state: State, backups: Sequence[str] = ()) -> None:
        with self._lock:
            self.done[f"memories {state}"] += 1
            self._memories[number] = self._memories[number]._replace(state=state, backups=tuple(backups))

    def written(self, line: str) -> None:
        with self._lock:
            self.done["daily lines"] += 1
            self._lines.append(line)

    def saved(self, path: str, text: str) -> None:
        with self._lock:
            self.done["notes saved"] += 1
            self._notes[path] = text
            self._deleted.discard(path)

    def deleted(self, path: str) -> None:
        with self._lock:
            self.done["notes deleted or renamed"] += 1
            self._notes.pop(path, None)
            self._deleted.add(path)

    def unanswered(self, content: str) -> None:
        with self._lock:
            self._uncertain.append(content)

    def acknowledged(self) -> Acknowledged:
        with self._lock:
            return Acknowledged(
                memories=tuple(self._memories.values()),
                lines=tuple(self._lines),
                notes=dict(self._notes),
                deleted=frozenset(self._deleted),
                uncertain=tuple(self._uncertain),
            )


def memory_faults(acknowledged: Acknowledged, found: Iterable[FoundMemory]) -> list[str]:
    """Memories that are lost, doubled, changed or still there, one line each."""
    by_content: dict[str, list[FoundMemory]] = {}
    for one in found:
        by_content.setdefault(one.content, []).append(one)
    faults = []
    for known in acknowledged.memories:
        there = by_content.get(known.content, [])
        if known.state == "uncertain":
            faults += [f"memory {known.number} is there {len(there)} times"] if len(there) > 1 else []
        elif known.state != "kept":
            faults += [f"memory {known.number} is there, but was {known.state}"] if there else []
        elif len(there) != 1:
            faults.append(f"memory {known.number} is there {len(there)} times")
        elif there[0].number != known.number or there[0].feedback != known.feedback:
            faults.append(f"memory {known.number} with feedback {known.feedback} is there as {there[0]}")
    for content in acknowledged.uncertain:
        if len(by_content.get(content, [])) > 1:
            faults.append(f"a write without an answer was done twice: {content}")
    return faults


def line_faults(acknowledged: Acknowledged, daily: str) -> list[str]:
    """Lines of daily notes that are lost or doubled."""
    counted = Counter(acknowledged.lines)
    return [
        f"{line!r} is there {daily.count(line)} times"
        for line, times in counted.items()
        if daily.count(line) != times
    ]


def note_faults(acknowledged: Acknowledged, vault: Mapping[str, str]) -> list[str]:
    """Notes that are not what the editor wrote last, and deleted ones that came back."""
    faults = [
        f"{path} is not as it was saved" for path, text in acknowledged.notes.items() if vault.get(path) != text
    ]
    return faults + [f"{path} came back" for path in acknowledged.deleted if path in vault]


def byte_faults(acknowledged: Acknowledged, files: Iterable[tuple[str, bytes]]) -> list[str]:
    """Files in which a word of a forgotten memory still stands, without those of the backups that were named."""
    gone = [(one, one.token.encode()) for one in acknowledged.memories if one.state == "forgotten"]
    return [
        f"{name} holds {one.token}"
        for name, data in files
        for one, word in gone
        if word in data and not any(f"/backups/{backup}/" in f"/{name}" for backup in one.backups)
    ]
