"""The origins of memories that were extracted: the messages they were made of."""

from memoro.model.extracted_lines import agent_name, conversation_name
from memoro.model.memories import MAX_NAME


def origin_of(path: str, line: int) -> str:
    """Return what a memory has as its origin that was extracted from this line of a log."""
    origin = f"{path}:{line}"
    return origin if len(origin) <= MAX_NAME else short_origin(path, line)


def short_origin(path: str, line: int) -> str:
    """Return the place of a message as an extracted line names it."""
    return f"{agent_name(path)} {conversation_name(path)}:{line}"
