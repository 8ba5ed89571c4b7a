"""The stores that Memoro can read. Another one is a module beside these and a line in the table."""

from __future__ import annotations

import re

from memoro.ledger.exchange.candidates import Files, Reader
from memoro.ledger.exchange.readers import basic_memory, mcp_memory, mem0, openclaw, plain, tars

# In the order in which they are tried: the more a format needs to be recognised, the earlier.
READERS: tuple[Reader, ...] = (
    mcp_memory.READER,
    mem0.READER,
    tars.READER,
    basic_memory.READER,
    openclaw.READER,
    plain.READER,
)
_binary = re.compile(r"[\x00-\x08\x0e-\x1f\ufffd]")
ALIASES = {"gimli": "openclaw"}


def recognise(files: Files) -> Reader | None:
    """By what the files say; a text that is nothing else is taken for a workspace's memory file."""
    found = next((reader for reader in READERS if reader.looks_right(files)), None)
    if found or not any(_is_prose(file.text) for file in files):
        return found
    return openclaw.READER


def _is_prose(text: str) -> bool:
    return bool(text.strip()) and text.lstrip()[0] not in "{[" and not _binary.search(text)


def named(format: str) -> Reader | None:
    wanted = ALIASES.get(format, format)
    return next((reader for reader in READERS if reader.name == wanted), None)
