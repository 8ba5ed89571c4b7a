"""Whether a conversation holds a passage already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.search.retrieve import identifier

if TYPE_CHECKING:
    from memoro.model.answers import Passage
    from memoro.unasked.finding import UnaskedRequest


def is_held(passage: Passage, request: UnaskedRequest) -> bool:
    """Return whether the model holds the passage, its whole file or its lines already."""
    known = request.held.passages
    return identifier(passage) in known or passage.path in known or _is_loaded(passage, request)


def _is_loaded(passage: Passage, request: UnaskedRequest) -> bool:
    """Return whether every line was loaded already, compared by text: the note may have been edited since."""
    if passage.path not in request.held.loaded:
        return False
    there = {line.strip() for text in request.held.loaded[passage.path] for line in text.split("\n")}
    return all(line.strip() in there for line in passage.text.split("\n") if line.strip())
