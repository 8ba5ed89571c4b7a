"""Read a message: does it need memory at all, and what does it want?"""

from __future__ import annotations

from datetime import date

from memoro.model.message_kinds import (
    MessageKind,
    MessageReading,
    asks_to_be_told,
    is_general,
    is_order,
    is_question,
    needs_no_memory,
    without_greeting,
)

_WHY: dict[MessageKind, str] = {
    "error": "it shows an error",
    "continuity": "it asks about the work itself",
    "time": "it asks what happened at a time",
    "question": "it asks",
    "task": "it wants something done",
    "statement": "it tells something",
}


def read_message(message: str, today: date) -> MessageReading:
    """Return the kind of a message, why it was taken for that, and what it is about."""
    if silent := needs_no_memory(message):
        return silent
    about = without_greeting(message)
    kind = _kind(about, today)
    return MessageReading(kind=kind, why=_WHY[kind], about=about, is_general=is_general(about))


def _kind(about: str, today: date) -> MessageKind:
    from memoro.model.continuity_phrases import continuity_question, happened_when  # an acknowledgement needs none
    from memoro.model.error_signatures import errors_in
    from memoro.search.phrasing import is_task

    if errors_in(about):
        return "error"
    if continuity_question(about) is not None:
        return "continuity"
    if happened_when(about, today) is not None:
        return "time"
    if asks_to_be_told(about) or is_question(about):
        return "question"
    return "task" if is_order(about) or is_task(about) else "statement"
