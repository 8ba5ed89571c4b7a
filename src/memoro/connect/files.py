"""Reads and writes settings files of other programs: whole or not at all, never over a change that was not read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress

from memoro.connect.edits import UneditableSettings
from memoro.errors import StorageFull
from memoro.model.system_errors import is_out_of_space

MAX_BYTES = 16 * 1024 * 1024


def read(file: str) -> str | None:
    """Return the text with its line ends unchanged; None if there is no file."""
    try:
        with open(file, "rb") as handle:
            if not stat.S_ISREG(os.fstat(handle.fileno()).st_mode):
                raise UneditableSettings("it is not a regular file")
            data = handle.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UneditableSettings(f"it cannot be read: {_reason(error)}") from error
    if len(data) > MAX_BYTES:
        raise UneditableSettings(f"it has more than {MAX_BYTES:,} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UneditableSettings(f"it is not UTF-8 (byte {error.start})") from error


def write(file: str, text: str, *, before: str | None) -> list[str]:
    """Replace the text `before`; returns the folders that were created for the file.

    Where the file is a link, its target is written and the link stays.
    """
    target = os.path.realpath(file)
    try:
        created = _create_folders(os.path.dirname(target))
        mode = 0o600 if before is None else os.stat(target).st_mode & 0o7777
        temporary = _write_beside(target, text.encode(), mode)
        try:
            _refuse_if_changed(file, before)
            os.replace(temporary, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
        _sync_folder(os.path.dirname(target))
    except OSError as error:
        if is_out_of_space(error):
            raise StorageFull(file) from error
        raise UneditableSettings(f"it cannot be written: {_reason(error)}") from error
    return created


def remove(file: str, *, before: str) -> None:
    """Delete a file that Memoro had created."""
    _refuse_if_changed(file, before)
    target = os.path.realpath(file)
    try:
        os.unlink(target)
        _sync_folder(os.path.dirname(target))
    except OSError as error:
        raise UneditableSettings(f"it cannot be deleted: {_reason(error)}") from error


def remove_empty(folders: Iterable[str]) -> None:
    """Delete those of the folders that are empty."""
    for folder in sorted(folders, key=len, reverse=True):
        with suppress(OSError):
            os.rmdir(folder)


def _write_beside(target: str, data: bytes, mode: int) -> str:
    """Write the data to a file next to the target, down to the disk, with the target's permissions."""
    temporary = os.path.join(os.path.dirname(target), f".{os.path.basename(target)}.{os.getpid()}.memoro")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with suppress(FileNotFoundError):
        os.unlink(temporary)
    descriptor = os.open(temporary, flags, 0o600)
    try:
        with open(descriptor, "wb") as handle:
            handle.write(data)
            handle.flush()
            os.fchmod(handle.fileno(), mode)
            os.fsync(handle.fileno())
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    return temporary


def _refuse_if_changed(file: str, before: str | None) -> None:
    if read(file) != before:
        raise UneditableSettings("another program changed it meanwhile. Nothing was written; run the command again")


def _create_folders(folder: str) -> list[str]:
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for one in reversed(missing):
        os.mkdir(one, 0o755)
    return list(reversed(missing))


def _sync_folder(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
