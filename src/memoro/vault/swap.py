"""Exchanging two names in one step, where the system can; and the next best thing where it cannot."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from contextlib import suppress

_LINUX_EXCHANGE = 2
_MACOS_SWAP = 2


def exchange(folder: int, one: str, other: str) -> None:
    """After this, each of the two names leads to what the other led to; at no moment does one lead nowhere."""
    call = _system_call()
    if call is not None:
        if call(folder, os.fsencode(one), folder, os.fsencode(other), _LINUX_EXCHANGE) == 0:
            return
        code = ctypes.get_errno()
        if code not in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
            raise OSError(code, os.strerror(code), other)
    _by_links(folder, one, other)


def _by_links(folder: int, one: str, other: str) -> None:
    """Keep what `other` leads to under a second name, and let `one` take its place.

    Whoever writes into the old file keeps being seen; whoever replaces it between the two steps does not.
    """
    aside = f"{one}.old"
    os.link(other, aside, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    try:
        os.rename(one, other, src_dir_fd=folder, dst_dir_fd=folder)
        os.rename(aside, one, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(aside, dir_fd=folder)
        raise


def _system_call() -> ctypes._CFuncPtr | None:  # type: ignore[name-defined]
    library = ctypes.CDLL(None, use_errno=True)
    name = "renameatx_np" if sys.platform == "darwin" else "renameat2"
    call = getattr(library, name, None)
    if call is not None:
        call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    return call
