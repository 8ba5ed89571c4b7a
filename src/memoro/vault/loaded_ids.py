"""The ids of the entries that stand in the always-loaded files."""

from __future__ import annotations

from contextlib import suppress

from memoro.errors import VaultError
from memoro.vault.encoding import decode
from memoro.vault.entries import entries
from memoro.vault.files import VaultFiles
from memoro.vault.layout import ROLES


def loaded_ids(vault: VaultFiles) -> set[str]:
    """Return the ids of all entries that sessions load, as the files are now. An unreadable file has none."""
    found: set[str] = set()
    for names in ROLES.values():
        for path in names:
            with suppress(VaultError):
                text, _ = decode(vault.read(path).data)
                found |= {one.id for one in entries(text)}
                break
    return found
