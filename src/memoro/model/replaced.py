"""The words that say that a passage is older, and what holds now."""

from datetime import date

from memoro.model.answers import Replacement

_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_SHORT = 100  # characters of the newer text that a mark quotes


def mark(replacement: Replacement) -> str:
    """Return the mark of an older result, such as `older; since 3 Nov 2025: We moved to Porto. [memory:7]`."""
    if replacement.why == "marked" and replacement.id is None:
        return f"marked as superseded by {replacement.text}" if replacement.text else "marked as superseded"
    text = " ".join(replacement.text.split())
    quoted = f"{text[:_SHORT].rstrip()}…" if len(text) > _SHORT else text
    since = f"since {day_in_words(replacement.date)}" if replacement.date else "now"
    return f"older; {since}: {quoted} [{replacement.id}]" if quoted else f"older; {since}: {replacement.id}"


def short_mark(replacement: Replacement) -> str:
    """Return the same without the newer text, for a block that holds that text anyway."""
    if replacement.id is None:
        return mark(replacement)
    return f"since {replacement.date}: {replacement.id}" if replacement.date else f"replaced by {replacement.id}"


def reason(replacement: Replacement) -> str:
    """Return how it is known, in one sentence."""
    return {
        "attribute": "both tell what is asked for, and the newer one says otherwise",
        "alike": "the newer one says nearly the same with another value",
        "names it": "the newer one says that the older value has ceased to hold",
        "marked": "its note says that it does not hold any more",
        "ledger": "the ledger knows what superseded it",
    }[replacement.why]


def day_in_words(day: str) -> str:
    """Return a day as in `3 Nov 2025`."""
    one = date.fromisoformat(day)
    return f"{one.day} {_MONTHS[one.month - 1]} {one.year}"
