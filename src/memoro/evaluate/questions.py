"""Reads questions with known answers: a person's own file, or a labelled set.

A person's file is TOML with `[[question]]` tables, or one JSON object a line; each has `query`, `expect`
(a path, or several) and perhaps a `category`. A labelled set has one collection a line, with its own
`documents`, which are the turns of conversations, and `queries`.
"""

from __future__ import annotations

import gzip
import json
import tomllib
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memoro.errors import ConfigError

_GZIP = b"\x1f\x8b"
_KEYS = {"query", "expect", "category"}
_HELP = 'Each question needs query = "…" and expect = "note.md", or a list of notes.'


class Question(NamedTuple):
    text: str
    relevant: tuple[str, ...]  # paths of notes; in a labelled set, ids of documents
    category: str = ""
    haystack: tuple[str, ...] = ()  # in a labelled set, the sessions to search; none: all
    sessions: tuple[str, ...] = ()  # in a labelled set, the sessions that answer it


class LabelledTurn(NamedTuple):
    """One message of a labelled collection."""

    id: str
    session: str
    date: str | None
    speaker: str
    text: str


class LabelledCollection(NamedTuple):
    """Conversations, and questions about them."""

    turns: tuple[LabelledTurn, ...]
    questions: tuple[Question, ...]


QuestionSet = tuple[Question, ...] | tuple[LabelledCollection, ...]


def parse(data: bytes, origin: str) -> QuestionSet:
    """Return the questions of a file, or the collections of a labelled set. Raises ConfigError if there are none."""
    text = _text(data, origin)
    if origin.endswith(".toml"):
        found: QuestionSet = _from_toml(text, origin)
    else:
        rows = list(_rows(text, origin))
        if rows and "documents" in rows[0][1]:
            found = tuple(_collection(row, f"{origin}, line {line}") for line, row in rows)
        else:
            found = tuple(_question(row, f"{origin}, line {line}") for line, row in rows)
    if not any(one.questions if isinstance(one, LabelledCollection) else one for one in found):
        raise ConfigError(f"{origin} holds no questions. {_HELP}")
    return found


def _text(data: bytes, origin: str) -> str:
    try:
        return (gzip.decompress(data) if data.startswith(_GZIP) else data).decode("utf-8-sig")
    except (OSError, EOFError, zlib.error) as error:
        raise ConfigError(f"{origin} cannot be decompressed: {error}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{origin} is not UTF-8 text: {error.reason} at byte {error.start}.") from error


def _from_toml(text: str, origin: str) -> tuple[Question, ...]:
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise ConfigError(f"{origin} is not valid TOML: {error}.") from error
    rows = table.get("question", [])
    if not isinstance(rows, list) or set(table) - {"question"}:
        raise ConfigError(f"{origin} must hold [[question]] tables and nothing else. {_HELP}")
    return tuple(_question(row, f"{origin}, question {number}") for number, row in enumerate(rows, 1))


def _rows(text: str, origin: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    # Not splitlines: JSON may hold the rarer line separators inside its strings.
    for line, content in enumerate(text.split("\n"), 1):
        if not content.strip():
            continue
        try:
            row = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{origin}, line {line} is not JSON: {error}. {_HELP}") from error
        if not isinstance(row, dict):
            raise ConfigError(f"{origin}, line {line} is not an object. {_HELP}")
        yield line, row


def _question(row: object, place: str) -> Question:
    if not isinstance(row, dict):
        raise ConfigError(f"{place} is not a table. {_HELP}")
    if unknown := sorted(set(row) - _KEYS):
        raise ConfigError(f"{place} has {unknown[0]!r}, which is not one of {', '.join(sorted(_KEYS))}. {_HELP}")
    expect = row.get("expect")
    paths = [expect] if isinstance(expect, str) else expect
    query, category = row.get("query"), row.get("category", "")
    if not isinstance(query, str) or not query.strip():
        raise ConfigError(f"{place} has no query. {_HELP}")
    if not isinstance(paths, list) or not paths or not all(isinstance(path, str) and path for path in paths):
        raise ConfigError(f"{place} does not say which note it expects. {_HELP}")
    if not isinstance(category, str):
        raise ConfigError(f"{place}: the category must be a text, not {category!r}.")
    return Question(query, tuple(dict.fromkeys(paths)), category)


def _collection(row: Mapping[str, Any], place: str) -> LabelledCollection:
    try:
        turns = tuple(
            LabelledTurn(
                id=str(t["id"]),
                session=str(t["session"]),
                date=t.get("date"),
                speaker=str(t["speaker"]),
                text=str(t["text"]),
            )
            for t in row["documents"]
        )
        questions = tuple(
            Question(
                text=str(q["text"]),
                relevant=tuple(map(str, q["relevant"])),
                category=str(q.get("category") or ""),
                haystack=tuple(map(str, q.get("haystack") or ())),
                sessions=tuple(map(str, q.get("sessions") or ())),
            )
            for q in row["queries"]
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"{place} is not a labelled collection (documents with id, session, date, speaker and text; queries "
            f"with text and relevant): {error!r}."
        ) from error
    known = {turn.id for turn in turns}
    for question in questions:
        if not question.relevant or not known.issuperset(question.relevant):
            raise ConfigError(f"{place}: the query {question.text!r} names no document of its collection.")
    return LabelledCollection(turns, questions)
