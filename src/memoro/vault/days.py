"""Names of daily notes: patterns in Obsidian's notation."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from memoro.model.dates import MONTHS, WEEKDAYS

MAX_CHARACTERS = 100
MAX_TOKENS = 12  # adjacent numbers of one or two digits can be split in many ways
# The tokens of moment.js that name a day and mean the same in every locale, except for names, which are English.
_TOKENS = {
    "YYYY": r"(?P<year>\d{4})", "YY": r"\d\d", "MMMM": r"(?P<month_name>[A-Z][a-z]+)", "MMM": r"[A-Z][a-z]{2}",
    "MM": r"(?P<month>\d\d)", "M": r"(?P<month>\d\d?)", "Do": r"(?P<day>\d\d?)(?:st|nd|rd|th)",
    "DD": r"(?P<day>\d\d)", "D": r"(?P<day>\d\d?)", "dddd": r"[A-Z][a-z]+", "ddd": r"[A-Z][a-z]{2}",
    "GGGG": r"\d{4}", "WW": r"\d\d",
}  # fmt: skip
_TOKEN = re.compile(
    r"\[([^\]]*)\]|(" + "|".join(sorted(_TOKENS, key=len, reverse=True)) + r")|([A-Za-z]+)|([^A-Za-z\[])"
)


def can_be_used(pattern: str) -> bool:
    """Return whether every part of a pattern is known, and the name stays inside a folder."""
    if len(pattern) > MAX_CHARACTERS or not pattern.strip("/ ") or {"..", "."} & set(pattern.split("/")):
        return False
    parts = list(_TOKEN.finditer(pattern))
    known = "".join(part[0] for part in parts) == pattern and not any(part[3] for part in parts)
    return known and sum(bool(part[2]) for part in parts) <= MAX_TOKENS


def is_dated(pattern: str) -> bool:
    """Return whether the name changes with the day at all."""
    return any(part[2] for part in _TOKEN.finditer(pattern))


def named(pattern: str, day: date) -> str:
    """Return the name of a day's note: YYYY-MM-DD, YYYY/MM-MMMM/DD, …"""
    month, weekday = MONTHS[day.month - 1].title(), WEEKDAYS[day.weekday()].title()
    week_year, week, _ = day.isocalendar()
    th = "th" if 10 < day.day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    values = {
        "YYYY": f"{day.year:04}", "YY": f"{day.year % 100:02}", "MMMM": month, "MMM": month[:3],
        "MM": f"{day.month:02}", "M": str(day.month), "Do": f"{day.day}{th}", "DD": f"{day.day:02}",
        "D": str(day.day), "dddd": weekday, "ddd": weekday[:3], "GGGG": f"{week_year:04}", "WW": f"{week:02}",
    }  # fmt: skip
    return _TOKEN.sub(
        lambda part: values[part[2]] if part[2] else part[1] if part[1] is not None else part[0], pattern
    )


def day_of(pattern: str, name: str) -> date | None:
    """Return the day whose note has this name, without `.md`; None if the name fits no single day."""
    found = _names(pattern).fullmatch(name)
    if found is None:
        return None
    fields = found.groupdict()
    try:
        month = fields.get("month") or MONTHS.index((fields.get("month_name") or "").lower()) + 1
        day = date(int(fields["year"]), int(month), int(fields["day"]))
    except (KeyError, ValueError):
        return None
    return day if named(pattern, day) == name else None


@lru_cache(maxsize=8)
def _names(pattern: str) -> re.Pattern[str]:
    seen: set[str] = set()

    def written(part: re.Match[str]) -> str:
        if not part[2]:
            return re.escape(part[1] if part[1] is not None else part[0])
        group = re.search(r"\?P<(\w+)>", _TOKENS[part[2]])
        if group is None or group[1] not in seen:
            seen.update([group[1]] if group else [])
            return _TOKENS[part[2]]
        return _TOKENS[part[2]].replace(f"?P<{group[1]}>", "?:")  # a repeated token need not match again

    return re.compile("".join(map(written, _TOKEN.finditer(pattern))))
