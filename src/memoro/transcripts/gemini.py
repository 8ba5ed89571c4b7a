"""Gemini CLI: `session-….jsonl`, records applied in order, or `session-….json`, one object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memoro.transcripts.clean import clean, day, get, identity, record, text_of
from memoro.transcripts.ports import LogFacts, LoggedConversation, NumberedLine, Record, Turn, Unread

_SIDES = {"user": "User", "gemini": "Assistant"}
_INJECTED = ("/", "?", "<session_context>", "<hook_context>")
_META = ("sessionId", "projectHash", "startTime", "lastUpdated", "kind", "summary", "directories")


class GeminiLinesReader:
    name = "gemini"
    agent: str | None = "gemini"
    titles: tuple[str, ...] = ("summary", "first")
    continues = False  # a later line can change or remove any earlier one

    def recognises(self, records: Sequence[Record]) -> bool:
        return any(
            ("sessionId" in found and ("projectHash" in found or "startTime" in found))
            or (found.get("type") in ("user", "gemini") and "id" in found and "content" in found)
            for found in records
        )

    def turns(self, lines: Iterable[NumberedLine], about: LogFacts) -> Iterator[Turn]:
        log = _Log()
        for number, line in lines:
            found = record(line)
            if found:
                log.apply(found, number)
        yield from log.turns(about)


class GeminiDocumentReader:
    name = "gemini"
    agent: str | None = "gemini"
    titles: tuple[str, ...] = ("summary", "first")

    def recognises(self, head: bytes) -> bool:
        return (
            head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and b'"sessionId"' in head and b'"messages"' in head
        )

    def conversations(self, data: bytes) -> Iterator[LoggedConversation | Unread]:
        found = record(data)
        if found is None:
            yield Unread("It is not whole, or no JSON: none of it was read.")
            return
        log = _Log()
        log.apply(found, 0)
        if log.skipped:
            yield Unread(f"Messages left out because they are no objects: {log.skipped:,}.")
        about = LogFacts()
        turns = tuple(log.turns(about))
        yield LoggedConversation(about.known.get("session", "chat"), about, turns)


class _Log:
    """The state after the records so far."""

    def __init__(self) -> None:
        self._meta: Record = {}
        self._messages: dict[str, tuple[int, Record]] = {}  # in their order, each with its line
        self.skipped = 0  # of the messages of a document, those that cannot be any

    def apply(self, found: Record, line: int) -> None:
        changed, rewound = found.get("$set"), found.get("$rewindTo")
        if isinstance(rewound, str):
            self._rewind(rewound)
        elif isinstance(changed, dict):
            self._merge(changed, line)
        elif isinstance(found.get("id"), str) and "sessionId" not in found:
            self._messages[str(found["id"])] = (line, found)
        else:
            self._merge(found, line)

    def _merge(self, found: Record, line: int) -> None:
        self._meta |= {key: found[key] for key in _META if key in found}
        messages = found.get("messages")
        if isinstance(messages, list):
            self._messages = {}
            for number, message in enumerate(messages, 1):
                self.skipped += not isinstance(message, dict)
                if isinstance(message, dict):
                    name = message.get("id")
                    # In a document, messages are numbered; in a log of lines, they have the number of their line.
                    self._messages[name if isinstance(name, str) else f"#{number}"] = (line or number, message)

    def _rewind(self, name: str) -> None:
        names = list(self._messages)
        kept = names[: names.index(name)] if name in self._messages else []
        self._messages = {one: self._messages[one] for one in kept}

    def turns(self, about: LogFacts) -> Iterator[Turn]:
        about.note("session", self._meta.get("sessionId"))
        about.note("summary", self._meta.get("summary"))
        folders = self._meta.get("directories")
        if isinstance(folders, list) and folders:
            about.folder(folders[0])
        if self._meta.get("kind") == "subagent":
            return
        for name, (line, message) in self._messages.items():
            side = _SIDES.get(str(message.get("type")))
            text = _words(message.get("content")) if side else ""
            if not text or side is None or (side == "User" and text.startswith(_INJECTED)):
                continue
            if side == "User":
                about.note("first", text, first=True)
            date, unique = day(message.get("timestamp")), identity("gemini", about.known.get("session"), name)
            yield Turn(speaker=side, text=text, line=line, date=date, id=unique)


def _words(content: object) -> str:
    """Return the text of a message: a text, a part or a list of parts, without thoughts and calls."""
    if isinstance(content, list):
        return clean("\n".join(filter(None, map(_part, content))))
    return clean(_part(content))


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    return "" if get(part, "thought") else text_of(get(part, "text")) or ""
