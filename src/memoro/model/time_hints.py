"""A quick look whether a text may name a time, before patterns are loaded."""

# Every time that people name in words holds one of these, or a number.
_HINTS = (
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "mär", "mae", "mai", "mrz",
    "okt", "dez", "jän", "day", "tag", "mittwoch", "sonnabend", "week", "woch", "month", "monat", "year", "jahr",
    "now", "night", "morning", "gestern", "heute", "spring", "summer", "autumn", "fall", "winter", "frühling",
    "frühjahr", "sommer", "herbst", "quart",
)  # fmt: skip


def may_name_time(text: str) -> bool:
    """Return whether it is worth looking for a time in the text."""
    lowered = text.lower()
    return any(hint in lowered for hint in _HINTS) or any(map(str.isdigit, lowered))


# What a question about the past without a date holds.
_PAST_HINTS = (
    "before", "after", "since", "until", "till", "prior", "up to", "bevor", "vor ", "nach ", "seit", "bis ",
    "used to", "use to", "previous", "former", "past", "back then", "at first", "original", "initial", "beginning",
    "to begin", "start", "stop", "quit", "drop", "leave", "give up", "cease", "cancel", "how long", "when", "wann",
    "früher", "vorher", "zuvor", "damals", "ehemal", "anfang", "ursprünglich", "zuerst", "beginn", "old ", "alte",
    "vorige",
)  # fmt: skip


def may_speak_of_before(text: str) -> bool:
    """Return whether it is worth looking for words about what was, and no longer is."""
    lowered = text.lower()
    return any(hint in lowered for hint in _PAST_HINTS)
