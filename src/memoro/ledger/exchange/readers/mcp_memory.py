"""The MCP reference memory server: entities with observations, and relations, one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from memoro.ledger.exchange.candidates import File, Files, Found, ImportCandidate, Reader, objects, text, those, when
from memoro.ledger.exchange.records import ImportProblem

_SNIFF = 50  # objects of a file that are looked at


def _looks_right(files: Files) -> bool:
    return any(_is_graph(found) for file in files for found in islice(_parts(file), _SNIFF))


def _is_graph(found: tuple[str, dict[str, Any]] | ImportProblem) -> bool:
    if isinstance(found, ImportProblem):
        return False
    part = found[1]
    return (part.get("type") == "entity" and "observations" in part) or (
        part.get("type") == "relation" and "relationType" in part
    )


def _parts(file: File) -> Iterator[tuple[str, dict[str, Any]] | ImportProblem]:
    """Entities and relations; also out of the one document that the server answers `read_graph` with."""
    for found in objects(file):
        if not isinstance(found, ImportProblem) and "entities" in found[1]:
            place, graph = found
            for kind, listed in (("entity", graph.get("entities")), ("relation", graph.get("relations"))):
                for number, item in enumerate(listed if isinstance(listed, list) else [], 1):
                    if isinstance(item, dict):
                        yield f"{place} {kind} {number}", {"type": kind, **item}
        else:
            yield found


def _read(files: Files) -> Found:
    for file in those(files, _looks_right):
        for found in _parts(file):
            if isinstance(found, ImportProblem):
                yield found
            else:
                yield from _memories(*found)


def _memories(place: str, part: dict[str, Any]) -> Found:
    if part.get("type") == "entity" and isinstance(part.get("observations"), list):
        yield from _observations(place, part)
    elif part.get("type") == "relation" and all(text(part.get(end)) for end in ("from", "to")):
        one, relation, other = (text(part.get(name)) for name in ("from", "relationType", "to"))
        said = f"{one} {relation or 'is related to'} {other}"
        yield ImportCandidate(place=place, content=said, tags=(one, other), created_at=when(part.get("created_at")))
    else:
        yield ImportProblem(place, "neither an entity nor a relation")


def _observations(place: str, entity: dict[str, Any]) -> Found:
    name = text(entity.get("name"))
    tags = tuple(tag for tag in (name, text(entity.get("entityType"))) if tag)
    for observation in entity["observations"]:
        # Forks of the server keep an object for each observation.
        inner = observation if isinstance(observation, dict) else {"content": observation}
        if said := text(inner.get("content")):
            created = when(inner.get("createdAt") or inner.get("timestamp"))
            yield ImportCandidate(place=place, content=said, tags=tags, created_at=created, about=name or None)
        else:
            yield ImportProblem(place, "an observation that is no text")


READER = Reader("mcp-memory", _looks_right, _read)
