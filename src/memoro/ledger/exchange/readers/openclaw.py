"""OpenClaw and Gimli workspaces: `MEMORY.md` and `memory/**/*.md`, one memory for each bullet or paragraph."""

from __future__ import annotations

import re

from memoro.ledger.exchange.candidates import File, Files, Found, ImportCandidate, Reader, when
from memoro.ledger.exchange.readers.blocks import blocks
from memoro.model.dates import find_date

# What an agent is, not what it remembers.
_OTHERS = {"agents.md", "soul.md", "user.md", "heartbeat.md", "boot.md", "bootstrap.md", "tools.md", "identity.md"}
_dated = re.compile(r"\d{4}-\d{2}-\d{2}\b.*\.\w+")


def _is_memory(file: File) -> bool:
    name, folders = file.name.casefold(), file.path.casefold().split("/")[:-1]
    return name == "memory.md" or ("memory" in folders and name.endswith(".md"))


def _looks_right(files: Files) -> bool:
    return any(_is_memory(file) for file in files)


def _read(files: Files) -> Found:
    """Where there are files of the known names, only those."""
    chosen = [file for file in files if _is_memory(file)]
    for file in chosen or [file for file in files if file.name.casefold() not in _OTHERS]:
        day = when(find_date(file.name)) if _dated.fullmatch(file.name) else None
        for block in blocks(file.text):
            yield ImportCandidate(place=file.at(block.line), content=block.text, tags=block.headings, created_at=day)


READER = Reader("openclaw", _looks_right, _read)
