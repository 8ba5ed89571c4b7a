"""Taking back the change of one entry in a note whose other lines were changed since, neighbours too."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_ID = re.compile(r"[ \t]\^([A-Za-z0-9-]+)[ \t\r]*$")


def with_entry_as_before(
    before: Sequence[str], after: Sequence[str], now: Sequence[str], versions: Sequence[Sequence[str]] = ()
) -> list[str] | None:
    """Return the lines of a note now with its one changed entry as it was before.

    `versions` are other states that the note had: they tell where an entry stood among entries that came back
    meanwhile. None where more than one entry was changed, or something else, or the entry itself was changed since.
    """
    gone, came = _lines_only_in(before, after), _lines_only_in(after, before)
    if (not gone and not came) or len(gone) > 1 or len(came) > 1 or not all(map(_id, [*gone, *came])):
        return None
    lines = list(now)
    if came:
        if lines.count(came[0]) != 1:
            return None
        at = lines.index(came[0])
        lines[at : at + 1] = gone
        return lines
    if _id(gone[0]) in map(_id, lines):
        return None
    at = _place(gone[0], [before, *versions], lines)
    return [*lines[:at], gone[0], *lines[at:]]


def _id(line: str) -> str | None:
    found = _ID.search(line)
    return found[1] if found else None


def _lines_only_in(one: Sequence[str], other: Sequence[str]) -> list[str]:
    return [line for line in (Counter(one) - Counter(other)).elements() if line.strip()]


def _place(line: str, versions: Sequence[Sequence[str]], now: Sequence[str]) -> int:
    """Return where a line belongs now: below every line that stood above it in some version."""
    above: set[str] = set()
    for version in versions:
        keys = [_key(one) for one in version]
        if (own := _key(line)) in keys:
            above |= {key for key in keys[: keys.index(own)] if key}
    place = max((number + 1 for number, one in enumerate(now) if _key(one) in above), default=0)
    first = versions[0]
    is_after_blank = line in first[1:] and not first[first.index(line) - 1].strip()  # as under a heading
    is_after_entry = place > 0 and _id(now[place - 1]) is not None
    while is_after_blank and not is_after_entry and place < len(now) - 1 and not now[place].strip():
        place += 1
    return place


def _key(line: str) -> str:
    """Return what tells a line from others, whatever an entry says."""
    return _id(line) or line.strip()
