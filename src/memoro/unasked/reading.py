"""Read a message: does it need memory at all, and what does it want?"""

from __future__ import annotations

from memoro.model.message_kinds import MessageReading, is_question, needs_no_memory, without_greeting
from memoro.search.phrasing import is_task


def read_message(message: str) -> MessageReading:
    """Return the kind of a message, why it was taken for that, and what it is about."""
    if silent := needs_no_memory(message):
        return silent
    about = without_greeting(message)
    if is_question(about):
        return MessageReading("question", "it asks", about)
    if is_task(about):
        return MessageReading("task", "it wants something done", about)
    return MessageReading("statement", "it tells something", about)
