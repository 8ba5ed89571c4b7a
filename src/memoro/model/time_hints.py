"""A quick look whether a text may name a time, before patterns are loaded."""

# Every time that people name in words holds one of these, or a number.
_HINTS = (
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "mär", "mae", "mai", "mrz",
    "okt", "dez", "jän", "day", "tag", "mittwoch", "sonnabend", "week", "woch", "month", "monat", "year", "jahr",
    "now", "night", "morning", "gestern", "heute",
)  # fmt: skip


def may_name_time(text: str) -> bool:
    """Return whether it is worth looking for a time in the text."""
    lowered = text.lower()
    return any(hint in lowered for hint in _HINTS) or any(map(str.isdigit, lowered))
