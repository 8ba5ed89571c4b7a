"""The known formats of conversation logs. A new one is a module of its own and a line here."""

from __future__ import annotations

import json
from collections.abc import Collection

from memoro.transcripts.chatgpt import ChatGptReader
from memoro.transcripts.claude import ClaudeReader
from memoro.transcripts.clean import record
from memoro.transcripts.codex import CodexReader
from memoro.transcripts.gemini import GeminiDocumentReader, GeminiLinesReader
from memoro.transcripts.openclaw import OpenClawDatabaseReader, OpenClawReader
from memoro.transcripts.opencode import OpenCodeReader
from memoro.transcripts.plain import PlainDocumentReader, PlainReader
from memoro.transcripts.ports import DatabaseReader, DocumentReader, LineReader

LINES: tuple[LineReader, ...] = (ClaudeReader(), CodexReader(), OpenClawReader(), GeminiLinesReader(), PlainReader())
DOCUMENTS: tuple[DocumentReader, ...] = (ChatGptReader(), GeminiDocumentReader(), PlainDocumentReader())
DATABASES: tuple[DatabaseReader, ...] = (OpenCodeReader(), OpenClawDatabaseReader())
HEAD = 256 * 1024  # bytes that identify a format; the first record of a log can be long
_SNIFFED = 50  # lines; a log may begin with records that are not messages


def recognise_lines(head: bytes) -> LineReader | None:
    """Return the reader for these lines, by those that are complete; None for one document on one or many lines."""
    if is_document(head):
        return None
    found = (record(line) for line in head.split(b"\n")[:-1][:_SNIFFED])
    records = [one for one in found if one is not None]
    return next((reader for reader in LINES if reader.recognises(records)), None) if records else None


def is_document(head: bytes) -> bool:
    """Return whether a file is one JSON value, wherever its lines break, and not a record a line.

    A document may have a message on each line, of which some are JSON by themselves. It may go on after `head`.
    """
    text = head.decode("utf-8-sig", "replace").strip()
    first = text.partition("\n")[0]
    if not text.startswith(("{", "[")):
        return False
    try:
        found, end = json.JSONDecoder().raw_decode(text)
    except json.JSONDecodeError as error:
        is_cut = error.pos >= len(text) or error.msg.startswith("Unterminated string")
        return is_cut and len(text) > len(first)
    except RecursionError:
        return False
    if end > len(first):
        return True
    return end == len(text) and (isinstance(found, list) or isinstance(found.get("messages"), list))


def is_whole(head: bytes) -> bool:
    """Return whether a file is one whole JSON value."""
    try:
        json.loads(head)
    except (ValueError, RecursionError):
        return False
    return True


def recognise_document(head: bytes) -> DocumentReader | None:
    return next((reader for reader in DOCUMENTS if reader.recognises(head)), None)


def recognise_database(tables: Collection[str]) -> DatabaseReader | None:
    return next((reader for reader in DATABASES if reader.recognises(tables)), None)
