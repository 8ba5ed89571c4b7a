"""The formats of conversation logs that are known. A new one is a file of its own and a line here."""

from __future__ import annotations

from collections.abc import Collection

from memoro.transcripts.chatgpt import ChatGpt
from memoro.transcripts.claude import Claude
from memoro.transcripts.clean import record
from memoro.transcripts.codex import Codex
from memoro.transcripts.gemini import GeminiDocument, GeminiLines
from memoro.transcripts.openclaw import OpenClaw, OpenClawDatabase
from memoro.transcripts.opencode import OpenCode
from memoro.transcripts.plain import Plain
from memoro.transcripts.ports import DatabaseReader, DocumentReader, LineReader

LINES: tuple[LineReader, ...] = (Claude(), Codex(), OpenClaw(), GeminiLines(), Plain())
DOCUMENTS: tuple[DocumentReader, ...] = (ChatGpt(), GeminiDocument())
DATABASES: tuple[DatabaseReader, ...] = (OpenCode(), OpenClawDatabase())
HEAD = 256 * 1024  # bytes that tell a format; the first record of a log can be long
_SNIFFED = 50  # lines; a log may begin with records that are no messages


def recognise_lines(head: bytes) -> LineReader | None:
    """Whose lines these are, by those that are complete."""
    found = (record(line) for line in head.split(b"\n")[:-1][:_SNIFFED])
    records = [one for one in found if one is not None]
    return next((reader for reader in LINES if reader.recognises(records)), None) if records else None


def recognise_document(head: bytes) -> DocumentReader | None:
    return next((reader for reader in DOCUMENTS if reader.recognises(head)), None)


def recognise_database(tables: Collection[str]) -> DatabaseReader | None:
    return next((reader for reader in DATABASES if reader.recognises(tables)), None)


def line_reader(name: str) -> LineReader | None:
    return next((reader for reader in LINES if reader.name == name), None)
