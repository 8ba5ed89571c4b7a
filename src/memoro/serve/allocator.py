"""The C library's allocator in a process with many threads."""

from __future__ import annotations

import ctypes

ARENAS = 2  # the threads of Python take turns anyway: more would save them no waiting
_M_ARENA_MAX = -8  # of glibc's malloc.h


def share_arenas() -> bool:
    """Let all threads allocate from two arenas; returns whether that holds. It must be called before threads start.

    glibc gives threads arenas of their own, up to eight for each core, and what was freed in one is not used for
    another: a server keeps the most that each of its threads ever needed. Other C libraries have no such setting.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return bool(mallopt(_M_ARENA_MAX, ARENAS) == 1)


def return_freed() -> bool:
    """Give memory that was freed back to the system; returns whether there was any.

    glibc keeps what lies between two pieces in use, a fifth of the memory of a server that runs for hours.
    """
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):
        return False
    return bool(trim(0))
