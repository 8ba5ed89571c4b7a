"""Measure how much conversation logs have grown since they were last read, and decide whether to sync them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from memoro.config import DeltaSettings
from memoro.errors import NoteNotFound, NoteUnreadable
from memoro.model.notes import FileEntry, Stamp, kind_of
from memoro.model.vocabulary import LOGS
from memoro.vault import logs
from memoro.vault.files import VaultFiles


class Growth(NamedTuple):
    """The growth of one log since the index read it."""

    path: str
    bytes: int
    messages: int  # counted as lines, an upper bound; 0 if not counted, or if the log has no lines
    rewritten: bool = False  # the log is shorter than what was read: it was rewritten

    def is_due(self, deltas: DeltaSettings) -> bool:
        """Return whether the log has grown enough to be read before a search needs it."""
        return self.bytes >= deltas.delta_bytes or self.messages >= deltas.delta_messages


def growths(
    vault: VaultFiles, found: Mapping[str, Stamp], known: Mapping[str, FileEntry], deltas: DeltaSettings
) -> Iterator[Growth]:
    """Yield each log that holds more than was read. Reads at most `delta_bytes` of each."""
    for path, stamp in found.items():
        entry = known.get(path)
        if kind_of(path) != "transcript" or (entry and entry.stamp == stamp and not entry.gone_at):
            continue
        read = read_to(entry) if entry and not entry.gone_at else 0
        more = grown(stamp.size, read, is_database=entry is not None and entry.digest.startswith("stamp:"))
        if more:
            lines = _lines(vault, path, stamp.size - more) if more < deltas.delta_bytes else 0
            yield Growth(path, more, lines, rewritten=read is not None and stamp.size < read)


def is_due(vault: VaultFiles, known: Mapping[str, FileEntry], deltas: DeltaSettings) -> bool:
    """Return whether any log has grown enough. Lists the logs, and reads no more than necessary."""
    found = vault.list(LOGS).files
    return any(growth.is_due(deltas) for growth in growths(vault, found, known, deltas))


def grown(size: int, read: int | None, *, is_database: bool = False) -> int:
    """Return by how many bytes a file has grown since it was read; 0 if that is unknown.

    A shorter file was rewritten, so all of it counts. A database writes within itself and grows in steps, so its
    size is only a hint.
    """
    if read is None:
        return 0
    if is_database:
        return abs(size - read)
    return size - read if size >= read else size


def read_to(entry: FileEntry) -> int | None:
    """Return how many bytes of a log the index has read; None if unknown."""
    kind, _, rest = entry.digest.partition(":")
    if kind in ("log", "size", "stamp", "unread"):
        return int(rest.partition(":")[0])
    return entry.stamp.size if entry.stamp else None


def _lines(vault: VaultFiles, path: str, start: int) -> int:
    """Return the number of lines that end after `start`; 0 for a file without lines."""
    with suppress(NoteNotFound, NoteUnreadable), vault.log(path) as log:
        if not logs.is_packed(log) and not logs.is_database(log):
            return sum(block.count(b"\n") for block in log.blocks(start))
    return 0
