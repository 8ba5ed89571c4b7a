"""Checks of single values that come from outside: a caller's mistake is told in a sentence."""

from collections.abc import Iterable

from memoro.errors import QueryError, Refused


def is_text(text: str) -> bool:
    """Return whether a text can be stored: lone surrogates, as from bytes that are not UTF-8, cannot."""
    return text.encode("utf-8", "replace").decode() == text


def require_storable(value: object, what: str) -> str:
    """Return a text that can be stored as it is; Refused for one with lone surrogates."""
    text = require_text(value, what)
    if not text.isascii() and not is_text(text):
        shown = text[:80].encode("utf-8", "surrogateescape" if _is_of_bytes(text[:80]) else "backslashreplace")
        raise Refused(
            f"The {what} '{shown.decode('utf-8', 'backslashreplace')}' is not text in UTF-8. Decode it with the "
            "encoding that it has, or leave the broken characters out."
        )
    return text


def _is_of_bytes(text: str) -> bool:
    """Return whether all lone surrogates of a text are bytes that were not UTF-8."""
    return not any("\ud800" <= character < "\udc80" or "\udd00" <= character <= "\udfff" for character in text)


def require_number(value: object, what: str) -> int:
    """Return a whole number; raise QueryError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise QueryError(f"The {what} must be a whole number, such as 2, not {value!r:.80}.")
    return value


def require_share(value: object, what: str) -> float:
    """Return a number that may have a fraction; raise QueryError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise QueryError(f"The {what} must be a number, such as 0.5, not {value!r:.80}.")
    return value


def require_texts(value: object, what: str) -> tuple[str, ...]:
    """Return several texts: those of a list, or of one text with commas; raise QueryError for anything else."""
    if isinstance(value, str):
        return tuple(value.split(","))
    if isinstance(value, bytes) or not isinstance(value, Iterable):
        raise QueryError(f"The {what} must be a list of texts, or one text with commas, not {value!r:.80}.")
    return tuple(require_text(one, what) for one in value)


def require_text(value: object, what: str) -> str:
    """Return a text; raise QueryError for anything else."""
    if not isinstance(value, str):
        raise QueryError(f"The {what} must be a text, not {value!r:.80}.")
    return value
