"""The messages between `memoro hook` and the `memoro serve` that answers for it. Pure.

A request is a line, a header and the event as the host sent it; the header holds what the server cannot know. The
server says that it has the whole request, and later sends its answer, or that it declines.

Every hook loads this module, so it imports nothing but `os`: `typing` and `json` would take as long as the rest.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_BYTES = 64 * 1024 * 1024  # of an event
MAX_HEADER_BYTES = 2 * 1024 * 1024  # Linux starts no process with a larger environment
MAX_LINE_BYTES = 200
RECEIVED = b"received\n"
DECLINED = b"declined\n"
_REQUEST, _ANSWER = b"memoro-hook-1", b"answer"  # the number changes with the form of the messages
_VARIABLE = "$"  # before the name of an environment variable in the header


def encode_request(version: str, fields: Mapping[str, str], environment: Mapping[str, str], event: bytes) -> bytes:
    """Return a request. No field holds a NUL: they are arguments, paths and variables of a process."""
    named = [f"{name}={value}" for name, value in fields.items()]
    named += [f"{_VARIABLE}{name}={value}" for name, value in environment.items()]
    header = os.fsencode("\0".join(named))
    return b"%s %s %d %d\n%s%s" % (_REQUEST, version.encode(), len(header), len(event), header, event)


def parse_request_line(line: bytes, version: str) -> tuple[int, int] | None:
    """Return the bytes of the header and of the event; None for a line that this version does not understand."""
    words = line.split(b" ")
    if len(words) != 4 or words[:2] != [_REQUEST, version.encode()] or not (words[2] + words[3]).isdigit():
        return None
    header, event = int(words[2]), int(words[3])
    return (header, event) if header <= MAX_HEADER_BYTES and event <= MAX_BYTES else None


def decode_header(header: bytes) -> tuple[dict[str, str], dict[str, str]]:
    """Return the fields and the environment of a request."""
    fields: dict[str, str] = {}
    environment: dict[str, str] = {}
    for entry in os.fsdecode(header).split("\0"):
        name, found, value = entry.partition("=")
        if found and name.startswith(_VARIABLE):
            environment[name.removeprefix(_VARIABLE)] = value
        elif found:
            fields[name] = value
    return fields, environment


def encode_answer(text: bytes) -> bytes:
    """Return the message with what the hook must print; nothing to print is an answer too."""
    return b"%s %d\n%s" % (_ANSWER, len(text), text)


def decode_answer(message: bytes) -> bytes | None:
    """Return what the hook must print; None unless the message is one whole answer."""
    line, end, text = message.partition(b"\n")
    return text if end and line == b"%s %d" % (_ANSWER, len(text)) else None
