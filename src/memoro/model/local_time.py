"""Times for people: in the zone of this machine. Stored times are UTC."""

from __future__ import annotations


def local(stamp: str, *, seconds: bool = False) -> str:
    """Return a stored time as the clock on the wall showed it; a text that is no time stays as it is."""
    from datetime import UTC, datetime

    try:
        read = datetime.fromisoformat(stamp)
        moment = (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone()
    except (ValueError, OverflowError, OSError):
        return stamp
    return f"{moment:%Y-%m-%d %H:%M:%S}" if seconds else f"{moment:%Y-%m-%d %H:%M}"


def local_day(stamp: str) -> str:
    return local(stamp)[:10]


def with_offset(stamp: str | None) -> str | None:
    """Return a local time that was stored without its zone as ISO with the offset; None for none."""
    from datetime import datetime

    try:
        return None if stamp is None else datetime.fromisoformat(stamp).astimezone().isoformat()
    except (ValueError, OverflowError, OSError):
        return stamp
