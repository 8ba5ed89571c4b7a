"""Read a message: does it need memory at all, and what does it want?"""

from __future__ import annotations

from memoro.model.error_signatures import errors_in
from memoro.model.message_kinds import MessageReading, is_general, is_question, needs_no_memory, without_greeting
from memoro.search.phrasing import is_task


def read_message(message: str) -> MessageReading:
    """Return the kind of a message, why it was taken for that, and what it is about."""
    if silent := needs_no_memory(message):
        return silent
    about = without_greeting(message)
    if errors_in(about):
        reading = MessageReading("error", "it shows an error", about)
    elif is_question(about):
        reading = MessageReading("question", "it asks", about)
    elif is_task(about):
        reading = MessageReading("task", "it wants something done", about)
    else:
        reading = MessageReading("statement", "it tells something", about)
    return reading._replace(is_general=is_general(about))
