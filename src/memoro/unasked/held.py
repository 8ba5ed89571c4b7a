"""Decide whether a conversation contains a passage already, or the part of it that matters for a message."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.extracted_lines import is_from, parse_line
from memoro.model.given_text import holds
from memoro.search.retrieve import identifier
from memoro.unasked.shortening import Piece, WantedSentences, pieces

if TYPE_CHECKING:
    from memoro.model.answers import Passage
    from memoro.unasked.finding import UnaskedRequest

_HALF = 0.5  # of what a message says


def is_held(passage: Passage, request: UnaskedRequest) -> bool:
    """Return whether the model holds the passage or a part of it, its whole file or its lines already."""
    known = request.held.passages
    if identifier(passage) in known or passage.path in known or _is_loaded(passage, request):
        return True
    return passage.tier == "daily" and _was_said_here(passage, known)


class FreshParts(NamedTuple):
    """Finds what the conversation does not hold yet of the passages that may answer a message."""

    request: UnaskedRequest
    wanted: WantedSentences
    clean: Callable[[str], str]  # what was given is without secrets

    def of(self, passage: Passage) -> Passage | None:
        """Return the passage, or its sentences that were left out when it was given; None where that was enough.

        It was enough if no sentence that was left out says more for the message than one that was given, or if all of
        them hold less than half of it: such a rest has to stand without what it belongs to.
        """
        if not is_held(passage, self.request):
            return passage
        held = self.request.held
        texts = held.parts.get(identifier(passage), ())
        if not texts or passage.path in held.passages or _is_loaded(passage, self.request):
            return None
        given = "\n".join(texts)
        left = [one for one in pieces(_spoken(passage)) if not holds(given, self.clean(one.text))]
        said = [one.text for one in pieces(given)]
        if self._most(one.text for one in left) <= self._most(said):
            return None
        rest = _only(passage, left)
        return rest if self.wanted.held(rest.text) >= _HALF * sum(self.wanted.information.values()) else None

    def _most(self, texts: Iterable[str]) -> float:
        return max(map(self.wanted.share, texts), default=0.0)


def _spoken(passage: Passage) -> str:
    return passage.text.removeprefix(f"{passage.speaker}: ") if passage.speaker else passage.text


def _only(passage: Passage, left: Sequence[Piece]) -> Passage:
    """Return the passage with these sentences alone; that of a note with their lines."""
    numbers = sorted({one.line for one in left})
    lines = (" ".join(one.text for one in left if one.line == number) for number in numbers)
    if passage.speaker:
        return passage._replace(text=f"{passage.speaker}: " + "\n".join(lines))
    return passage._replace(
        text="\n".join(lines),
        start_line=passage.start_line + numbers[0],
        end_line=passage.start_line + numbers[-1],
    )


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
