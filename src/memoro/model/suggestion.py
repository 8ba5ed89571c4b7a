"""The known name that somebody probably meant."""

from __future__ import annotations

from collections.abc import Iterable

_NEAR = 0.7  # of 1: below it, short names that share an ending would be taken for each other


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is spelled most like this one; None if none is near.

    Case does not count, and a name that continues the given one is near however long it is.
    """
    import difflib

    by_folded = {one.casefold(): one for one in reversed(list(known))}
    wanted = name.casefold()
    close = difflib.get_close_matches(wanted, by_folded, n=1, cutoff=_NEAR)
    if not close and len(wanted) > 2:
        close = [one for one in by_folded if one.startswith(wanted) or one.endswith(f"/{wanted}")][:1]
    return by_folded[close[0]] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a sentence with a space before it, to put behind an error; nothing where no name is near."""
    found = closest(name, known)
    return f" Did you mean {found!r}?" if found is not None else ""
