"""OpenClaw and Gimli: session events, one a line (compressed or not), or as rows of a database."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from memoro.transcripts.clean import day, get, identity, parts, record
from memoro.transcripts.ports import LogFacts, LoggedConversation, NumberedLine, Record, Turn
from memoro.transcripts.tool_effects import EffectReader, ToolEffect
from memoro.transcripts.zstd import unpacked

if TYPE_CHECKING:
    import apsw

_SIDES = {"user": "User", "assistant": "Assistant"}
_SENTINELS = ("NO_REPLY", "HEARTBEAT_OK")
_CHATTER = ("Read HEARTBEAT.md", "Pre-compaction memory flush", "<system")
_MACHINES = re.compile(r"(?:^|:)(?:cron|hook|heartbeat|subagent)(?::|$)")
_message = re.compile(rb'"type":\s*"(?:message|session)"')
_of_a_side = re.compile(rb'"role":\s*"(?:user|assistant)"')


class OpenClawReader:
    name = "openclaw"
    agent: str | None = "openclaw"
    titles: tuple[str, ...] = ("first",)
    continues = True

    def recognises(self, records: Sequence[Record]) -> bool:
        return any(
            (found.get("type") == "session" and "id" in found and ("version" in found or "cwd" in found))
            or (found.get("type") == "message" and "id" in found and get(found, "message", "role") is not None)
            for found in records
        )

    def turns(self, lines: Iterable[NumberedLine], about: LogFacts) -> Iterator[Turn]:
        for number, line in lines:
            if _message.search(line) and (b'"cwd"' in line or _of_a_side.search(line) or b'"session"' in line):
                found = record(line)
                turn = _turn(found, number, about) if found else None
                if turn:
                    yield turn


class OpenClawDatabaseReader:
    name = "openclaw"
    agent: str | None = "openclaw"
    titles: tuple[str, ...] = ("first",)

    def recognises(self, tables: Collection[str]) -> bool:
        return "transcript_events" in tables

    def conversations(self, db: apsw.Connection) -> Iterator[LoggedConversation]:
        rows = db.execute(_query([str(row[1]) for row in db.execute("PRAGMA table_info(transcript_events)")]))
        for session, group in groupby(rows, key=lambda row: str(row[0])):
            about = LogFacts({"session": session})
            turns = tuple(_database_turns(group, about))
            if turns:
                yield LoggedConversation(session, about, turns)

    def effects(self, db: apsw.Connection, conversation: str) -> list[ToolEffect]:
        rows = db.execute(_query([str(row[1]) for row in db.execute("PRAGMA table_info(transcript_events)")]))
        found = EffectReader()
        for number, (session, key, plain, packed) in enumerate(rows, 1):
            if str(session) != conversation or (isinstance(key, str) and _MACHINES.search(key)):
                continue
            event = record(plain if isinstance(plain, str) else _unpacked(packed))
            if event:
                found.add(event, number)
        return found.effects()


def _query(columns: Sequence[str]) -> str:
    """Return the query for events in order; versions of OpenClaw name the columns differently."""
    session = next((name for name in ("session_id", "session_key", "session") if name in columns), None)
    order = next((name for name in ("seq", "ordinal", "position", "event_index", "id") if name in columns), "rowid")
    texts = [name if name in columns else "NULL" for name in ("event_json", "event_zstd")]
    key = "session_key" if "session_key" in columns else "NULL"
    # The names come from the fixed lists above, never from the file.
    return f"""SELECT {session or "''"}, {key}, {", ".join(texts)} FROM transcript_events
                ORDER BY 1, {order}"""


def _database_turns(rows: Iterable[tuple[object, ...]], about: LogFacts) -> Iterator[Turn]:
    """Yield the turns of one session. Messages of cron jobs, hooks and subagents do not count."""
    count = 0
    for _, key, plain, packed in rows:
        if isinstance(key, str) and _MACHINES.search(key):
            continue
        found = record(plain if isinstance(plain, str) else _unpacked(packed))
        if found and found.get("type") == "message":
            count += 1
        turn = _turn(found, count, about) if found else None
        if turn:
            yield turn


def _unpacked(packed: object) -> bytes:
    return unpacked(packed) if isinstance(packed, bytes) else b""


def _turn(found: Record, number: int, about: LogFacts) -> Turn | None:
    if found.get("type") == "session":
        about.note("session", found.get("id"))
        about.folder(found.get("cwd"))
        return None
    message = found.get("message")
    side = _SIDES.get(str(get(message, "role")))
    if found.get("type") != "message" or side is None:
        return None
    text = parts(get(message, "content"))
    if not text or text in _SENTINELS or text.startswith(_CHATTER):
        return None
    if side == "User":
        about.note("first", text, first=True)
    date = day(found.get("timestamp")) or day(get(message, "timestamp"))
    name = identity("openclaw", about.known.get("session"), found.get("id"))
    return Turn(speaker=side, text=text, line=number, date=date, id=name)
