"""OpenCode: a database of sessions, messages and their parts."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from memoro.transcripts.clean import clean, day, get, identity, record, text_of
from memoro.transcripts.ports import LogFacts, LoggedConversation, Turn
from memoro.transcripts.tool_effects import EffectReader, ToolEffect

if TYPE_CHECKING:
    import apsw

_SIDES = {"user": "User", "assistant": "Assistant"}
_SESSIONS = "SELECT id, directory, title FROM session WHERE parent_id IS NULL ORDER BY time_created, id"
# Input and output of tools are in parts of other types, which are not read.
_PARTS = """
    SELECT m.id, m.data, p.data, m.time_created
      FROM message m LEFT JOIN part p ON p.message_id = m.id AND p.data LIKE '%"type":%"text"%'
     WHERE m.session_id = ?
     ORDER BY m.time_created, m.id, p.time_created, p.id"""

_CALLS = """
    SELECT p.data FROM part p JOIN message m ON m.id = p.message_id
     WHERE m.session_id = ? AND p.data LIKE '%"type":%"tool"%'
     ORDER BY m.time_created, m.id, p.time_created, p.id"""


class OpenCodeReader:
    name = "opencode"
    agent: str | None = "opencode"
    titles: tuple[str, ...] = ("title", "first")

    def recognises(self, tables: Collection[str]) -> bool:
        return {"session", "message", "part"} <= set(tables)

    def conversations(self, db: apsw.Connection) -> Iterator[LoggedConversation]:
        for session, directory, title in db.execute(_SESSIONS).fetchall():
            about = LogFacts()
            about.note("title", title)
            about.folder(directory)
            turns = tuple(_turns(db, session, about))
            if turns:
                yield LoggedConversation(str(session), about, turns)

    def effects(self, db: apsw.Connection, conversation: str) -> list[ToolEffect]:
        found = EffectReader()
        for number, (data,) in enumerate(db.execute(_CALLS, (conversation,)), 1):
            part = record(data) if isinstance(data, str) else None
            if part and part.get("type") == "tool":
                found.add(part, number)
        return found.effects()


def _turns(db: apsw.Connection, session: object, about: LogFacts) -> Iterator[Turn]:
    rows = db.execute(_PARTS, (session,))
    for number, (name, group) in enumerate(groupby(rows, key=itemgetter(0)), 1):
        found = list(group)
        message = record(found[0][1]) if isinstance(found[0][1], str) else None
        side = _SIDES.get(str(get(message, "role")))
        if message is None or side is None or message.get("summary") is True:
            continue
        text = clean("\n".join(filter(None, (_words(part) for _, _, part, _ in found))))
        if text:
            if side == "User":
                about.note("first", text, first=True)
            date = day(get(message, "time", "created")) or day(found[0][3])
            yield Turn(speaker=side, text=text, line=number, date=date, id=identity("opencode", name))


def _words(data: object) -> str:
    part = record(data) if isinstance(data, str) else None
    if part is None or part.get("type") != "text" or part.get("synthetic") or part.get("ignored"):
        return ""
    return text_of(part.get("text")) or ""
