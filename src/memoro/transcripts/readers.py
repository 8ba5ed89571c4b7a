"""The known formats of conversation logs. A new one is a module of its own and a line here."""

from __future__ import annotations

from collections.abc import Collection

from memoro.transcripts.chatgpt import ChatGptReader
from memoro.transcripts.claude import ClaudeReader
from memoro.transcripts.clean import record
from memoro.transcripts.codex import CodexReader
from memoro.transcripts.gemini import GeminiDocumentReader, GeminiLinesReader
from memoro.transcripts.openclaw import OpenClawDatabaseReader, OpenClawReader
from memoro.transcripts.opencode import OpenCodeReader
from memoro.transcripts.plain import PlainReader
from memoro.transcripts.ports import DatabaseReader, DocumentReader, LineReader

LINES: tuple[LineReader, ...] = (ClaudeReader(), CodexReader(), OpenClawReader(), GeminiLinesReader(), PlainReader())
DOCUMENTS: tuple[DocumentReader, ...] = (ChatGptReader(), GeminiDocumentReader())
DATABASES: tuple[DatabaseReader, ...] = (OpenCodeReader(), OpenClawDatabaseReader())
HEAD = 256 * 1024  # bytes that identify a format; the first record of a log can be long
_SNIFFED = 50  # lines; a log may begin with records that are not messages


def recognise_lines(head: bytes) -> LineReader | None:
    """Return the reader for these lines, by those that are complete."""
    found = (record(line) for line in head.split(b"\n")[:-1][:_SNIFFED])
    records = [one for one in found if one is not None]
    return next((reader for reader in LINES if reader.recognises(records)), None) if records else None


def recognise_document(head: bytes) -> DocumentReader | None:
    return next((reader for reader in DOCUMENTS if reader.recognises(head)), None)


def recognise_database(tables: Collection[str]) -> DatabaseReader | None:
    return next((reader for reader in DATABASES if reader.recognises(tables)), None)


def line_reader(name: str) -> LineReader | None:
    return next((reader for reader in LINES if reader.name == name), None)
