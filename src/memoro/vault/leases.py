"""Ask the kernel whether a program has a file open for writing."""

from __future__ import annotations

import fcntl
import signal


def is_open_for_writing(descriptor: int) -> bool | None:
    """Return whether some program has the file open for writing; None if the system cannot tell.

    Linux grants a lease on a file only while no program writes it. The lease is released at once; a program
    that opens the file in between waits no longer than that. Its signal is one that is ignored.
    """
    if not hasattr(fcntl, "F_SETLEASE"):
        return None
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except BlockingIOError:
        return True
    except OSError:  # not our file, or a disk without leases
        return None
    return False
