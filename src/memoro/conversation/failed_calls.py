"""The errors that an agent's own commands met, each with the answer that says what helped. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from memoro.conversation import error_cues
from memoro.conversation.sentences import words
from memoro.model import remedies
from memoro.transcripts.ports import Turn
from memoro.transcripts.tool_effects import ToolEffect

_MOST_TURNS = 8  # after a failure, in which its cure is looked for
# A test that fails while somebody works is no error to remember.
_TEST_FAILED = re.compile(
    r"\bFAILED\b|AssertionError|\b\d+ (?:tests? )?fail(?:ed|ures?|ing)\b|✗|✕|\bassert\b", re.IGNORECASE
)


class SolvedCall(NamedTuple):
    """What a failed command printed, and the answer after which it worked."""

    output: str
    answer: str


def solved_calls(turns: Sequence[Turn], calls: Sequence[ToolEffect]) -> list[SolvedCall]:
    """Return the failed commands that work soon after, as an answer says or a later run shows; in their order."""
    found: list[SolvedCall] = []
    for place, call in enumerate(calls):
        if not call.failed or not call.line or not _shows_error(call.result):
            continue
        answer = _cure_after(turns, call, calls[place + 1 :])
        if answer is not None:
            found.append(SolvedCall(call.result, answer))
    return found


def _shows_error(output: str) -> bool:
    lines = output.split("\n")
    return any(error_cues.ERROR_LINE.search(line) for line in lines) and not _TEST_FAILED.search(output)


def _cure_after(turns: Sequence[Turn], call: ToolEffect, later: Sequence[ToolEffect]) -> str | None:
    """Return the answer that reports success, or beside a run that succeeded, the one that speaks of the error."""
    worked = next((one.line for one in later if not one.failed and call.command in one.command), None)
    told = ""  # the last answer before the run that succeeded
    for turn in [one for one in turns if one.line > call.line][:_MOST_TURNS]:
        if turn.speaker == "User" or remedies.still_fails(turn.text):
            continue
        if remedies.works(turn.text):
            return turn.text
        tells = not remedies.only_looks(turn.text)
        if worked is not None and turn.line > worked:
            is_about = tells and (not told or words(turn.text) & words(f"{told} {call.result}"))
            return turn.text if is_about else told or None
        told = turn.text if tells else told
    return told if worked is not None and told else None
