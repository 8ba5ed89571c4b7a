"""What every reader does to what it finds: parse without failing, keep words, tell the day."""

from __future__ import annotations

import json
import re
from datetime import datetime

from memoro.model.fence import without_fenced
from memoro.transcripts.ports import Record

_reminder = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)


def record(line: bytes | str) -> Record | None:
    """The object in a line; a torn, foreign or hostile line is none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def get(value: object, *keys: str) -> object:
    """What stands below these keys, if that many objects are nested there."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def text_of(value: object) -> str | None:
    return value if isinstance(value, str) else None


def parts(content: object, kinds: tuple[str, ...] = ("text",)) -> str:
    """A message's words: a text, or the text parts of a list; what tools were given or gave is left out."""
    if isinstance(content, list):
        found = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") in kinds]
        content = "\n".join(part for part in found if isinstance(part, str))
    return clean(content) if isinstance(content, str) else ""


def clean(text: str) -> str:
    """Without what hosts and we ourselves have put in; single spaces; nothing that no file can hold."""
    text = without_fenced(text)
    if "<system-reminder>" in text:
        text = _reminder.sub("", text)
    return "\n".join(" ".join(line.split()) for line in storable(text).split("\n")).strip()


def storable(text: str) -> str:
    """JSON can name characters that no file can hold: halves of one, and the one that ends a text."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\x00", "\ufffd")


def day(timestamp: object) -> str | None:
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


def identity(*named: object) -> str | None:
    """One name out of several, for telling a copy of a message; None where one of them is missing."""
    if all(isinstance(name, str) and name for name in named):
        return storable(":".join(map(str, named)))[:TOO_LONG]
    return None


TOO_LONG = 200  # for a name; nobody's is
