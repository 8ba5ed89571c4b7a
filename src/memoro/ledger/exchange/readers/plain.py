"""JSON Lines of any origin: one object a line, its text under `content`, `text` or `memory`."""

from __future__ import annotations

from itertools import islice
from typing import Any

from memoro.ledger.exchange.candidates import (
    SOURCE,
    Files,
    Found,
    ImportCandidate,
    Reader,
    objects,
    text,
    texts,
    those,
    when,
)
from memoro.ledger.exchange.records import ImportProblem
from memoro.model.vocabulary import TRUSTS

_SNIFF = 50
_TEXT = ("content", "text", "memory")
_TIME = ("created_at", "createdAt", "created", "timestamp", "date")


def _looks_right(files: Files) -> bool:
    found = (item for file in files for item in islice(objects(file), _SNIFF))
    return any(not isinstance(item, ImportProblem) and _first(item[1], _TEXT) for item in found)


def _read(files: Files) -> Found:
    for file in those(files, _looks_right):
        for found in objects(file):
            yield found if isinstance(found, ImportProblem) else _memory(*found)


def _memory(place: str, item: dict[str, Any]) -> ImportCandidate | ImportProblem:
    said = _first(item, _TEXT)
    if not said:
        return ImportProblem(place, "without content, text or memory")
    name, trust = item.get("id"), item.get("trust")
    return ImportCandidate(
        place=place,
        content=said,
        tags=texts(item.get("tags")),
        created_at=next((at for name in _TIME if (at := when(item.get(name)))), None),
        source=text(item.get("source")) or SOURCE,
        origin=f"jsonl:{name}" if isinstance(name, str) and name.strip() else None,
        trust=trust if trust in TRUSTS else None,
    )


def _first(item: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((said for name in names if (said := text(item.get(name)))), "")


READER = Reader("jsonl", _looks_right, _read)
