"""The C library's allocator in a process with many threads."""

from __future__ import annotations

import ctypes

ARENAS = 2  # the threads of Python take turns anyway: more would save them no waiting
LARGE = 256 * 1024  # bytes
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # of glibc's malloc.h


def keep_little() -> bool:
    """Keep little of what was freed; returns whether that holds. It must be called before threads start.

    glibc gives threads arenas of their own, up to eight for each core, and what was freed in one is not used for
    another: a server keeps the most that each of its threads ever needed. All threads get two. It also puts ever
    larger pieces between small ones, where they leave holes: a `LARGE` one goes back to the system once it is freed.
    Other C libraries have no such settings.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return all(mallopt(name, value) == 1 for name, value in ((_M_ARENA_MAX, ARENAS), (_M_MMAP_THRESHOLD, LARGE)))


def return_freed() -> bool:
    """Give memory that was freed back to the system; returns whether there was any.

    glibc keeps what lies between two pieces in use, a fifth of the memory of a server that runs for hours.
    """
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):
        return False
    return bool(trim(0))
