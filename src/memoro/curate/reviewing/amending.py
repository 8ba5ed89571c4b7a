"""A proposed change in a person's own words."""

from __future__ import annotations

from memoro.errors import Refused
from memoro.model.proposals import (
    AddDailyLine,
    AddRule,
    ChangeMemory,
    EditEntry,
    PromoteMemory,
    ProposedChange,
    RememberEntry,
    StoreMemory,
    WriteNote,
)
from memoro.model.values import require_storable
from memoro.model.vocabulary import PERSON

MOST_CHARACTERS = 2000  # of an entry: it is read in every session


def editable_text(change: ProposedChange) -> str | None:
    """Return the text that a person may say in other words before they accept it; None: the change writes none."""
    match change:
        case StoreMemory(content=text) | ChangeMemory(content=text):
            return text
        case RememberEntry(text=text) | EditEntry(text=text) | AddRule(text=text) | PromoteMemory(text=text):
            return text
        case AddDailyLine(text=text) | WriteNote(text=text):
            return text
        case _:
            return None


def amended(change: ProposedChange, text: str) -> ProposedChange:
    """Return the change with a person's words instead of the proposed ones.

    Refused where it writes no text, or the words are empty or too long. An entry is one line: ends of lines become
    spaces. A memory in a person's words has the person as its source.
    """
    storable = require_storable(text, "text")
    match change:
        case WriteNote():
            return change._replace(text=storable)
        case StoreMemory():
            return change._replace(content=_said(storable.strip()), source=PERSON)
        case ChangeMemory(content=str()):
            return change._replace(content=_said(storable.strip()))
        case RememberEntry() | EditEntry() | AddDailyLine():
            return change._replace(text=_line(storable))
        case AddRule() | PromoteMemory():
            return change._replace(text=_line(storable))
        case _:
            raise Refused(
                "This proposal writes no text of its own, so there is nothing to edit. Accept or reject it."
            )


def _line(text: str) -> str:
    line = _said(" ".join(text.split()))
    if len(line) > MOST_CHARACTERS:
        raise Refused(f"This has {len(line):,} characters; an entry has at most {MOST_CHARACTERS:,}. Shorten it.")
    return line


def _said(text: str) -> str:
    if not text:
        raise Refused("The edited text is empty. To drop the proposal, reject it.")
    return text
