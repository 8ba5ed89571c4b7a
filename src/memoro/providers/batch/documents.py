"""Reading the documents in which providers describe batch jobs, whatever is missing from them."""

from __future__ import annotations

from memoro.errors import ProviderRejected


def at(document: object, *path: str) -> object:
    """Return what a document has behind these keys; None where it has nothing."""
    for key in path:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def text_at(document: object, *path: str) -> str:
    """Return a text of a document; empty where there is none."""
    found = at(document, *path)
    return found if isinstance(found, str) else ""


def count_at(document: object, *path: str) -> int:
    """Return a count, which may be written as a text; 0 where there is none."""
    found = at(document, *path)
    if isinstance(found, str) and found.isdecimal():
        return int(found)
    return found if isinstance(found, int) else 0


def list_at(document: object, *path: str) -> list[object]:
    found = at(document, *path)
    return found if isinstance(found, list) else []


def name_in(document: object, *path: str) -> str:
    """Return the name that the provider gave to something new. Raises `ProviderRejected` where it gave none."""
    found = text_at(document, *path)
    if not found:
        raise ProviderRejected("The provider took a batch job, but did not say under which name.")
    return found
