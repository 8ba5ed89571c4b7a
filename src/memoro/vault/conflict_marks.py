"""Notes in which a merge of git left its conflict marks."""

from __future__ import annotations

import re

from memoro.errors import VaultError
from memoro.model.notes import kind_of
from memoro.vault.files import VaultFiles

# In this order, each at the beginning of a line, as git writes them.
_CONFLICT = re.compile(rb"^<{7} .*?^={7}\r?$.*?^>{7} ", re.MULTILINE | re.DOTALL)


def conflicted_notes(vault: VaultFiles) -> list[str]:
    """Return the paths of notes with an unresolved conflict. Those that cannot be read are left out."""
    return [path for path in sorted(vault.list().files) if kind_of(path) == "note" and _is_conflicted(vault, path)]


def _is_conflicted(vault: VaultFiles, path: str) -> bool:
    try:
        data = vault.read(path).data
    except VaultError:
        return False
    return b"<<<<<<< " in data and _CONFLICT.search(data) is not None
