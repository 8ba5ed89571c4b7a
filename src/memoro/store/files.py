"""Making files durable, and telling whether a folder can be written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from memoro.errors import StorageFull, StoreError, StoreUnavailable
from memoro.model.system_errors import is_out_of_space, reason, remedy

EMBEDDINGS_FILE = "embeddings.db"  # the exact vectors, cached

# A database that is opened needs this much for its log and its shared memory, about.
_ROOM_BYTES = 128 * 1024
# The names of files that are written before they get their own: of records (store/file_record.py) and of any others.
_UNFINISHED = r"(?:ledger|archive)\.record\.json\.[0-9a-f]{8}|.+\.[0-9a-f]{8}\.making"
_UNFINISHED_SECONDS = 3600.0  # a write takes less than a second


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


def replace_file(file: str, text: str) -> None:
    """Replace a small file durably: a reader sees the old text or the new one. Raises StoreError."""
    with file_beside(file, text) as made:
        os.replace(made, file)
    sync_folder(os.path.dirname(file) or ".")


@contextmanager
def file_beside(file: str, text: str) -> Iterator[str]:
    """Write a text to a new file in the same folder, for its owner only. The block renames or links it.

    Nothing of it is left after the block, on a full disk either. Raises StoreError where it cannot be written.
    """
    made = f"{file}.{os.urandom(4).hex()}.making"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        try:
            with open(os.open(made, flags, 0o600), "wb") as opened:
                opened.write(text.encode())
                opened.flush()
                os.fsync(opened.fileno())
            yield made
        finally:
            with suppress(OSError):
                os.unlink(made)
    except OSError as error:
        raise unwritable(file, error) from error


def sweep_unfinished_writes(folder: str) -> None:
    """Delete what processes that were killed left of files that they were about to rename.

    A younger one may belong to a process that writes now.
    """
    import re
    import time

    oldest = time.time() - _UNFINISHED_SECONDS
    with suppress(FileNotFoundError, NotADirectoryError):
        for entry in list(os.scandir(folder)):
            if re.fullmatch(_UNFINISHED, entry.name):
                with suppress(OSError):
                    if entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_mtime < oldest:
                        os.unlink(entry.path)


def unwritable(file: str, error: OSError) -> StoreError:
    """Return what to raise for a file that could not be written and is as it was before."""
    if is_out_of_space(error):
        return StorageFull(file)
    usual = "Make its folder writable and run the command again."
    return StoreUnavailable(f"{file} cannot be written: {reason(error)}. Nothing was changed. {remedy(error, usual)}")


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
