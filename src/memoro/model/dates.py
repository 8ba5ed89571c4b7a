"""Dates in file names and in frontmatter, and a date as the words that people ask for it by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_iso = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")


def find_date(text: str) -> str | None:
    """Return the first real YYYY-MM-DD in the text; skip impossible ones (2026-02-31)."""
    for found in _iso.finditer(text):
        try:
            return date(int(found[1]), int(found[2]), int(found[3])).isoformat()
        except ValueError:
            continue
    return None


def date_in_headings(headings: Sequence[str]) -> str | None:
    """Return the date that the innermost heading with a date names; the outermost heading comes first."""
    return next((day for heading in reversed(headings) if (day := find_date(heading))), None)


def in_words(day: str) -> str:
    """Return a date as people ask for it: "2026-03-03" gives "2026 03 03 march tuesday"."""
    when = date.fromisoformat(day)
    return f"{when:%Y %m %d} {MONTHS[when.month - 1]} {WEEKDAYS[when.weekday()]}"
