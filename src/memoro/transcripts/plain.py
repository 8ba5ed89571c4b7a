"""The plain format: one JSON object a line, `{"role", "content", "timestamp"?, "speaker"?}`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memoro.transcripts.clean import day, parts, record, storable
from memoro.transcripts.ports import LogFacts, NumberedLine, Record, Turn

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
            if message is None or "content" not in message:
                continue
            role = message.get("role")
            side = _ROLES.get(role.lower()) if isinstance(role, str) else None
            text = parts(message["content"]) if side else ""
            if text and side:
                speaker = message.get("speaker")
                name = " ".join(storable(speaker).split()) if isinstance(speaker, str) else ""
                yield Turn(speaker=name or side, text=text, line=number, date=day(message.get("timestamp")))
