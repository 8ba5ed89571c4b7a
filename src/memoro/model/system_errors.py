"""Errors of the system in words for a person."""

import errno

MANY_FILES = "this process may not open more files"
_TOO_MANY = (errno.EMFILE, errno.ENFILE)
_FULL = (errno.ENOSPC, errno.EDQUOT)


def reason(error: OSError) -> str:
    """Return why, in a few words without a capital."""
    return MANY_FILES if is_out_of_files(error) else (error.strerror or str(error)).lower()


def remedy(error: OSError, usual: str) -> str:
    """Return what to do: the usual, unless the process has no descriptor left."""
    return "Raise its limit with `ulimit -n`, and run the command again." if is_out_of_files(error) else usual


def is_out_of_files(error: OSError) -> bool:
    return error.errno in _TOO_MANY


def is_out_of_space(error: OSError) -> bool:
    return error.errno in _FULL
