"""Tell whether a text holds a sentence or a line, whole or as far as it was cut. Pure."""

from __future__ import annotations

from itertools import takewhile

CUT = "…"  # stands where something was left out
_SHORTEST = 40  # characters of a sentence that a cut leaves at least


def holds(text: str, part: str) -> bool:
    """Return whether the text holds a part of another one: all of it, or its beginning before the mark of a cut."""
    start = part[:_SHORTEST]
    at = text.find(start)
    while at >= 0:
        pairs = zip(text[at : at + len(part)], part, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if same == len(part) or (same >= _SHORTEST and text[at + same :].lstrip().startswith(CUT)):
            return True
        at = text.find(start, at + 1)
    return False
