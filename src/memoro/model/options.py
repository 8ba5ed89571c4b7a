"""Keyword options of the library: every name that is not an option is an error, as for any function."""

from __future__ import annotations

from collections.abc import Iterable


def reject_unknown(function: str, given: Iterable[str], known: Iterable[str]) -> None:
    names = set(known)
    for name in given:
        if name not in names:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")
