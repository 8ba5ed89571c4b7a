"""By how much conversation logs have grown since they were last read, and whether that is worth a sync."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from memoro.config import Deltas
from memoro.errors import NoteNotFound, NoteUnreadable
from memoro.model.notes import FileEntry, Stamp, kind_of
from memoro.model.vocabulary import LOGS
from memoro.vault import logs
from memoro.vault.files import VaultFiles


class Growth(NamedTuple):
    """One log beside what the index has read of it."""

    path: str
    bytes: int
    messages: int  # lines, which are no fewer; 0 where nobody counted, or the log has none
    anew: bool = False  # less stands there than was read: it was written anew

    def is_due(self, deltas: Deltas) -> bool:
        """Whether the log has grown enough to be read before anyone asks for it."""
        return self.bytes >= deltas.delta_bytes or self.messages >= deltas.delta_messages


def growths(
    vault: VaultFiles, found: Mapping[str, Stamp], known: Mapping[str, FileEntry], deltas: Deltas
) -> Iterator[Growth]:
    """Each log of which more stands on the disk than was read of it. At most `delta_bytes` of each are looked at."""
    for path, stamp in found.items():
        entry = known.get(path)
        if kind_of(path) != "transcript" or (entry and entry.stamp == stamp and not entry.gone_at):
            continue
        read = read_to(entry) if entry and not entry.gone_at else 0
        more = grown(stamp.size, read, is_database=entry is not None and entry.digest.startswith("stamp:"))
        if more:
            lines = _lines(vault, path, stamp.size - more) if more < deltas.delta_bytes else 0
            yield Growth(path, more, lines, anew=read is not None and stamp.size < read)


def is_due(vault: VaultFiles, known: Mapping[str, FileEntry], deltas: Deltas) -> bool:
    """Whether any log has grown enough. Lists the logs, and reads no more than is needed to tell."""
    found = vault.list(LOGS).files
    return any(growth.is_due(deltas) for growth in growths(vault, found, known, deltas))


def grown(size: int, read: int | None, *, is_database: bool = False) -> int:
    """By how many bytes a file is longer than what was read of it, if that is known.

    One that is shorter was written anew, and all of it counts. A database writes within itself and grows by leaps,
    so that its size only hints.
    """
    if read is None:
        return 0
    if is_database:
        return abs(size - read)
    return size - read if size >= read else size


def read_to(entry: FileEntry) -> int | None:
    """How many bytes of a log the index has seen; None where it cannot tell."""
    kind, _, rest = entry.digest.partition(":")
    if kind in ("log", "size", "stamp", "unread"):
        return int(rest.partition(":")[0])
    return entry.stamp.size if entry.stamp else None


def _lines(vault: VaultFiles, path: str, start: int) -> int:
    """How many lines end after that place; 0 in what has no lines."""
    with suppress(NoteNotFound, NoteUnreadable), vault.log(path) as log:
        if not logs.is_packed(log) and not logs.is_database(log):
            return sum(block.count(b"\n") for block in log.blocks(start))
    return 0
