"""The part of a message that is looked up: without what Memoro put into it, and of a long one both ends."""

from __future__ import annotations

from memoro.model.fence import without_fenced

HEAD, TAIL = 3000, 1000  # characters of a long message that say what it is about


def asked(message: str) -> str:
    """Return the message without blocks that Memoro put into it."""
    return without_fenced(message).strip()


def is_long(message: str) -> bool:
    return len(message) > HEAD + TAIL


def ends(message: str) -> str:
    """Return the beginning and the end of a long message: questions mostly stand there, and the middle is slow."""
    return f"{message[:HEAD]}\n{message[-TAIL:]}" if is_long(message) else message
