"""Plan a sync before anything is done."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from memoro.model.notes import FileEntry, Stamp

BRAKE_FILES = 20
BRAKE_SHARE = 0.2  # more than this share and more than BRAKE_FILES gone at once: a person decides


class SyncPlan(NamedTuple):
    """The work of a sync. Every path of vault and index appears in one field only."""

    read: tuple[str, ...]  # new or perhaps changed: read, and indexed if the bytes differ
    gone: tuple[str, ...]  # in the index and no longer on disk: hidden, unless it moved
    unchanged: int

    @property
    def is_empty(self) -> bool:
        return not self.read and not self.gone


def plan(
    found: Mapping[str, Stamp],
    known: Mapping[str, FileEntry],
    *,
    unlisted: Collection[str] = (),
    retiered: Collection[str] = (),
) -> SyncPlan:
    """Compare the files on disk with what the index knows.

    A file is skipped only if everything the file system says about it is unchanged. Files below a folder
    that could not be listed do not count as gone.
    """
    read = [
        path
        for path, stamp in found.items()
        if (entry := known.get(path)) is None or entry.stamp != stamp or entry.gone_at or path in retiered
    ]
    blind = tuple(unlisted)
    gone = [
        path
        for path, entry in known.items()
        if path not in found and not entry.gone_at and not path.startswith(blind)
    ]
    return SyncPlan(tuple(read), tuple(gone), len(found) - len(read))


def moves(gone: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    """Return old path -> new path of moved files: gone in one place, new in another, with the same digest.

    Files with equal bytes are paired in the order of their names, each once.
    """
    waiting: dict[str, list[str]] = {}
    for path in sorted(gone, reverse=True):
        waiting.setdefault(gone[path], []).append(path)
    return {waiting[digest].pop(): path for path, digest in sorted(new.items()) if waiting.get(digest)}


def brakes(gone: int, known: int) -> bool:
    """Return whether so many files are gone at once that it looks like an accident."""
    return gone > BRAKE_FILES and gone > BRAKE_SHARE * known
