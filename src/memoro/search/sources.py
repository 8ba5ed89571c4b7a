"""Messages, and the extracted lines of daily notes, of which memories were made that hold no longer.

Somebody has said of the memory that it ended, or that another one took its place. So it is with what it was made of,
where that says nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from memoro.model.answers import EndedFact, Passage
from memoro.model.extracted_lines import ExtractedLine
from memoro.model.notes import MEMORY, indexed_kind
from memoro.model.origins import origin_of, short_origin
from memoro.model.sentences import read_sentence, topic_words
from memoro.search.compared_statements import specific_words
from memoro.search.copies import extracted_line

_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n")
_FEW = 2  # words with a topic: "That was a surprise." says nothing that could hold on by itself

# The facts that hold no longer among those extracted from messages, by their origins, or with these very texts.
FindEnded = Callable[[Sequence[str], Sequence[str]], Sequence[EndedFact]]


class _Said(NamedTuple):
    """A passage from which facts may have been extracted."""

    place: int  # among the passages
    origin: str
    line: ExtractedLine | None = None  # None: it is a message


def with_ends(passages: Sequence[Passage], find_ended: FindEnded) -> list[Passage]:
    """Return the passages; those that state only what holds no longer with its days, as memories have them."""
    said = [one for place, passage in enumerate(passages) if (one := _said(place, passage)) is not None]
    found = list(passages)
    if not said:
        return found
    origins = [one.origin for one in said]
    texts = [one.line.text for one in said if one.line is not None]
    ended = _by_origin(find_ended(list(dict.fromkeys(origins)), list(dict.fromkeys(texts))))
    for one in said:
        facts, passage = ended.get(one.origin, ()), passages[one.place]
        last = max(facts, key=lambda fact: fact.last, default=None)
        # What was said after the end is another matter.
        if last and (passage.date or "") <= last.last and _is_all(_text(passage, one.line), facts):
            found[one.place] = passage._replace(
                valid_from=last.first, valid_to=last.last, superseded_by=last.superseded_by
            )
    return found


def has_ended(passage: Passage) -> bool:
    """Return whether a passage that is no memory states only what holds no longer."""
    return passage.valid_to is not None and not passage.path.startswith(MEMORY)


def _said(place: int, passage: Passage) -> _Said | None:
    if indexed_kind(passage.path) == "transcript":
        return _Said(place, origin_of(passage.path, passage.start_line))
    line = extracted_line(passage)
    return _Said(place, f"{line.agent} {line.conversation}:{line.line}", line) if line else None


def _by_origin(facts: Iterable[EndedFact]) -> Mapping[str, list[EndedFact]]:
    """The facts by the origins of their memories, and by the names that extracted lines have for these."""
    found: dict[str, list[EndedFact]] = {}
    for fact in facts:
        path, _, line = fact.origin.rpartition(":")
        for origin in {fact.origin, short_origin(path, int(line)) if line.isdecimal() else fact.origin}:
            found.setdefault(origin, []).append(fact)
    return found


def _text(passage: Passage, line: ExtractedLine | None) -> str:
    if line is not None:
        return line.text
    return passage.text.removeprefix(f"{passage.speaker}: ") if passage.speaker else passage.text


def _is_all(text: str, facts: Sequence[EndedFact]) -> bool:
    return any(fact.text == "" for fact in facts) or states_only(text, [fact.text for fact in facts])


def states_only(text: str, facts: Iterable[str]) -> bool:
    """Return whether a text holds one of these facts, and states nothing else of its own."""
    rest = " ".join(text.split())
    whole = len(rest)
    for fact in facts:
        rest = rest.replace(" ".join(fact.split()), "\n")
    return len(rest) < whole and not any(map(_states, _SENTENCE_END.split(rest)))


def _states(part: str) -> bool:
    words = topic_words(part)
    return bool(words) and read_sentence(part).states and (len(words) > _FEW or bool(specific_words(part) & words))
