"""The requests that batch jobs need, and how their documents are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol

from memoro.errors import ProviderError

NOT_THERE = frozenset({404, 405, 501})  # the server has no such thing


class UploadedFile(NamedTuple):
    """A file as it is sent in a form."""

    name: str
    content: bytes


class JobHttp(Protocol):
    """One provider's server. Paths are below its address; a full address must be on the same host.

    Raises `ProviderUnavailable` and `ProviderRejected`, with the status of the response as `status`.
    """

    def get(self, path: str) -> object: ...

    def post(self, path: str, body: object) -> object: ...

    def post_form(self, path: str, fields: Mapping[str, str], file: UploadedFile) -> object: ...

    def post_bytes(self, path: str, content: bytes, headers: Mapping[str, str]) -> tuple[object, Mapping[str, str]]:
        """Return the document of the response, and its headers by their lower-case names."""

    def delete(self, path: str) -> None: ...

    def lines(self, path: str) -> Iterator[object]:
        """Yield the document of each line of a file, as it comes; None for a line that holds none."""


def is_missing(error: ProviderError) -> bool:
    """Return whether a server answered that it has no such thing."""
    return getattr(error, "status", None) in NOT_THERE


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
