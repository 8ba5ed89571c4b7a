"""A configuration file of somebody else's: read whole, written whole or not at all, never over what was not read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress

from memoro.connect.edits import Refused

MAX_BYTES = 16 * 1024 * 1024


def read(file: str) -> str | None:
    """The text with its line ends as they are; None where there is no file."""
    try:
        with open(file, "rb") as handle:
            if not stat.S_ISREG(os.fstat(handle.fileno()).st_mode):
                raise Refused("it is not a regular file")
            data = handle.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(f"it cannot be read: {_reason(error)}") from error
    if len(data) > MAX_BYTES:
        raise Refused(f"it has more than {MAX_BYTES:,} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Refused(f"it is not UTF-8 (byte {error.start})") from error


def write(file: str, text: str, *, before: str | None) -> list[str]:
    """Put the text in place of the one before; the folders that had to be made for it.

    Where the file is a link, what it leads to is written and the link stays.
    """
    target = os.path.realpath(file)
    try:
        made = _make_folders(os.path.dirname(target))
        temporary = _beside(target, text.encode(), 0o600 if before is None else os.stat(target).st_mode & 0o7777)
        try:
            _refuse_changed(file, before)
            os.replace(temporary, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
        _settle(os.path.dirname(target))
    except OSError as error:
        raise Refused(f"it cannot be written: {_reason(error)}") from error
    return made


def remove(file: str, *, before: str) -> None:
    """Take away a file that we had made."""
    _refuse_changed(file, before)
    target = os.path.realpath(file)
    try:
        os.unlink(target)
        _settle(os.path.dirname(target))
    except OSError as error:
        raise Refused(f"it cannot be taken away: {_reason(error)}") from error


def remove_empty(folders: Iterable[str]) -> None:
    """Take away folders that we had made, those in which nothing is."""
    for folder in sorted(folders, key=len, reverse=True):
        with suppress(OSError):
            os.rmdir(folder)


def _beside(target: str, data: bytes, mode: int) -> str:
    """A file next to the target with the new content, on the disk, readable by those who could read the old one."""
    temporary = os.path.join(os.path.dirname(target), f".{os.path.basename(target)}.{os.getpid()}.memoro")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with suppress(FileNotFoundError):
        os.unlink(temporary)
    with open(os.open(temporary, flags, 0o600), "wb") as handle:
        handle.write(data)
        handle.flush()
        os.fchmod(handle.fileno(), mode)
        os.fsync(handle.fileno())
    return temporary


def _refuse_changed(file: str, before: str | None) -> None:
    if read(file) != before:
        raise Refused("it was changed meanwhile. Nothing was written; run the command again")


def _make_folders(folder: str) -> list[str]:
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for one in reversed(missing):
        os.mkdir(one, 0o755)
    return list(reversed(missing))


def _settle(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
