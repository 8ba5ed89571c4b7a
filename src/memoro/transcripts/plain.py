"""The plain format: one JSON object a line, `{"role", "content", "timestamp"?, "speaker"?}`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime

from memoro.transcripts.ports import Turn

_ROLES = {"user": "User", "human": "User", "assistant": "Assistant", "ai": "Assistant", "model": "Assistant"}


class Plain:
    name = "plain"

    def recognises(self, lines: Sequence[str]) -> bool:
        return any(_message(line) is not None for line in lines)

    def turns(self, lines: Sequence[str]) -> Iterator[Turn]:
        for number, line in enumerate(lines, 1):
            message = _message(line)
            if message is None:
                continue
            text = _text(message["content"])
            role = message["role"]
            side = _ROLES.get(role.lower()) if isinstance(role, str) else None
            if text and side:
                speaker = message.get("speaker")
                name = " ".join(_storable(speaker).split()) if isinstance(speaker, str) else ""
                yield Turn(name or side, text, number, _day(message.get("timestamp")))


def _message(line: str) -> dict[str, object] | None:
    """The record if it is a message; a torn, foreign or hostile line is none."""
    if '"role"' not in line:
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_message = isinstance(record, dict) and "role" in record and "content" in record
    return record if is_message else None


def _text(content: object) -> str:
    """A message's words: a text, or the text parts of a list; what tools were given or gave is left out."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        content = "\n".join(part for part in parts if isinstance(part, str))
    if not isinstance(content, str):
        return ""
    return "\n".join(" ".join(line.split()) for line in _storable(content).split("\n")).strip()


def _storable(text: str) -> str:
    """JSON can name characters that no file can hold: halves of one, and the one that ends a text."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\x00", "\ufffd")


def _day(timestamp: object) -> str | None:
    """The local day of a time given as ISO text or as seconds or milliseconds since 1970."""
    try:
        if isinstance(timestamp, str):
            moment = datetime.fromisoformat(timestamp)
            return (moment.astimezone() if moment.tzinfo else moment).date().isoformat()
        if isinstance(timestamp, int | float) and not isinstance(timestamp, bool):
            seconds = timestamp / 1000 if timestamp > 1e11 else timestamp
            return datetime.fromtimestamp(seconds).date().isoformat()
    except (ValueError, OverflowError, OSError):
        pass
    return None
