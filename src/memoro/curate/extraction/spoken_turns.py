"""What the owner said in a conversation: their own words, without what was pasted, injected, private or forgotten."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoro.model.facts import ConversationTurn
from memoro.model.feedback import feedback_in
from memoro.model.notes import NOTHING_HIDDEN, Hidden
from memoro.model.privacy import message_is_private
from memoro.model.typed_text import MOST_CHARACTERS, typed_text
from memoro.transcripts.ports import Turn

OWNER = "User"  # as every reader calls the person who talks to an agent
# The head that a gateway puts before a message of a channel: others than the owner write there too.
_CHANNEL = re.compile(
    r"^\s*\[(?:whatsapp|telegram|discord|slack|signal|imessage|sms|matrix|teams|irc|email|e-mail|mail|chat|group)\b"
    r"[^\]\n]{0,200}\]",
    re.IGNORECASE,
)


def spoken_turns(turns: Sequence[Turn], hidden: Hidden = NOTHING_HIDDEN) -> list[ConversationTurn]:
    """Return the messages of a conversation, those of the owner with their own words alone.

    A message that its owner has forgotten or calls private is left out, and so is the answer to it. So is one that
    gives feedback, whose words are kept as a correction.
    """
    found: list[ConversationTurn] = []
    leaves_out_answer = False
    for turn in turns:
        is_owner = turn.speaker == OWNER
        if is_owner:
            leaves_out_answer = _is_left_out(turn, hidden)
        if leaves_out_answer or _is_left_out(turn, hidden):
            continue
        text = typed_text(turn.text) if is_owner else turn.text[:MOST_CHARACTERS]
        if text:
            found.append(
                ConversationTurn(
                    speaker=turn.speaker,
                    text=text,
                    line=turn.line,
                    date=turn.date,
                    is_owner=is_owner and not _CHANNEL.match(turn.text),
                )
            )
    return found


def count_of_owner(turns: Sequence[Turn]) -> int:
    """Return how many messages the owner wrote."""
    return sum(turn.speaker == OWNER for turn in turns)


def _is_left_out(turn: Turn, hidden: Hidden) -> bool:
    if turn.speaker == OWNER and feedback_in(turn.text):
        return True
    return message_is_private(turn.text) or hidden.covers(turn.speaker, turn.text)
