"""How suggestions name what they are about: quotes with their places, tiers and projects in words."""

from __future__ import annotations

from memoro.curate.snapshot.state import CuratedEntry, CuratedState
from memoro.model.local_time import local_day
from memoro.model.memories import Memory, dated
from memoro.model.proposals import Evidence
from memoro.model.vocabulary import LoadedTier
from memoro.vault.layout import ROLES


def quoted_entry(entry: CuratedEntry) -> Evidence:
    return Evidence(quote=entry.text, path=entry.path, line=entry.line)


def quoted_memory(memory: Memory) -> Evidence:
    return Evidence(quote=memory.content, path=f"memory:{memory.id}", date=local_day(dated(memory)))


def path_of(state: CuratedState, tier: LoadedTier) -> str:
    """Return the file of a tier: the one that there is, else the one that would be made."""
    return next((one.path for one in state.files if one.tier == tier), ROLES[tier][0])
