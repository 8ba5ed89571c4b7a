"""Decide whether a conversation contains a passage already."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from memoro.model.extracted_lines import is_from, parse_line
from memoro.search.retrieve import identifier

if TYPE_CHECKING:
    from memoro.model.answers import Passage
    from memoro.unasked.finding import UnaskedRequest


def is_held(passage: Passage, request: UnaskedRequest) -> bool:
    """Return whether the model holds the passage, its whole file or its lines already."""
    known = request.held.passages
    if identifier(passage) in known or passage.path in known or _is_loaded(passage, request):
        return True
    return passage.tier == "daily" and _was_said_here(passage, known)


def _was_said_here(passage: Passage, known: Collection[str]) -> bool:
    """Return whether all lines of a day were extracted from this conversation: the model has heard that already."""
    lines = [line for line in passage.text.split("\n") if line.strip() and not line.startswith("# ")]
    said = [parse_line(line) for line in lines]
    logs = [path for path in known if path.startswith("@")]
    return bool(logs) and all(one is not None and is_from(one, logs) for one in said)


def _is_loaded(passage: Passage, request: UnaskedRequest) -> bool:
    """Return whether every line was loaded already, compared by text: the note may have been edited since."""
    if passage.path not in request.held.loaded:
        return False
    there = {line.strip() for text in request.held.loaded[passage.path] for line in text.split("\n")}
    return all(line.strip() in there for line in passage.text.split("\n") if line.strip())
