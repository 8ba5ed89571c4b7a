"""Functions for all readers: parse records without failing, extract and clean text, find the day."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime

from memoro.model.fence import without_fenced
from memoro.transcripts.ports import Record, Unread

_ID_CHARACTERS = 200  # real ids are shorter
_reminder = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)


def record(line: bytes | str) -> Record | None:
    """Return the object in a line; None for a torn, foreign or hostile line."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def elements(text: str) -> Iterator[object]:
    """Yield the values of a JSON list one at a time, or one value alone: a file is long, and its end may be missing.

    What follows a broken one cannot be read: an `Unread` says so, and is the last.
    """
    decoder = json.JSONDecoder()
    at = len(text) - len(text.lstrip())
    is_list = text[at : at + 1] == "["
    at += is_list
    count = 0
    while True:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        if at >= len(text) or (is_list and text[at] == "]"):
            break
        try:
            found, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            left = len(text) - at
            yield Unread(
                f"After its first {count:,} elements it is no JSON: the last {left:,} characters were left out."
            )
            return
        count += 1
        yield found
    if is_list and at >= len(text):
        yield Unread(f"It ends after {count:,} elements without the end of its list: what followed is not there.")


def get(value: object, *keys: str) -> object:
    """Return the value below these keys; None if a key is missing or a value is not an object."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def text_of(value: object) -> str | None:
    return value if isinstance(value, str) else None


def parts(content: object, kinds: tuple[str, ...] = ("text",)) -> str:
    """Return the words of a message: a text, or the text parts of a list, without the input and output of tools."""
    if isinstance(content, list):
        found = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") in kinds]
        content = "\n".join(part for part in found if isinstance(part, str))
    return clean(content) if isinstance(content, str) else ""


def clean(text: str) -> str:
    """Remove what hosts and Memoro inserted, repeated spaces, and characters that no file can hold."""
    text = without_fenced(text)
    if "<system-reminder>" in text:
        text = _reminder.sub("", text)
    return "\n".join(" ".join(line.split()) for line in storable(text).split("\n")).strip()


def storable(text: str) -> str:
    """Replace characters that JSON can name and no file can hold: lone surrogates and NUL."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\x00", "\ufffd")


def day(timestamp: object) -> str | None:
    """Return the local day of a time in ISO format, or in seconds or milliseconds since 1970."""
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


def identity(*parts: object) -> str | None:
    """Join parts to an id by which copies of a message are recognised; None if a part is missing."""
    if all(isinstance(name, str) and name for name in parts):
        return storable(":".join(map(str, parts)))[:_ID_CHARACTERS]
    return None
