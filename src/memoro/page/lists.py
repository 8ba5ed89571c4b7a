"""Lists on the page: what the address asks for, and the addresses of other orders and pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar
from urllib.parse import urlencode

from memoro.model.journal import JournalEntry
from memoro.model.vocabulary import PERSON
from memoro.page.texts import texts
from memoro.page.view import Fields

PAGE = 30  # items of a page
SHOWN = 400  # characters of an item in a list
T = TypeVar("T", bound=str)
# At the end of a line; or before what a summary says of more lines.
_BLOCK_ID = re.compile(r"[ \t]+\^[A-Za-z0-9-]+[ \t]*(?=$| →| \()", re.MULTILINE)


def one_of(fields: Fields, name: str, values: Sequence[T], default: T) -> T:
    """The value of a field that has a few; the default for any other."""
    given = fields.get(name)
    return next((value for value in values if value == given), default)


def maybe_one_of(fields: Fields, name: str, values: Sequence[T]) -> T | None:
    """As `one_of`; None for any other value."""
    return next((value for value in values if value == fields.get(name)), None)


def address(path: str, fields: Fields, **changes: str | None) -> str:
    """The path with the fields of this page and some changes. A page of another list begins at its beginning."""
    kept = [(name, value) for name, value in fields.pairs if value.strip() and name not in (*changes, "after")]
    pairs = [*kept, *((name, value) for name, value in changes.items() if value)]
    return f"{path}?{urlencode(pairs)}" if pairs else path


def options(prefix: str, values: Sequence[str], nothing: str = "") -> list[tuple[str, str]]:
    """The values of a choice with their names; first, where it is named, none of them."""
    t = texts()
    return [*([("", t(nothing))] if nothing else []), *((one, t(f"{prefix}{one}")) for one in values)]


def named(prefix: str, value: str, known: Sequence[str]) -> str:
    """The name of a value for people; a value that has none is shown as it is."""
    return texts()(f"{prefix}{value}") if value in known else value


def cut(text: str, most: int = SHOWN) -> str:
    """The beginning of a text, as far as a list shows it."""
    return text if len(text) <= most else f"{text[:most].rstrip()}…"


def without_block_ids(text: str) -> str:
    """The text without the ids of entries (`^a1b2c3`), which are for Memoro and not for people."""
    return _BLOCK_ID.sub("", text)


def newest_change(history: Sequence[JournalEntry], *operations: str) -> int | None:
    """The number of the owner's newest change of these kinds that is in force: what Undo takes back."""
    found = [one for one in history if one.operation in operations and one.actor == PERSON and one.undone_by is None]
    return found[-1].id if found else None
