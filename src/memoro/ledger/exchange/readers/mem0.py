"""mem0: what `get_all()` gives, `{"results": [{"id", "memory", …}]}`, or the bare list of older versions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from memoro.ledger.exchange.candidates import (
    File,
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

_SNIFF = 50


def _looks_right(files: Files) -> bool:
    """By the first memory of a file: others may have an odd line of the kind."""
    sniffed = (
        [item for item in islice(_items(file), _SNIFF) if not isinstance(item, ImportProblem)] for file in files
    )
    return any(found and {"memory", "id"} <= found[0][1].keys() for found in sniffed)


def _items(file: File) -> Iterator[tuple[str, dict[str, Any]] | ImportProblem]:
    for found in objects(file):
        if isinstance(found, ImportProblem) or not isinstance(found[1].get("results"), list):
            yield found
            continue
        place, document = found
        for number, item in enumerate(document["results"], 1):
            if isinstance(item, dict):
                yield f"{place} item {number}", item
            else:
                yield ImportProblem(f"{place} item {number}", "not a JSON object")


def _read(files: Files) -> Found:
    for file in those(files, _looks_right):
        for found in _items(file):
            yield found if isinstance(found, ImportProblem) else _memory(*found)


def _memory(place: str, item: dict[str, Any]) -> ImportCandidate | ImportProblem:
    said, name = text(item.get("memory")), item.get("id")
    if not said:
        return ImportProblem(place, "without the text of a memory")
    origin = f"mem0:{name}" if isinstance(name, (str, int)) and str(name).strip() else None
    return ImportCandidate(
        place=place,
        content=said,
        tags=texts(item.get("categories")),
        created_at=when(item.get("created_at")),
        origin=origin,
    )


READER = Reader("mem0", _looks_right, _read)
