"""How old a local copy is, in words."""

from __future__ import annotations

from datetime import datetime


def as_of(current_at: float | None, now: float) -> str:
    """Say from when an answer is that comes from a copy."""
    if current_at is None:
        return "This comes from the local copy, whose age is not known."
    then = datetime.fromtimestamp(current_at).astimezone()
    return f"This comes from the local copy as of {then:%Y-%m-%d %H:%M:%S}, {_ago(now - current_at)}."


def _ago(seconds: float) -> str:
    for size, unit in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    count = max(0, round(seconds))
    return f"{count} second{'' if count == 1 else 's'} ago"
