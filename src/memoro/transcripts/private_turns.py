"""Which turns of a conversation are private: messages that say so, and what answers them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memoro.model.privacy import message_is_private
from memoro.transcripts.ports import Turn
from memoro.transcripts.tool_effects import ToolEffect

_PERSON = "User"


def private_turns(turns: Sequence[Turn], *, answers_private: bool = False) -> frozenset[int]:
    """Return the places of the private turns. All answers to a private message are, until the person speaks again.

    `answers_private`: the first turns answer a private message that stands before them.
    """
    found: set[int] = set()
    for place, turn in enumerate(turns):
        is_private = message_is_private(turn.text)
        if turn.speaker == _PERSON:
            answers_private = is_private
        if is_private or answers_private:
            found.add(place)
    return frozenset(found)


def would_answer_private(turns: Sequence[Turn], *, answers_private: bool = False) -> bool:
    """Return whether an answer after these turns is one to a private message."""
    asked = next((turn for turn in reversed(turns) if turn.speaker == _PERSON), None)
    return message_is_private(asked.text) if asked else answers_private


def effects_without(
    effects: Iterable[ToolEffect], turns: Sequence[Turn], private: frozenset[int]
) -> list[ToolEffect]:
    """Return the effects of calls that were not made for a private message; nor may their place be unknown."""
    asked = [place for place, turn in enumerate(turns) if turn.speaker == _PERSON]
    ends = [turns[place].line for place in asked[1:]]
    spans = [
        (turns[place].line, end)
        for place, end in zip(asked, [*ends, None], strict=False)
        if place in private
    ]  # fmt: skip
    return [
        one
        for one in effects
        if not private
        or (one.line > 0 and not any(first <= one.line and (end is None or one.line < end) for first, end in spans))
    ]
