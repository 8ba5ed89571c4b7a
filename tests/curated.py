"""Small curated states for the tests of planners, with the vectors of the built-in model."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memoro.config.settings import CurateSettings
from memoro.curate.snapshot.alike import alike_pairs
from memoro.curate.snapshot.state import (
    CuratedEntry,
    CuratedMemory,
    CuratedState,
    LoadedFile,
    SessionUses,
    texts_of_state,
)
from memoro.model.memories import Memory
from memoro.model.tokens import tokens
from memoro.model.vocabulary import LoadedTier
from memoro.providers.registry import builtin_model

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
SETTINGS = CurateSettings()
FILES: dict[LoadedTier, str] = {"semantic": "MEMORY.md", "procedural": "PROCEDURAL.md", "pinned": "PINNED.md"}


def entry(text: str, number: int = 1, tier: LoadedTier = "semantic", **fields: Any) -> CuratedEntry:
    return CuratedEntry(id=f"e{number}", tier=tier, path=FILES[tier], line=number, text=text, **fields)


def memory(text: str, number: int = 1, *, helped: int = 0, given: int = 0, **fields: Any) -> CuratedMemory:
    at = fields.pop("created_at", "2026-06-01T08:00:00.000Z")
    private = fields.pop("is_private", False)
    made = Memory(id=number, content=text, source="agent", trust=fields.pop("trust", "agent_inferred"), created_at=at)
    sessions = [f"s{one}" for one in range(max(helped, given))]
    uses = SessionUses(given=frozenset(sessions), reinforced=frozenset(sessions[:helped]))
    return CuratedMemory(made._replace(**fields), uses, private)


def state(*things: CuratedEntry | CuratedMemory, **fields: Any) -> CuratedState:
    entries = tuple(one for one in things if isinstance(one, CuratedEntry))
    memories = tuple(one for one in things if isinstance(one, CuratedMemory))
    found = CuratedState(now=NOW, entries=entries, memories=memories)._replace(**fields)
    builtin = builtin_model(256)
    pairs = alike_pairs(texts_of_state(found), lambda texts: builtin.embed(texts, "document"))
    return found._replace(alike=pairs, files=fields.get("files", _files(entries)))


def _files(entries: tuple[CuratedEntry, ...]) -> tuple[LoadedFile, ...]:
    return tuple(
        LoadedFile(
            tier=tier,
            path=path,
            tokens=sum(tokens(f"- {one.text}\n") for one in entries if one.tier == tier),
            entries=sum(one.tier == tier for one in entries),
        )
        for tier, path in FILES.items()
        if any(one.tier == tier for one in entries)
    )
