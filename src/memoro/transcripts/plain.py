"""The plain format: objects `{"role", "content", "timestamp"?, "speaker"?}`, one a line or in one JSON list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memoro.transcripts.clean import day, elements, parts, record, storable
from memoro.transcripts.ports import LogFacts, LoggedConversation, NumberedLine, Record, Turn, Unread

_ROLES = {"user": "User", "human": "User", "assistant": "Assistant", "ai": "Assistant", "model": "Assistant"}


class PlainReader:
    name = "plain"
    agent: str | None = None
    titles: tuple[str, ...] = ()
    continues = True

    def recognises(self, records: Sequence[Record]) -> bool:
        return any("role" in found and "content" in found for found in records)

    def turns(self, lines: Iterable[NumberedLine], about: LogFacts) -> Iterator[Turn]:  # noqa: ARG002
        for number, line in lines:
            message = record(line) if b'"role"' in line else None
            turn = _turn(message, number) if message is not None else None
            if turn is not None:
                yield turn


class PlainDocumentReader:
    """Reads a list of messages, or an object that has one under `messages`, as requests to models have it."""

    name = "plain"
    agent: str | None = None
    titles: tuple[str, ...] = ("first",)

    def recognises(self, head: bytes) -> bool:
        return (
            head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"[", b"{"))
            and b'"role"' in head
            and b'"content"' in head
        )

    def conversations(self, data: bytes) -> Iterator[LoggedConversation | Unread]:
        text = data.decode("utf-8-sig", "replace")
        whole = record(text) if text.lstrip().startswith("{") else None
        listed = whole.get("messages") if whole is not None else None
        found = elements(text) if whole is None else iter(listed if isinstance(listed, list) else [])
        about, turns, skipped = LogFacts(), [], 0
        for number, one in enumerate(found, 1):
            if isinstance(one, Unread):
                yield one
            elif not isinstance(one, dict) or "role" not in one or "content" not in one:
                skipped += 1
            elif turn := _turn(one, number):
                turns.append(turn)
                if turn.speaker == "User":
                    about.note("first", turn.text, first=True)
        if skipped:
            yield Unread(f"Elements left out because they are no messages with `role` and `content`: {skipped:,}.")
        if turns:
            yield LoggedConversation("chat", about, tuple(turns))


def _turn(message: Record, number: int) -> Turn | None:
    if "content" not in message:
        return None
    role = message.get("role")
    side = _ROLES.get(role.lower()) if isinstance(role, str) else None
    text = parts(message["content"]) if side else ""
    if not text or not side:
        return None
    speaker = message.get("speaker")
    name = " ".join(storable(speaker).split()) if isinstance(speaker, str) else ""
    return Turn(speaker=name or side, text=text, line=number, date=day(message.get("timestamp")))
