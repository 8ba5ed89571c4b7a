"""Exchange and move file names atomically where the system can, and by hard links where it cannot."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from contextlib import suppress

_MACOS = sys.platform == "darwin"
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
_NEW = 4 if _MACOS else 1  # RENAME_EXCL, RENAME_NOREPLACE
_CANNOT = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


def exchange(folder: int, one: str, other: str) -> None:
    """Exchange two names. At no moment does either lead nowhere."""
    if not _renamed(folder, one, folder, other, _EXCHANGE):
        _by_links(folder, one, other)


def move(folder: int, name: str, to: int, new: str) -> None:
    """Rename a file to a name that must be free; else raise FileExistsError."""
    if not _renamed(folder, name, to, new, _NEW):
        os.link(name, new, src_dir_fd=folder, dst_dir_fd=to, follow_symlinks=False)
        _unlink_same(folder, name, to, new)


def _renamed(folder: int, name: str, to: int, new: str, flags: int) -> bool:
    """Return True if renamed; False if the system cannot do it."""
    call = system_call()
    if call is None:
        return False
    if call(folder, os.fsencode(name), to, os.fsencode(new), flags) == 0:
        return True
    code = ctypes.get_errno()
    if code in _CANNOT:
        return False
    raise OSError(code, os.strerror(code), new)


def _by_links(folder: int, one: str, other: str) -> None:
    """Link `other` to a second name, and rename `one` over it.

    A program that writes into the old file is still noticed; one that replaces it between the last check and
    the rename is not.
    """
    aside = f"{one}.old"
    os.link(other, aside, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    try:
        if not _same(folder, other, folder, aside):
            raise FileNotFoundError(errno.ENOENT, "it was replaced", other)
        os.rename(one, other, src_dir_fd=folder, dst_dir_fd=folder)
        os.rename(aside, one, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(aside, dir_fd=folder)
        raise


def _unlink_same(folder: int, name: str, to: int, new: str) -> None:
    """Remove the first of two names of one file; never a file that another program put there meanwhile."""
    if _same(folder, name, to, new):
        os.unlink(name, dir_fd=folder)


def _same(folder: int, name: str, to: int, new: str) -> bool:
    try:
        one = os.stat(name, dir_fd=folder, follow_symlinks=False)
        other = os.stat(new, dir_fd=to, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)


def system_call() -> ctypes._CFuncPtr | None:  # type: ignore[name-defined]
    library = ctypes.CDLL(None, use_errno=True)
    call = getattr(library, "renameatx_np" if _MACOS else "renameat2", None)
    if call is not None:
        call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    return call
