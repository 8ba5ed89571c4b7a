"""What the owner said in a conversation: their own words, without what was pasted, injected, private or forgotten."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from memoro.model.facts import SpokenTurn
from memoro.model.feedback import feedback_in
from memoro.model.notes import NOTHING_HIDDEN, Hidden
from memoro.model.privacy import message_is_private
from memoro.model.secrets import redact
from memoro.model.visible import visible
from memoro.transcripts.ports import Turn

OWNER = "User"  # as every reader calls the person who talks to an agent
_MOST_CHARACTERS = 20_000  # of one message; nobody types more
_LONG_LINE = 2_000  # characters of one line that somebody typed, at most
# Blocks that a person pastes, and that pages and tools use to speak in another's name.
_CODE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|%%.*?(?:%%|\Z)|\[//\]:.*$", re.DOTALL | re.MULTILINE)
_ELEMENT = re.compile(r"<([A-Za-z][\w:.-]*)(?:\s[^<>]*)?>.*?(?:</\1\s*>|\Z)", re.DOTALL)
_QUOTED = re.compile(r"^\s*(?:>|\|).*$", re.MULTILINE)
# The label of another speaker, or the mark of a chat template: what follows was not typed by the owner.
_OTHER_VOICE = re.compile(
    r"^\s*(?:[#*_>\s-]*\b(?:system|assistant|developer|tool|user|human|ai|agent|claude|chatgpt|gemini|codex|"
    r"function|memoro|benutzer|assistent)(?:\s+(?:prompt|message|note|notice|reminder|output|result|instructions?))?"
    r"[*_]*\s*[:：>]|\[/?(?:INST|SYS|SYSTEM)\b|<<\s*SYS|<\|)",
    re.IGNORECASE | re.MULTILINE,
)
# The head that a gateway puts before a message of a channel: others than the owner write there too.
_CHANNEL = re.compile(
    r"^\s*\[(?:whatsapp|telegram|discord|slack|signal|imessage|sms|matrix|teams|irc|email|e-mail|mail|chat|group)\b"
    r"[^\]\n]{0,200}\]",
    re.IGNORECASE,
)


def spoken_turns(turns: Sequence[Turn], hidden: Hidden = NOTHING_HIDDEN) -> list[SpokenTurn]:
    """Return the messages of a conversation, those of the owner with their own words alone.

    A message that its owner has forgotten or calls private is left out, and so is the answer to it. So is one that
    gives feedback, whose words are kept as a correction.
    """
    found: list[SpokenTurn] = []
    leaves_out_answer = False
    for turn in turns:
        is_owner = turn.speaker == OWNER
        if is_owner:
            leaves_out_answer = _is_left_out(turn, hidden)
        if leaves_out_answer or _is_left_out(turn, hidden):
            continue
        text = typed_text(turn.text) if is_owner else turn.text[:_MOST_CHARACTERS]
        if text:
            found.append(
                SpokenTurn(
                    speaker=turn.speaker,
                    text=text,
                    line=turn.line,
                    date=turn.date,
                    is_owner=is_owner and not _CHANNEL.match(turn.text),
                )
            )
    return found


def typed_text(text: str) -> str:
    """Return what a person typed themselves, without code, quotations, markup, and text in another's name."""
    if len(text) > _MOST_CHARACTERS:
        return ""
    seen = visible(text)
    if len(seen) < len(text) * 0.9:  # hidden characters are no slip of a keyboard
        return ""
    for pattern in (_CODE, _COMMENT, _ELEMENT, _QUOTED):
        seen = pattern.sub("\n", seen)
    if other := _OTHER_VOICE.search(seen):
        seen = seen[: other.start()]
    return "\n".join(line for line in seen.split("\n") if len(line) <= _LONG_LINE).strip()


def count_of_owner(turns: Sequence[Turn]) -> int:
    """Return how many messages the owner wrote."""
    return sum(turn.speaker == OWNER for turn in turns)


def _is_left_out(turn: Turn, hidden: Hidden) -> bool:
    if turn.speaker == OWNER and feedback_in(turn.text):
        return True
    return message_is_private(turn.text) or _is_hidden(turn, hidden.holds if hidden.total else None)


def _is_hidden(turn: Turn, holds: Callable[[str], bool] | None) -> bool:
    return holds is not None and holds(f"{turn.speaker}: {redact(turn.text).text}")
