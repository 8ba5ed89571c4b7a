"""Making files durable, and telling whether a folder can be written."""

from __future__ import annotations

import os

from memoro.errors import StoreUnavailable

EMBEDDINGS_FILE = "embeddings.db"  # the exact vectors, cached

# A database that is opened needs this much for its log and its shared memory, about.
_ROOM_BYTES = 128 * 1024


def why_read_only(folder: str) -> StoreUnavailable | None:
    """Return what to say to a write in a folder that can only be read; None where it can be written."""
    if os.access(folder, os.W_OK):
        return None
    return StoreUnavailable(
        f"{folder} can only be read. Make the folder writable, or set MEMORO_HOME to one that is; "
        "nothing saved before is lost."
    )


def has_room(folder: str) -> bool:
    """Return whether a database in this folder can be opened for writing."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return False
    return found.f_bavail * found.f_frsize >= _ROOM_BYTES


def sync_folder(folder: str) -> None:
    """Write the folder's names to the disk, as a file's own sync writes its bytes."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def open_for_owner(place: str, flags: int) -> int:
    """An opener for `open`: a file that it makes can be read by its owner only."""
    return os.open(place, flags, 0o600)


def remove_tree(folder: str) -> None:
    """Delete a folder and everything in it, as far as that is possible."""
    import shutil  # loads compression modules: 3 ms that a search does not need

    shutil.rmtree(folder, ignore_errors=True)


def copy_file(source: str, target: str) -> None:
    import shutil

    shutil.copyfile(source, target)
