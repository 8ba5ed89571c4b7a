"""Memories of other stores that may be imported, and problems of their files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from memoro.ledger.exchange.records import ImportProblem
from memoro.model.memories import moment, stamp
from memoro.model.vocabulary import Trust

SOURCE = "migration"
_MILLISECONDS = 1e11  # a number of seconds above this would be in the year 5138


class File(NamedTuple):
    """A file of another store. The path is below the folder that was named, with slashes."""

    path: str
    text: str

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    def at(self, line: int, what: str = "line") -> str:
        return f"{self.path} {what} {line}"


class ImportCandidate(NamedTuple):
    """A memory of another store."""

    place: str
    content: str
    tags: tuple[str, ...] = ()
    created_at: str | None = None
    source: str = SOURCE
    origin: str | None = None  # what its own store calls it, where that has names
    trust: Trust | None = None  # no more than this, if it says so
    about: str | None = None  # what it is said of: "likes tea" of two people is two memories


Files = Sequence[File]
Found = Iterator[ImportCandidate | ImportProblem]


class Reader(NamedTuple):
    """One format. `read` takes any text and never raises."""

    name: str
    looks_right: Callable[[Files], bool]
    read: Callable[[Files], Found]


def objects(file: File) -> Iterator[tuple[str, dict[str, Any]] | ImportProblem]:
    """The JSON objects of a file with their places: one document, a list of them, or one a line."""
    whole = _json(file.text)
    if isinstance(whole, dict):
        yield file.path, whole
        return
    for place, item in _items(file, whole):
        if isinstance(item, dict):
            yield place, item
        else:
            yield ImportProblem(place, "not JSON" if item is _NOT_JSON else "not a JSON object")


def _items(file: File, whole: object) -> Iterator[tuple[str, object]]:
    if isinstance(whole, list):
        yield from ((file.at(number, "item"), item) for number, item in enumerate(whole, 1))
    else:
        lines = enumerate(file.text.split("\n"), 1)
        yield from ((file.at(number), _json(line)) for number, line in lines if line.strip())


def those(files: Files, looks_right: Callable[[Files], bool]) -> Files:
    """Return the files that are of the format, or all if none is: the others would be reported line by line."""
    return [file for file in files if looks_right([file])] or files


_NOT_JSON = object()


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _NOT_JSON


def when(value: object) -> str | None:
    """A time as other stores write it: ISO 8601, a day, or seconds or milliseconds since 1970."""
    try:
        if isinstance(value, bool):
            return None
        if isinstance(value, (int, float)):
            seconds = value / 1000 if abs(value) > _MILLISECONDS else value
            return stamp(datetime.fromtimestamp(seconds, UTC))
        if isinstance(value, str) and value.strip():
            text = value.strip()
            # Of a day, its middle: that is the same day nearly everywhere.
            return stamp(moment(f"{text}T12:00:00" if len(text) == 10 else text))
    except (ValueError, OverflowError, OSError):
        pass
    return None


def texts(value: object) -> tuple[str, ...]:
    """A field that should be a list of texts, or one text with commas."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, list):
        return tuple(one for one in value if isinstance(one, str) and one.strip())
    return ()


def text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
