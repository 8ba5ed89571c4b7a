"""The always-loaded files as the gate measures them: how many entries and tokens each has, and what it may have."""

from __future__ import annotations

from memoro.curate.gating.gate import LoadedFiles
from memoro.curate.gating.rules import GatedFile
from memoro.errors import NoteNotFound, NoteUnreadable
from memoro.model.tokens import tokens
from memoro.model.vocabulary import LOADED_TIERS, LoadedTier
from memoro.vault import entries as bullets
from memoro.vault.encoding import decode
from memoro.vault.files import VaultFiles
from memoro.vault.layout import ROLES

Budgets = dict[LoadedTier, int]


def read_loaded_files(vault: VaultFiles, budgets: Budgets) -> LoadedFiles:
    """Read the files of all tiers. One that is missing has no entries; one that cannot be read counts as full."""
    files: dict[str, GatedFile] = {}
    paths: dict[str, str] = {}
    words: dict[str, str] = {}
    for tier in LOADED_TIERS:
        paths[tier] = ROLES[tier][0]
        most = budgets.get(tier)
        for path in ROLES[tier]:
            try:
                text, _ = decode(vault.read(path).data)
            except NoteNotFound:
                continue
            except NoteUnreadable:
                paths[tier], files[path] = path, GatedFile(0, most or 0, most)
                break
            found = bullets.entries(text)
            paths[tier], files[path] = path, GatedFile(len(found), tokens(text), most)
            words |= {one.id: one.text for one in found}
            break
        else:
            files[paths[tier]] = GatedFile(0, 0, most)
    return LoadedFiles(files, paths, words)
