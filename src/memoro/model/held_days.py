"""From when to when something holds, in words. The first answer of a command loads this: it imports nothing."""

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def held(since: str | None, until: str | None) -> str:
    """Return "since 2025-01-05 until 2025-06-09", or a part of it; empty for what says neither."""
    return " ".join(f"{word} {day}" for word, day in (("since", since), ("until", until)) if day)


def short_day(day: str) -> str:
    """Return a date as people write it: "2025-03-03" gives "3 Mar 2025"."""
    year, month, number = map(int, day.split("-"))
    return f"{number} {_MONTHS[month - 1]} {year}"
