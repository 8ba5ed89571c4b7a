"""Checks of single values that come from outside: a caller's mistake is told in a sentence."""

from collections.abc import Iterable

from memoro.errors import QueryError


def is_text(text: str) -> bool:
    """Return whether a text can be stored: lone surrogates, as from bytes that are not UTF-8, cannot."""
    return text.encode("utf-8", "replace").decode() == text


def require_number(value: object, what: str) -> int:
    """Return a whole number; raise QueryError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise QueryError(f"The {what} must be a whole number, such as 2, not {value!r:.80}.")
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
