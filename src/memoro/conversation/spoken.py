"""The turns of a session as sentences: what each side said, without code, traces and other pasted text. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from memoro.conversation.sentences import Sentence, sentences
from memoro.transcripts.ports import Turn

# Lines that a person pastes: output of a command, a trace, a log, a table.
PASTED_LINE = re.compile(
    r"^\s*(?:\$ |> |>>> |at \S+[(:]|File \"|Traceback|goroutine \d|\S+Error\b|\S+Exception\b|Caused by|npm ERR|error\[|"
    r"(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|DETAIL|HINT|CONTEXT|Error|error|Fehler|Error message)\b ?:|\[?\d{4}-\d\d-\d\d[T ]\d|"
    r"\d\d:\d\d:\d\d|\||[+-]{3}|@@|[{}\[\]<]|\S+\s{2,}\S+\s{2,}|[A-Z][\w ]{0,20}:\s{2,}|panic:|fatal:|FAILED |E  )"
)
_MOST_LINES = 12  # of one message of a person; what is longer was pasted, and only its ends are their own words
_ENDS = 4


class Said(NamedTuple):
    """What one side said until the other spoke."""

    by_user: bool
    sentences: tuple[Sentence, ...]
    line: int  # of the log
    text: str  # as it stands in the log
    number: int  # of its first turn


def spoken(turns: Sequence[Turn]) -> list[Said]:
    """Return who said what, in order; consecutive turns of the assistant count as one."""
    found: list[Said] = []
    for number, turn in enumerate(turns):
        by_user = turn.speaker == "User"
        own = tuple(sentences(_own_lines(turn.text) if by_user else turn.text))
        if found and not by_user and not found[-1].by_user:
            last = found[-1]
            found[-1] = last._replace(sentences=last.sentences + own, text=f"{last.text}\n{turn.text}")
        else:
            found.append(Said(by_user=by_user, sentences=own, line=turn.line, text=turn.text, number=number))
    return found


def _own_lines(text: str) -> str:
    """Return a person's own words without what they pasted."""
    lines = [line for line in text.split("\n") if not PASTED_LINE.match(line)]
    if len(lines) > _MOST_LINES and not any(line.lstrip().startswith(("-", "*", "1")) for line in lines):
        lines = [*lines[:_ENDS], *lines[-_ENDS:]]
    return "\n".join(lines)
